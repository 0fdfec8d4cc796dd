package say

// idPatient is bridge doctor: what it finds at a server.
func idPatient(en string) string {
	switch en {
	case "entry":
		return "entri"
	case "the sign-in server of %s cannot be reached: %s":
		return "server masuk milik %s tidak terjangkau: %s"
	case "there is no host named %s":
		return "tidak ada host bernama %s"
	case "check the host of the URL, and that this machine is online":
		return "periksa host pada URL, dan apakah komputer ini daring"
	case "the name %s could not be looked up in time":
		return "nama %s tidak berhasil dicari tepat waktu"
	case "check the network's DNS server":
		return "periksa server DNS jaringan"
	case "name":
		return "nama"
	case "looked up by the proxy":
		return "dicari oleh proksi"
	case "%s needs no lookup":
		return "%s tidak perlu dicari"
	case "proxy":
		return "proksi"
	case "none":
		return "tidak ada"
	case "the proxy %s does not answer":
		return "proksi %s tidak menjawab"
	case "check HTTPS_PROXY, or name the server in NO_PROXY":
		return "periksa HTTPS_PROXY, atau sebutkan server di NO_PROXY"
	case "the proxy %s wants a user name and a password":
		return "proksi %s meminta nama pengguna dan kata sandi"
	case "put them into HTTPS_PROXY":
		return "masukkan ke HTTPS_PROXY"
	case "%s, from the environment":
		return "%s, dari lingkungan"
	case "certificate":
		return "sertifikat"
	case "issued by %s, valid until %s":
		return "diterbitkan %s, berlaku sampai %s"
	case "it runs out in %d days; whoever runs the server has to renew it":
		return "masa berlakunya habis dalam %d hari; pengelola server harus memperbaruinya"
	case "none: plain http, on this machine":
		return "tidak ada: http biasa, di komputer ini"
	case "none: everything goes over the network in clear text":
		return "tidak ada: semuanya lewat jaringan tanpa enkripsi"
	case "use an https:// address":
		return "pakai alamat https://"
	case "clock":
		return "jam"
	case "the server does not say its time":
		return "server tidak menyebut waktunya"
	case "this machine is %s ahead of the server":
		return "komputer ini %s lebih cepat daripada server"
	case "let the system set its clock from the network":
		return "biarkan sistem menyetel jamnya dari jaringan"
	case "this machine is %s behind the server":
		return "komputer ini %s lebih lambat daripada server"
	case "agrees with the server's":
		return "cocok dengan server"
	case "%d from the server itself":
		return "%d dari server sendiri"
	case "%d, %s, in %d ms":
		return "%d, %s, dalam %d ms"
	case "%s; with %s, which is allowed":
		return "%s; dengan %s, yang diperbolehkan"
	case "revision":
		return "revisi"
	case "2024-11-05, with sessions over HTTP+SSE":
		return "2024-11-05, dengan sesi lewat HTTP+SSE"
	case "the server refuses the handshake: %s":
		return "server menolak jabat tangan: %s"
	case "%s, stateless":
		return "%s, stateless"
	case "%s, with sessions":
		return "%s, dengan sesi"
	case "%s, without a session":
		return "%s, tanpa sesi"
	case ", and %s":
		return ", dan %s"
	case "talk":
		return "percakapan"
	case "the stream has %s, which is allowed":
		return "alirannya punya %s, yang diperbolehkan"
	case "%s: the server forgot the session that it had just opened (%d)":
		return "%s: server lupa sesi yang baru saja dibukanya (%d)"
	case "bridge opens a new one; several instances behind one address may not share their sessions":
		return "bridge membuka yang baru; beberapa instans di balik satu alamat mungkin tidak berbagi sesi"
	case "the server signs in with the browser, and you have not":
		return "server ini meminta masuk lewat peramban, dan Anda belum masuk"
	case "the server wants a token, and there is none":
		return "server meminta token, tetapi belum ada token"
	case "the server refused the token …%s from %s: it is mistyped, expired or revoked":
		return "server menolak token …%s dari %s: salah ketik, kedaluwarsa, atau dicabut"
	case "make a new one (%s), then run `bridge login %s`":
		return "buat yang baru (%s), lalu jalankan `bridge login %s`"
	case "none needed":
		return "tidak perlu"
	case "token …%s from %s":
		return "token …%s dari %s"
	case "tools":
		return "alat"
	case "the server offers none":
		return "server tidak menawarkan alat apa pun"
	case "%d through bridge":
		return "%d lewat bridge"
	case "%d through bridge, after the policy of its entry":
		return "%d lewat bridge, setelah kebijakan entrinya"
	case "the list did not arrive within %s":
		return "daftarnya tidak tiba dalam %s"
	case "try again; if it stays so, ask whoever runs the server":
		return "coba lagi; bila tetap begitu, tanyakan kepada pengelola server"
	case "%s refuses the connection":
		return "%s menolak sambungan"
	case "see that the server is running there, and that the port is right":
		return "pastikan server berjalan di sana, dan port-nya benar"
	case "there is no way to %s":
		return "tidak ada jalan ke %s"
	case "see that this machine is online":
		return "pastikan komputer ini daring"
	case "%s takes the connection and does not answer":
		return "%s menerima sambungan, tetapi tidak menjawab"
	case "try again later, or ask whoever runs the server":
		return "coba lagi nanti, atau tanyakan kepada pengelola server"
	case "%s does not take the connection in time":
		return "%s tidak menerima sambungan tepat waktu"
	case "a firewall may drop it; see HTTPS_PROXY if there is a proxy to go through":
		return "mungkin dibuang tembok api; lihat HTTPS_PROXY bila ada proksi yang harus dilewati"
	case "%s speaks plain http, not https":
		return "%s memakai http biasa, bukan https"
	case "write the address with http:// if it is on this machine":
		return "tulis alamatnya dengan http:// bila ada di komputer ini"
	case "the connection to %s was lost before an answer, as when a server restarts":
		return "sambungan ke %s putus sebelum ada jawaban, seperti saat server dimulai ulang"
	case "%s does not answer: %s":
		return "%s tidak menjawab: %s"
	case "try again later":
		return "coba lagi nanti"
	case "try again in %s seconds":
		return "coba lagi dalam %s detik"
	case "%s: the server is asked too often (429)":
		return "%s: server terlalu sering ditanya (429)"
	case "%s: the server is not available for now (503)":
		return "%s: server sedang tidak tersedia (503)"
	case "%s: the address leads elsewhere (%s), to %s":
		return "%s: alamat ini mengarah ke tempat lain (%s), ke %s"
	case "use that address if you trust it":
		return "pakai alamat itu bila Anda memercayainya"
	case "%s: nothing is at this address (404)":
		return "%s: tidak ada apa-apa di alamat ini (404)"
	case "check the path of the URL":
		return "periksa jalur pada URL"
	case "%s: the address takes no POST (405)":
		return "%s: alamat ini tidak menerima POST (405)"
	case "%s: %s with a web page: a gateway answers, not the MCP server":
		return "%s: %s dengan halaman web: yang menjawab gateway, bukan server MCP"
	case "ask whoever runs the server":
		return "tanyakan kepada pengelola server"
	case "%s: the answer breaks off after %d bytes":
		return "%s: jawaban terputus setelah %d bita"
	case "a proxy or gateway may cut long answers; try again":
		return "proksi atau gateway mungkin memotong jawaban panjang; coba lagi"
	case "%s: an empty answer (%s) where a result belongs":
		return "%s: jawabannya kosong (%s), padahal seharusnya berisi hasil"
	case "check the path of the URL; the server may be no MCP server":
		return "periksa jalur pada URL; server ini mungkin bukan server MCP"
	case "%s: the answer is %s, not application/json or text/event-stream":
		return "%s: jawabannya %s, bukan application/json atau text/event-stream"
	case "of no type":
		return "tanpa jenis"
	case "check the path of the URL; a web page or a proxy may stand there":
		return "periksa jalur pada URL; mungkin halaman web atau proksi yang ada di sana"
	case "%s: the answer is no JSON-RPC answer":
		return "%s: jawabannya bukan jawaban JSON-RPC"
	case "%s: each event of the stream comes twice":
		return "%s: tiap peristiwa di aliran datang dua kali"
	case "bridge takes the first; tell whoever runs the server":
		return "bridge memakai yang pertama; beri tahu pengelola server"
	case "%s: the server is slow: %.1f s":
		return "%s: server lambat: %.1f dtk"
	case "if it stays so, raise the time-outs: `bridge servers set NAME --timeout initialize=60s`":
		return "bila tetap begitu, naikkan batas waktu: `bridge servers set NAMA --timeout initialize=60s`"
	case "a byte order mark":
		return "tanda urutan bita"
	case "lines that end in CR":
		return "baris berakhiran CR"
	case "lines that end in CR LF":
		return "baris berakhiran CR LF"
	case "comments":
		return "komentar"
	case "data of several lines":
		return "data beberapa baris"
	case "the certificate of %s is issued by %q, which this machine does not trust":
		return "sertifikat %s diterbitkan %q, yang tidak dipercaya komputer ini"
	case "if that is as it should be: `bridge servers set %s --ca-cert FILE`; if a company proxy does it for all servers, name its certificate file in NODE_EXTRA_CA_CERTS":
		return "bila memang begitu seharusnya: `bridge servers set %s --ca-cert BERKAS`; bila itu ulah proksi perusahaan untuk semua server, sebutkan berkas sertifikatnya di NODE_EXTRA_CA_CERTS"
	case "give its certificate instead: `bridge servers set %s --ca-cert FILE --unset insecure`":
		return "berikan saja sertifikatnya: `bridge servers set %s --ca-cert BERKAS --unset insecure`"
	case "`bridge servers set %s --client-cert FILE --client-cert-key FILE`":
		return "`bridge servers set %s --client-cert BERKAS --client-cert-key BERKAS`"
	case "`bridge serve` takes one by --client-cert and --client-cert-key":
		return "`bridge serve` menerimanya lewat --client-cert dan --client-cert-key"
	case "if a company proxy does that, name its certificate file in NODE_EXTRA_CA_CERTS":
		return "bila itu ulah proksi perusahaan, sebutkan berkas sertifikatnya di NODE_EXTRA_CA_CERTS"
	case "the certificate shown for %s belongs to another host":
		return "sertifikat yang ditunjukkan untuk %s milik host lain"
	case "check the host of the URL":
		return "periksa host pada URL"
	case "the certificate of %s is valid from %s to %s, and not now":
		return "sertifikat %s berlaku dari %s sampai %s, jadi sekarang tidak berlaku"
	case "check this machine's clock; else whoever runs the server has to renew it":
		return "periksa jam komputer ini; kalau benar, pengelola server harus memperbaruinya"
	case "%s does not speak TLS on that port":
		return "%s tidak memakai TLS di port itu"
	case "check scheme and port of the URL":
		return "periksa skema dan port pada URL"
	case "no secure connection to %s: %s":
		return "tidak ada sambungan aman ke %s: %s"
	case "the sign-in could not be renewed: %s":
		return "sesi masuk tidak bisa diperbarui: %s"
	case "signed in at %s until %s; bridge renews it when it is next used":
		return "masuk di %s sampai %s; bridge memperbaruinya saat dipakai lagi"
	case "run `bridge doctor %s --fix` to renew it now":
		return "jalankan `bridge doctor %s --fix` untuk memperbaruinya sekarang"
	case "the sign-in at %s ended at %s":
		return "sesi masuk di %s berakhir pada %s"
	case "the server refused the sign-in at %s: it has ended or was revoked":
		return "server menolak sesi masuk di %s: sudah berakhir atau dicabut"
	case "signed in at %s":
		return "masuk di %s"
	case "signed in at %s until %s":
		return "masuk di %s sampai %s"
	}
	return ""
}
