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
	case "allow holds a pattern that can match no tool":
		return "di allow ada pola yang tidak mungkin cocok dengan alat apa pun"
	case "deny holds a pattern that can match no tool":
		return "di deny ada pola yang tidak mungkin cocok dengan alat apa pun"
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
	case "keystore must be \"keychain\" or \"file\"":
		return "keystore harus \"keychain\" atau \"file\""
	case "read_only must be true or false":
		return "read_only harus true atau false"
	case "allow_http must be true or false":
		return "allow_http harus true atau false"
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
	}
	return ""
}
