package say

// idRelay is what the relay finds out about a server (bridge.Config.Say), for a
// person at a terminal.
func idRelay(en string) string {
	switch en {
	case "the proxy for %s does not answer (see HTTPS_PROXY and NO_PROXY)":
		return "proksi untuk %s tidak menjawab (lihat HTTPS_PROXY dan NO_PROXY)"
	case "the proxy wants a user name and password (put them into HTTPS_PROXY)":
		return "proksi meminta nama pengguna dan kata sandi (tulis di HTTPS_PROXY)"
	case "the name of %s could not be looked up in time":
		return "nama %s tidak sempat dicari"
	case "%s refuses the connection; is the server running there?":
		return "%s menolak sambungan; apakah servernya berjalan di sana?"
	case "there is no way to %s; is this machine online?":
		return "tidak ada jalan ke %s; apakah komputer ini daring?"
	case "%s did not answer with HTTP":
		return "jawaban %s bukan HTTP"
	case "the connection to %s was lost before the answer; whether the request was carried out is not known":
		return "sambungan ke %s putus sebelum ada jawaban; tidak diketahui apakah permintaannya sudah dijalankan"
	case "the certificate of %s is issued by %s, which this machine does not trust; if a company proxy does that, name its certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE":
		return "sertifikat %s diterbitkan %s, yang tidak dipercaya komputer ini; kalau itu proksi perusahaan, sebutkan sertifikatnya di NODE_EXTRA_CA_CERTS atau SSL_CERT_FILE"
	case "the proxy for %s has an https address, and what is agreed with this server is not for the proxy; name it by an http address in HTTPS_PROXY":
		return "proksi untuk %s beralamat https, padahal yang disepakati dengan server ini bukan untuk proksi; sebutkan dengan alamat http di HTTPS_PROXY"
	case "%s wants a client certificate, and was shown none that it takes":
		return "%s meminta sertifikat klien, dan tidak diperlihatkan satu pun yang diterimanya"
	case "%s broke off the secure connection; it may want a client certificate, or another one":
		return "%s memutus sambungan aman; mungkin ia meminta sertifikat klien, atau yang lain"
	case "the certificate of %s is not valid now%s; check this machine's clock":
		return "sertifikat %s tidak berlaku sekarang%s; periksa jam komputer ini"
	case "no secure connection to %s could be made: %s":
		return "sambungan aman ke %s tidak bisa dibuat: %s"
	case "there is no MCP endpoint at %s (404); check the URL's path%s":
		return "tidak ada titik akhir MCP di %s (404); periksa jalur URL-nya%s"
	case "%s takes no POST (405); check the URL's path":
		return "%s tidak menerima POST (405); periksa jalur URL-nya"
	case "%s is asked too often (429); try again later":
		return "%s terlalu sering ditanya (429); coba lagi nanti"
	case "%s does not allow this (403)%s":
		return "%s tidak mengizinkan ini (403)%s"
	case "%s redirects (%d) to %s, which is not followed; use that address if you trust it":
		return "%s mengalihkan (%d) ke %s, dan itu tidak diikuti; pakai alamat itu kalau Anda memercayainya"
	case "%s failed (%d %s)%s":
		return "%s gagal (%d %s)%s"
	case "%s refused the request (%d %s)%s":
		return "%s menolak permintaan (%d %s)%s"
	}
	return ""
}
