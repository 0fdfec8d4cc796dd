package say

// idServe is what bridge serve says, and its help.
func idServe(en string) string {
	if s := idServeHelp(en); s != "" {
		return s
	}
	switch en {
	case "--%s takes no value":
		return "--%s tidak menerima nilai"
	case "the server address is missing":
		return "alamat server belum ditulis"
	case "unexpected argument %q":
		return "argumen %q tidak dipakai"
	case "put quotes around a value with blanks in it: --header \"Authorization: Bearer ${TOKEN}\"":
		return "beri tanda kutip pada nilai yang mengandung spasi: --header \"Authorization: Bearer ${TOKEN}\""
	case "unknown transport %q":
		return "transport %q tidak dikenal"
	case "use auto, http-first, sse-first, http-only or sse-only":
		return "gunakan auto, http-first, sse-first, http-only, atau sse-only"
	case "unknown protocol %q":
		return "protokol %q tidak dikenal"
	case "use auto, legacy (with sessions, up to 2025-11-25) or modern (2026-07-28)":
		return "gunakan auto, legacy (dengan sesi, sampai 2025-11-25), atau modern (2026-07-28)"
	case "invalid value %q for --timeout":
		return "nilai %q tidak sah untuk --timeout"
	case "name a phase and a time, as in --timeout connect=5s; phases are connect, tls, response, probe, initialize and retry":
		return "sebutkan tahap dan waktunya, misalnya --timeout connect=5s; tahapnya connect, tls, response, probe, initialize, dan retry"
	case "invalid time %q for %s":
		return "waktu %q tidak sah untuk %s"
	case "write it as in 5s or 2m; 0 means no limit":
		return "tulis seperti 5s atau 2m; 0 berarti tanpa batas"
	case "without effect here: %s":
		return "tidak berpengaruh di sini: %s"
	case "cannot write the trace to %q: %s":
		return "tidak bisa menulis rekaman ke %q: %s"
	case "%q is not a server address":
		return "%q bukan alamat server"
	case "give the full address of the server: `bridge serve %s`":
		return "tuliskan alamat server selengkapnya: `bridge serve %s`"
	case "the address of %s contains a user name or a password":
		return "alamat %s mengandung nama pengguna atau kata sandi"
	case "leave it out of the address and set BRIDGE_TOKEN":
		return "hapus dari alamat, lalu isi BRIDGE_TOKEN"
	case "unsupported scheme %q in the server address":
		return "skema %q pada alamat server tidak didukung"
	case "a server address begins with https://":
		return "alamat server diawali https://"
	case "plain http to %s would send everything readable by anyone on the way":
		return "lewat http biasa ke %s, semua isi kiriman bisa dibaca siapa saja di tengah jalan"
	case "use https, or add --allow-http if the network between is yours":
		return "gunakan https, atau tambahkan --allow-http bila jaringannya milik Anda"
	case "--proxy is not an address":
		return "--proxy bukan sebuah alamat"
	case "unsupported proxy scheme %q":
		return "skema proksi %q tidak didukung"
	case "write it as in --proxy http://127.0.0.1:3128":
		return "tulis seperti --proxy http://127.0.0.1:3128"
	case "cannot read the certificates in %q: %s":
		return "sertifikat di %q tidak bisa dibaca: %s"
	case "no certificate in %q":
		return "tidak ada sertifikat di %q"
	case "it has to be in PEM form, with lines BEGIN CERTIFICATE and END CERTIFICATE":
		return "isinya harus berbentuk PEM, dengan baris BEGIN CERTIFICATE dan END CERTIFICATE"
	case "The tool %q is turned off on this computer by --ignore-tool.":
		return "Alat %q dimatikan di komputer ini oleh --ignore-tool."
	case "a --header has no colon between name and value":
		return "ada --header tanpa titik dua di antara nama dan nilainya"
	case "a --header has an invalid name":
		return "ada --header yang namanya tidak sah"
	case "write it as in --header \"X-Api-Key: ${KEY}\"":
		return "tulis seperti --header \"X-Api-Key: ${KEY}\""
	case "cannot read the headers in %q: %s":
		return "header di %q tidak bisa dibaca: %s"
	case "line %d of %q is not a header":
		return "baris %d di %q bukan header"
	case "one header a line, as in X-Api-Key: ${KEY}":
		return "satu header per baris, misalnya X-Api-Key: ${KEY}"
	case "the header %q has a line break or another control character in its value":
		return "nilai header %q mengandung ganti baris atau karakter kontrol lain"
	case "the Authorization header has no value":
		return "header Authorization tidak ada isinya"
	case "put quotes around it, or leave it out and set BRIDGE_TOKEN: some clients split arguments at blanks":
		return "beri tanda kutip, atau hapus dan isi BRIDGE_TOKEN: sebagian klien memecah argumen pada spasi"
	case "the header %q needs the variable %s, which is not set":
		return "header %q memerlukan variabel %s, yang belum diisi"
	case "set %s in the env of the client's config, or in the shell":
		return "isi %s di bagian env pada konfigurasi klien, atau di shell"
	case "cannot read the token in %q: %s":
		return "token di %q tidak bisa dibaca: %s"
	case "BRIDGE_TOKEN_FILE has to name a file that you may read":
		return "BRIDGE_TOKEN_FILE harus menunjuk berkas yang boleh Anda baca"
	case "%s contains no token":
		return "%s tidak berisi token"
	case "the token in %s contains blanks, line breaks or other characters that no token has":
		return "token di %s mengandung spasi, ganti baris, atau karakter lain yang tidak mungkin ada dalam token"
	case "copy the token again, all of it and nothing else":
		return "salin ulang tokennya, seluruhnya dan tidak lebih"
	}
	return ""
}

func idServeHelp(en string) string {
	switch en {
	case "Speak MCP on stdio and forward it to a server":
		return "Melayani MCP lewat stdio dan meneruskannya ke server"
	case "This is what a desktop client starts. stdout carries MCP messages and nothing else; stderr is quiet unless something is wrong. It ends with status 0 when the client closes stdin.":
		return "Inilah yang dijalankan klien desktop. stdout hanya berisi pesan MCP; stderr diam kecuali ada yang salah. Berakhir dengan status 0 ketika klien menutup stdin."
	case "`\"NAME: VALUE\"` send this header; ${VAR} is taken from the environment (repeatable)":
		return "`\"NAMA: NILAI\"` kirim header ini; ${VAR} diambil dari lingkungan (boleh diulang)"
	case "`FILE` read headers from a file, one a line, # for comments (repeatable)":
		return "`BERKAS` baca header dari berkas, satu per baris, # untuk komentar (boleh diulang)"
	case "`HOW` auto, http-first, sse-first, http-only or sse-only":
		return "`CARA` auto, http-first, sse-first, http-only, atau sse-only"
	case "`ERA` the server speaks: auto, legacy or modern (2026-07-28)":
		return "`ERA` yang dipakai server: auto, legacy, atau modern (2026-07-28)"
	case "unknown way %q for --modern-on-legacy":
		return "cara %q tidak dikenal untuk --modern-on-legacy"
	case "use translate or transparent":
		return "gunakan translate atau transparent"
	case "`HOW` a client of 2026-07-28 meets a server with sessions: translate, or transparent (told to use sessions)":
		return "`CARA` klien 2026-07-28 bertemu server bersesi: translate, atau transparent (diminta memakai sesi)"
	case "allow plain http to another machine":
		return "izinkan http biasa ke komputer lain"
	case "`GLOB` hide matching tools and refuse calls to them (repeatable)":
		return "`POLA` sembunyikan alat yang cocok dan tolak pemanggilannya (boleh diulang)"
	case "`PHASE=TIME` limit connect, tls, response, probe, initialize or retry, as in connect=5s; none means no limit (repeatable)":
		return "`TAHAP=WAKTU` batasi connect, tls, response, probe, initialize, atau retry, misalnya connect=5s; none berarti tanpa batas (boleh diulang)"
	case "`URL` use this proxy instead of the one in HTTPS_PROXY":
		return "`URL` pakai proksi ini, bukan yang ada di HTTPS_PROXY"
	case "`FILE` trust these certificates in addition to the system's (repeatable)":
		return "`BERKAS` percayai juga sertifikat ini, di samping milik sistem (boleh diulang)"
	case "`FILE` append the conversation to a file, without secrets":
		return "`BERKAS` tambahkan rekaman percakapan ke berkas, tanpa rahasia"
	case "log what happens to stderr":
		return "catat apa yang terjadi ke stderr"
	case "log errors only":
		return "catat galat saja"
	case "see `bridge serve --help`":
		return "lihat `bridge serve --help`"
	}
	return ""
}
