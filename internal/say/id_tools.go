package say

// idTools is the lists of a server: tools, resources, prompts; and bridge ping.
func idTools(en string) string {
	switch en {
	case "TEXT":
		return "TEKS"
	case "NUMBER":
		return "ANGKA"
	case "%s answered %s with something else than a list":
		return "%s menjawab %s dengan sesuatu yang bukan daftar"
	case "the list of %s does not end":
		return "daftar dari %s tidak berakhir"
	case "Shake hands with a server, and measure it":
		return "Berjabat tangan dengan server, dan mengukur waktunya"
	case "NAME | URL":
		return "NAMA | URL"
	case "Says who answers, the revision of the protocol, and how long the handshake and one round trip take. If it fails, `bridge doctor NAME` says why.":
		return "Menyebut siapa yang menjawab, revisi protokolnya, dan berapa lama jabat tangan dan satu pulang-pergi. Bila gagal, `bridge doctor NAMA` menyebut sebabnya."
	case "no name":
		return "tanpa nama"
	case "revision:  ":
		return "revisi:       "
	case "handshake: ":
		return "jabat tangan: "
	case "round trip:":
		return "pulang-pergi: "
	case "Use":
		return "Menggunakan"
	case "List the tools of a server, or explain one":
		return "Menampilkan alat sebuah server, atau menjelaskan salah satunya"
	case "NAME | URL [TOOL]":
		return "NAMA | URL [ALAT]"
	case "Without a tool's name, all of them, with the server's own marks: read-only or destructive. With one, its arguments and a command to copy. --json gives the server's own words, as in tools/list.":
		return "Tanpa nama alat, semuanya, dengan tanda dari server sendiri: hanya membaca atau merusak. Dengan nama, argumennya dan perintah yang bisa disalin. --json memberi kata-kata server sendiri, seperti di tools/list."
	case "%s offers no tools":
		return "%s tidak menawarkan alat"
	case "reads":
		return "membaca"
	case "destructive":
		return "merusak"
	case "writes":
		return "menulis"
	case "connecting to %s":
		return "menghubungi %s"
	case "`bridge servers show %s` shows what is allowed":
		return "`bridge servers show %s` menampilkan yang diizinkan"
	case "%s has no tool %q":
		return "%s tidak punya alat %q"
	case "`bridge tools %s` lists them":
		return "`bridge tools %s` menampilkan daftarnya"
	case "Arguments":
		return "Argumen"
	case "Example":
		return "Contoh"
	case "required":
		return "wajib"
	case "default %s":
		return "bawaan %s"
	case "It can be: %s.":
		return "Pilihannya: %s."
	case "List the resources of a server, or read one":
		return "Menampilkan sumber daya sebuah server, atau membaca salah satunya"
	case "NAME | URL [URI]":
		return "NAMA | URL [URI]"
	case "The list holds templates as well: their {parts} are to be filled in. Text goes to stdout as it is; what is not text is kept with --output.":
		return "Daftar ini juga memuat pola: {bagian}-nya harus diisi. Teks masuk ke stdout apa adanya; yang bukan teks disimpan dengan --output."
	case "write the content to `FILE`, or - for stdout":
		return "tulis isinya ke `BERKAS`, atau - untuk stdout"
	case "--output needs the URI of one resource":
		return "--output memerlukan URI satu sumber daya"
	case "%s offers no resources":
		return "%s tidak menawarkan sumber daya"
	case "the answer of %s is no resource":
		return "jawaban %s bukan sumber daya"
	case "List the prompts of a server, or get one":
		return "Menampilkan prompt sebuah server, atau mengambil salah satunya"
	case "NAME | URL [PROMPT [key=value]…]":
		return "NAMA | URL [PROMPT [kunci=nilai]…]"
	case "A prompt is text that the server writes for a model. It is shown, and sent nowhere.":
		return "Prompt adalah teks yang ditulis server untuk sebuah model. Teks itu ditampilkan, dan tidak dikirim ke mana pun."
	case "%s offers no prompts":
		return "%s tidak menawarkan prompt"
	case "the answer of %s is no prompt":
		return "jawaban %s bukan prompt"
	case "%s has no prompt %q":
		return "%s tidak punya prompt %q"
	case "`bridge prompts %s` lists them":
		return "`bridge prompts %s` menampilkan daftarnya"
	case "the arguments of a prompt are text":
		return "argumen prompt adalah teks"
	case "add `%s`":
		return "tambahkan `%s`"
	}
	return ""
}
