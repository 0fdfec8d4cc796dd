package say

// idConfig is what may be wrong with config.toml and with its values.
func idConfig(en string) string {
	switch en {
	case "it cannot be read":
		return "tidak dapat dibaca"
	case "it is a FIFO, not a file":
		return "ini FIFO, bukan berkas"
	case "it is a folder, not a file":
		return "ini folder, bukan berkas"
	case "it is a link to a file that does not exist":
		return "ini tautan ke berkas yang tidak ada"
	case "it is not a file":
		return "ini bukan berkas"
	case "it may not be read by this user":
		return "tidak boleh dibaca oleh pengguna ini"
	case "a server's name is 1 to 32 of a-z, 0-9 and -":
		return "nama server terdiri dari 1 sampai 32 huruf a-z, angka, dan -"
	case "a server cannot be called file: its variable would be BRIDGE_TOKEN_FILE":
		return "server tidak boleh bernama file: variabelnya akan menjadi BRIDGE_TOKEN_FILE"
	case "to hold nothing back any more: `bridge servers set %s --unset %s`":
		return "supaya tidak ada lagi yang ditahan: `bridge servers set %s --unset %s`"
	case "every user of this machine may change it, and it can name programs to run":
		return "semua pengguna komputer ini dapat mengubahnya, padahal isinya dapat menunjuk program untuk dijalankan"
	case "servers are tables [servers.NAME], not a list":
		return "server ditulis sebagai tabel [servers.NAMA], bukan daftar"
	case "servers must be tables [servers.NAME]":
		return "server harus berupa tabel [servers.NAMA]"
	case "a server must be a table [servers.NAME]":
		return "server harus berupa tabel [servers.NAMA]"
	case "token_command has more than 64 arguments":
		return "token_command mempunyai lebih dari 64 argumen"
	case "token_command names no program that could be started":
		return "token_command tidak menyebut program yang dapat dijalankan"
	case "a workspace's name is at most 256 bytes on one line":
		return "nama ruang kerja paling panjang 256 bita dalam satu baris"
	case "the workspace is named twice, in url and in workspace":
		return "ruang kerja disebut dua kali, di kunci url dan di kunci workspace"
	case "it is not a URL":
		return "ini bukan URL"
	case "a URL begins with https://":
		return "URL diawali https://"
	case "the URL has no host":
		return "URL tidak mempunyai host"
	case "the URL has user info in it":
		return "URL memuat nama pengguna atau kata sandi"
	case "the URL has a fragment (#…), which is never sent":
		return "URL memuat fragmen (#…), yang tidak pernah dikirim"
	case "plain http would show the token to the network; use https, or set allow_http":
		return "http biasa memperlihatkan token kepada jaringan; pakai https, atau isi allow_http"
	case "auth must be \"token\", \"oauth\" or \"none\"":
		return "auth harus \"token\", \"oauth\", atau \"none\""
	case "transport must be \"http-first\", \"sse-first\", \"http-only\" or \"sse-only\"":
		return "transport harus \"http-first\", \"sse-first\", \"http-only\", atau \"sse-only\""
	case "protocol must be \"legacy\" or \"modern\"":
		return "protocol harus \"legacy\" atau \"modern\""
	case "ca_cert must be the whole path of a file":
		return "ca_cert harus berupa lokasi lengkap sebuah berkas"
	case "the certificate of a public service is always checked":
		return "sertifikat layanan umum selalu diperiksa"
	case "client_cert and client_cert_key go together":
		return "client_cert dan client_cert_key harus diisi bersama"
	case "client_cert and client_cert_key must be the whole paths of files":
		return "client_cert dan client_cert_key harus berupa lokasi lengkap berkas"
	case "keystore must be \"keychain\" or \"file\"":
		return "keystore harus \"keychain\" atau \"file\""
	case "a quote is not closed":
		return "tanda kutip tidak ditutup"
	case "it names no program":
		return "tidak menyebut program"
	case "move it away":
		return "pindahkan"
	case "make that file, or remove the link":
		return "buat berkas itu, atau hapus tautannya"
	case "make it yours, mode 0600":
		return "jadikan milik Anda, mode 0600"
	case "%s must be text in quotes":
		return "%s harus berupa teks dalam tanda kutip"
	case "%s must be true or false":
		return "%s harus true atau false"
	case "%s must be a list of texts, [\"…\", \"…\"]":
		return "%s harus berupa daftar teks, [\"…\", \"…\"]"
	case "%s must be a table, { name = \"value\" }":
		return "%s harus berupa tabel, { nama = \"nilai\" }"
	case "%s must be a time such as \"15s\" or \"2m\", or \"none\"":
		return "%s harus berupa waktu seperti \"15s\" atau \"2m\", atau \"none\""
	case "%s holds a pattern that can match no tool":
		return "di %s ada pola yang tidak mungkin cocok dengan alat apa pun"
	case "%s has no url":
		return "%s tidak mempunyai url"
	case "the header %s cannot be sent as it is":
		return "header %s tidak dapat dikirim apa adanya"
	case "the header %s is set by bridge itself":
		return "header %s diisi oleh bridge sendiri"
	case "no such preset; there are %s":
		return "tidak ada preset itu; yang ada %s"
	case "the entry %s is written in a form that bridge reads but does not edit":
		return "entri %s ditulis dalam bentuk yang dibaca bridge, tetapi tidak diubahnya"
	case "change it by hand, or write it as a table [servers.%s]":
		return "ubah sendiri, atau tulis sebagai tabel [servers.%s]"
	case "it needs a shell for %s, and none is started; put it into a script, or in quotes if it is meant literally":
		return "perlu shell untuk %s, padahal shell tidak dijalankan; masukkan ke dalam skrip, atau beri tanda kutip jika memang teks biasa"
	case "known here are %s":
		return "yang dikenal di sini %s"
	case "it is larger than %s kB":
		return "lebih besar dari %s kB"
	case "it is UTF-16, and must be UTF-8":
		return "isinya UTF-16, padahal harus UTF-8"
	case "save it again as UTF-8":
		return "simpan lagi sebagai UTF-8"
	case "it holds a line break":
		return "ada ganti baris di dalamnya"
	}
	return ""
}
