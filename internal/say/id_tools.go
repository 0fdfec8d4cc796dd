package say

// idTools is the lists of a server: tools, resources, prompts; and bridge ping.
func idTools(en string) string {
	switch en {
	case "%s answered %s with something else than a list":
		return "%s menjawab %s dengan sesuatu yang bukan daftar"
	case "the list of %s does not end":
		return "daftar dari %s tidak berakhir"
	case "Shake hands with a server, and measure it":
		return "Berjabat tangan dengan server, dan mengukurnya"
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
		return "Pakai"
	case "List the tools of a server, or explain one":
		return "Mendaftar alat sebuah server, atau menjelaskan satu"
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
		return "`bridge tools %s` mendaftarnya"
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
	}
	return ""
}
