package say

// idCall is bridge call: arguments, questions, answers.
func idCall(en string) string {
	switch en {
	case "%s refused the token from %s":
		return "%s menolak token dari %s"
	case "put a good one there; or take it away, and what `bridge login` keeps is used":
		return "isi dengan yang benar; atau hapus, maka yang disimpan `bridge login` yang dipakai"
	case "`bridge doctor %s` finds out why":
		return "`bridge doctor %s` mencari sebabnya"
	case "%q is the whole of the arguments and stands alone":
		return "%q adalah seluruh argumen dan berdiri sendiri"
	case "put everything into it, or write key=value for each":
		return "masukkan semuanya ke situ, atau tulis kunci=nilai untuk masing-masing"
	case "%q is not an argument":
		return "%q bukan argumen"
	case "write key=value for text and key:=json for anything else":
		return "tulis kunci=nilai untuk teks dan kunci:=json untuk yang lain"
	case "the value of %q is not JSON: %s":
		return "nilai %q bukan JSON: %s"
	case "for text write `%s`, for text within JSON `%s`":
		return "untuk teks tulis `%s`, untuk teks di dalam JSON `%s`"
	case "%q has an empty name in it":
		return "ada nama kosong di dalam %q"
	case "a dot in a name is written as %s":
		return "titik di dalam nama ditulis %s"
	case "%q is given twice":
		return "%q diberikan dua kali"
	case "a list is one argument: `%s`":
		return "daftar adalah satu argumen: `%s`"
	case "the arguments":
		return "argumen"
	case "stdin":
		return "stdin"
	case "%s: this is not JSON":
		return "%s: ini bukan JSON"
	case "it has to be one object: %s":
		return "harus satu objek: %s"
	case "%s: this is JSON, but not an object":
		return "%s: ini JSON, tetapi bukan objek"
	case "Call one tool of a server":
		return "Memanggil salah satu alat sebuah server"
	case "NAME | URL TOOL [key=value] [key:=json] [@FILE | - | '{…}']":
		return "NAMA | URL ALAT [kunci=nilai] [kunci:=json] [@BERKAS | - | '{…}']"
	case "key=value is text; key:=json is anything else: a number, true, a list. A dot reaches into an object (filter.status=open). The arguments are held against the tool's schema before anything is sent.\nA tool that the server marks as destructive, and a call with confirmed:=true, is asked about first; where nobody can be asked, --yes says so beforehand. A tool that proposes until it is confirmed is asked about only then.\nThe status is 5 when the tool answers with an error.":
		return "kunci=nilai adalah teks; kunci:=json adalah yang lain: angka, true, daftar. Titik masuk ke dalam objek (filter.status=open). Argumen dicocokkan dengan skema alat sebelum apa pun dikirim.\nAlat yang ditandai merusak oleh server, dan panggilan dengan confirmed:=true, ditanyakan dulu; bila tidak ada yang bisa ditanya, --yes menjawabnya di muka. Alat yang hanya mengusulkan sampai dikonfirmasi baru ditanyakan saat itu.\nStatusnya 5 bila alat menjawab dengan galat."
	case "write the image, sound or file of the answer to `FILE`, or - for stdout":
		return "tulis gambar, suara, atau berkas dari jawaban ke `BERKAS`, atau - untuk stdout"
	case "overwrite FILE":
		return "timpa BERKAS"
	case "do not ask before a destructive call":
		return "jangan bertanya sebelum panggilan yang merusak"
	case "send the arguments without looking at the tool's schema":
		return "kirim argumen tanpa melihat skema alat"
	case "give up after `TIME`, as in 30s; no limit without it":
		return "berhenti setelah `WAKTU`, misalnya 30s; tanpanya tidak ada batas"
	case "the time of --timeout is negative":
		return "waktu --timeout negatif"
	case "waiting for %s":
		return "menunggu %s"
	case "%s did not answer within %s":
		return "%s tidak menjawab dalam %s"
	case "the call was cancelled; whether the server has carried it out is not known":
		return "panggilan dibatalkan; tidak diketahui apakah server sudah melaksanakannya"
	case "pipe a JSON object into it, or write key=value":
		return "alirkan objek JSON ke situ, atau tulis kunci=nilai"
	case "cannot read the arguments from stdin: %s":
		return "argumen dari stdin tidak bisa dibaca: %s"
	case "cannot read the arguments in %q: %s":
		return "argumen di %q tidak bisa dibaca: %s"
	case "%s may change or delete things on %s that cannot be brought back. Call it?":
		return "%s bisa mengubah atau menghapus sesuatu di %s yang tidak bisa dikembalikan. Panggil?"
	case "This confirms %s on %s: it writes now. Call it?":
		return "Ini mengonfirmasi %s di %s: sekarang benar-benar ditulis. Panggil?"
	case "%s may destroy something, and nobody can be asked here":
		return "%s bisa merusak sesuatu, dan di sini tidak ada yang bisa ditanya"
	case "add --yes if the call is meant":
		return "tambahkan --yes bila panggilan ini memang dimaksud"
	case "%s was not called":
		return "%s tidak dipanggil"
	case "the answer of %s is no result of a tool":
		return "jawaban %s bukan hasil sebuah alat"
	case "%s answered with an error":
		return "%s menjawab dengan galat"
	case "(required)":
		return "(wajib)"
	case "file":
		return "berkas"
	case "[%s %s, %s; keep it with --output FILE]":
		return "[%s %s, %s; simpan dengan --output BERKAS]"
	case "[content of the kind %q; see it with --json]":
		return "[isi berjenis %q; lihat dengan --json]"
	case "binary data would upset the terminal":
		return "data biner akan mengacaukan terminal"
	case "redirect stdout, or name a file":
		return "alihkan stdout, atau sebutkan sebuah berkas"
	case "there is no folder for %q":
		return "tidak ada folder untuk %q"
	case "cannot write %q: %s":
		return "%q tidak bisa ditulis: %s"
	case "%q is a folder":
		return "%q adalah folder"
	case "%q is there already":
		return "%q sudah ada"
	case "add --force to overwrite it":
		return "tambahkan --force untuk menimpanya"
	case "what the server sent is not base64":
		return "yang dikirim server bukan base64"
	case "%s written to %s":
		return "%s ditulis ke %s"
	case "the arguments are not an object":
		return "argumennya bukan objek"
	case "`%s` shows the arguments":
		return "`%s` menampilkan argumennya"
	case "%s has no argument %q":
		return "%s tidak punya argumen %q"
	case "%s takes no arguments, and %q was given":
		return "%s tidak menerima argumen, tetapi %q diberikan"
	case "it has: %s":
		return "yang ada: %s"
	case "%s does not name an argument %q; did you mean %q?":
		return "%s tidak menyebut argumen %q; maksud Anda %q?"
	case "%s needs the argument %q":
		return "%s memerlukan argumen %q"
	case "add `%s`; %s":
		return "tambahkan `%s`; %s"
	case "%s: %q cannot be %q":
		return "%s: %q tidak bisa berisi %q"
	case "it can be: %s":
		return "pilihannya: %s"
	case "%s: %q has to be text, not %s":
		return "%s: %q harus teks, bukan %s"
	case "write `%s`":
		return "tulis `%s`"
	case "%s: %q has to be %s, and %s= makes text of it":
		return "%s: %q harus %s, dan %s= menjadikannya teks"
	case "%s: %q has to be %s, not text":
		return "%s: %q harus %s, bukan teks"
	case "write it as in `%s`":
		return "tulis seperti `%s`"
	case "%s: %q has to be at least %s, not %s":
		return "%s: %q paling sedikit %s, bukan %s"
	case "%s: %q has to be at most %s, not %s":
		return "%s: %q paling banyak %s, bukan %s"
	case "a whole number":
		return "bilangan bulat"
	case "a number":
		return "angka"
	case "true or false":
		return "true atau false"
	case "a list":
		return "daftar"
	case "null":
		return "null"
	case "an object":
		return "objek"
	case "text":
		return "teks"
	case "is not allowed":
		return "tidak diperbolehkan"
	case "has to be %s":
		return "harus %s"
	case " or ":
		return " atau "
	case "has to be one of %s":
		return "harus salah satu dari %s"
	case "is shorter than %s characters":
		return "lebih pendek dari %s karakter"
	case "is longer than %s characters":
		return "lebih panjang dari %s karakter"
	case "does not match the pattern %s":
		return "tidak cocok dengan pola %s"
	case "has to be at least %s":
		return "paling sedikit %s"
	case "has to be at most %s":
		return "paling banyak %s"
	case "has to be more than %s":
		return "harus lebih dari %s"
	case "has to be less than %s":
		return "harus kurang dari %s"
	case "needs at least %s items":
		return "perlu paling sedikit %s butir"
	case "takes at most %s items":
		return "menerima paling banyak %s butir"
	case "needs %q":
		return "perlu %q"
	case "has no %q":
		return "tidak memiliki %q"
	case "none of the allowed forms fits":
		return "tidak ada bentuk yang diperbolehkan yang cocok"
	case "these arguments do not fit %s: %s":
		return "argumen ini tidak cocok dengan %s: %s"
	case "%s (%g of %g)":
		return "%s (%g dari %g)"
	case "%s (%g)":
		return "%s (%g)"
	}
	return ""
}
