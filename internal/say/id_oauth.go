package say

// idOAuth is what is said about signing in with the browser, by e-mail, by
// device code or as a client.
func idOAuth(en string) string {
	switch en {
	case "%s did not take the sign-in that its own sign-in server gave":
		return "%s tidak menerima sesi masuk dari server masuknya sendiri"
	case "%s does not allow this with the sign-in it was given.":
		return "%s tidak mengizinkan ini dengan sesi masuk yang diberikan."
	case "%s does not take this address: %s":
		return "%s tidak menerima alamat ini: %s"
	case "%s needs you to sign in: open %s in a browser.":
		return "%s meminta Anda masuk: buka %s di peramban."
	case "%s offers no sign-in by e-mail":
		return "%s tidak menyediakan masuk lewat surel"
	case "%s offers no sign-in in the browser":
		return "%s tidak menyediakan masuk lewat peramban"
	case "%s refused the sign-in":
		return "%s menolak sesi masuk ini"
	case "%s said: %s":
		return "%s menjawab: %s"
	case "%s wants a permission that the sign-in does not have":
		return "%s meminta izin yang tidak dimiliki sesi masuk ini"
	case "run `bridge login %s --scope %s`":
		return "jalankan `bridge login %s --scope %s`"
	case "%s wants a permission that the sign-in does not have: %s.":
		return "%s meminta izin yang tidak dimiliki sesi masuk ini: %s."
	case "%s, then renewed by itself":
		return "%s, lalu diperbarui sendiri"
	case "%s, then sign in again":
		return "%s, lalu masuk lagi"
	case "--authorize-param is written NAME=VALUE":
		return "--authorize-param ditulis NAMA=NILAI"
	case "--callback-port is no port":
		return "--callback-port bukan nomor port"
	case "--host can be localhost or 127.0.0.1, not %q":
		return "--host hanya dapat berisi localhost atau 127.0.0.1, bukan %q"
	case "--resource has to be an absolute URI":
		return "--resource harus berupa URI lengkap"
	case "--static-oauth-client-info names no client_id":
		return "--static-oauth-client-info tidak memuat client_id"
	case "Code from the e-mail:":
		return "Kode dari surel:"
	case "It was revoked at the server.":
		return "Token itu sudah dicabut di server."
	case "Not signed in":
		return "Belum masuk"
	case "Nothing to do here":
		return "Tidak ada yang perlu dilakukan di sini"
	case "The sign-in did not work. Your program says why. You can close this window.":
		return "Proses masuk tidak berhasil. Program Anda menyebutkan sebabnya. Jendela ini boleh ditutup."
	case "The sign-in was denied. You can close this window.":
		return "Permintaan masuk ditolak. Jendela ini boleh ditutup."
	case "This address belongs to no sign-in that is waiting.":
		return "Alamat ini bukan milik proses masuk yang sedang menunggu."
	case "This server wants a token: set BRIDGE_TOKEN, or run `bridge login %s` in a terminal.":
		return "Server ini meminta token: isi BRIDGE_TOKEN, atau jalankan `bridge login %s` di terminal."
	case "To sign in to %s, open %s in a browser and enter the code %s. The tools of %s appear by themselves afterwards.":
		return "Untuk masuk ke %s, buka %s di peramban dan ketik kode %s. Setelah itu alat-alat %s muncul dengan sendirinya."
	case "To sign in to %s, open this page in a browser: %s . The tools of %s appear by themselves afterwards.":
		return "Untuk masuk ke %s, buka halaman ini di peramban: %s . Setelah itu alat-alat %s muncul dengan sendirinya."
	case "You are signed in":
		return "Anda sudah masuk"
	case "You are signed in to %s.":
		return "Anda sudah masuk ke %s."
	case "You can close this window and go back to your program.":
		return "Jendela ini boleh ditutup. Silakan kembali ke program Anda."
	case "`FILE` with a private key of that client (PEM), for private_key_jwt":
		return "`BERKAS` kunci privat klien itu (PEM), untuk private_key_jwt"
	case "`ID` of a client that is registered with the server":
		return "`ID` klien yang terdaftar di server"
	case "`JSON` or @FILE to put into a registration":
		return "`JSON` atau @BERKAS untuk dimasukkan ke pendaftaran"
	case "`JSON` or @FILE with client_id and client_secret":
		return "`JSON` atau @BERKAS berisi client_id dan client_secret"
	case "`NAME` in the redirect URI: 127.0.0.1 or localhost":
		return "`NAMA` di URI pengalihan: 127.0.0.1 atau localhost"
	case "`PORT` of the redirect URI, if a certain one is registered":
		return "`PORT` URI pengalihan, bila terdaftar dengan port tertentu"
	case "`SCOPES` to ask for, instead of what the server suggests":
		return "`CAKUPAN` yang diminta, alih-alih yang disarankan server"
	case "`SECRET` of that client; BRIDGE_CLIENT_SECRET keeps it out of the arguments":
		return "`RAHASIA` klien itu; dengan BRIDGE_CLIENT_SECRET tidak tampak di argumen"
	case "`URI` to name as the resource (RFC 8707)":
		return "`URI` yang disebut sebagai sumber daya (RFC 8707)"
	case "`URL` of a client metadata document, used as the client id":
		return "`URL` dokumen metadata klien, dipakai sebagai id klien"
	case "`URL` of the authorization server, if the server names several":
		return "`URL` server otorisasi, bila server menyebut beberapa"
	case "`URL` to get tokens at with --client-credentials":
		return "`URL` tempat mengambil token dengan --client-credentials"
	case "`WHO` begins a sign-in: auto (the first refused request), tool (the host, by a tool) or never":
		return "`SIAPA` yang memulai proses masuk: auto (permintaan pertama yang ditolak), tool (klien, lewat alat), atau never"
	case "a client secret needs --client-id beside it":
		return "rahasia klien perlu disertai --client-id"
	case "a code was sent to %s; it is good for %d seconds":
		return "kode telah dikirim ke %s; berlaku %d detik"
	case "any":
		return "bebas"
	case "cannot read %q for %s: %s":
		return "%q untuk %s tidak dapat dibaca: %s"
	case "cannot read the key in %q: %s":
		return "kunci di %q tidak dapat dibaca: %s"
	case "end that program (`%s` names it), or choose another with --callback-port":
		return "akhiri program itu (`%s` menyebutkannya), atau pilih yang lain dengan --callback-port"
	case "if it takes a token: `bridge login %s --with-token`":
		return "bila server menerima token: `bridge login %s --with-token`"
	case "invalid value %q for --sign-in":
		return "nilai %q untuk --sign-in tidak sah"
	case "issuer:    ":
		return "penerbit:   "
	case "name no resource, as Entra ID wants it":
		return "jangan sebut sumber daya, seperti yang diminta Entra ID"
	case "open no browser; paste the address that it ended at":
		return "jangan buka peramban; tempelkan alamat akhirnya"
	case "there is no further code on stdin":
		return "tidak ada kode lain di stdin"
	case "run this again for a new code":
		return "jalankan lagi untuk mendapat kode baru"
	case "pipe it into stdin":
		return "alirkan ke stdin"
	case "put it into a file and give %s @FILE: shells take quotes away":
		return "tulis di sebuah berkas lalu beri %s @BERKAS: shell membuang tanda kutip"
	case "register a client there with the redirect URI http://127.0.0.1:8765/callback, then: `bridge login %s --client-id ID --callback-port 8765`":
		return "daftarkan klien di sana dengan URI pengalihan http://127.0.0.1:8765/callback, lalu: `bridge login %s --client-id ID --callback-port 8765`"
	case "renewed by itself":
		return "diperbarui sendiri"
	case "run `bridge login %s` to try again":
		return "jalankan `bridge login %s` untuk mencoba lagi"
	case "run the command again for a new code":
		return "jalankan perintah ini lagi untuk kode baru"
	case "scopes:    ":
		return "cakupan:    "
	case "sign in although the server does not say that it supports PKCE":
		return "tetap masuk walaupun server tidak menyatakan mendukung PKCE"
	case "sign in as the client itself, without a person":
		return "masuk sebagai klien itu sendiri, tanpa orang"
	case "sign in by a code sent to `ADDRESS`, where the server offers that":
		return "masuk dengan kode yang dikirim ke `ALAMAT`, bila server menyediakannya"
	case "sign in by a code that is typed on another machine":
		return "masuk dengan kode yang diketik di mesin lain"
	case "sign in to %s in the browser; if none appears, open %s":
		return "masuklah ke %s lewat peramban; bila tidak muncul, buka %s"
	case "signing in to %s failed: %s":
		return "gagal masuk ke %s: %s"
	case "tell whoever runs the server":
		return "beri tahu pengelola server"
	case "that address belongs to no sign-in that is waiting; paste the one that the browser ended at, all of it":
		return "alamat itu bukan milik proses masuk yang sedang menunggu; tempelkan alamat akhir di peramban, seluruhnya"
	case "the code is 8 digits":
		return "kodenya 8 angka"
	case "the key for %s is kept, but could not be tried":
		return "kunci untuk %s disimpan, tetapi belum dapat dicoba"
	case "the port %s is in use by another program":
		return "port %s sedang dipakai program lain"
	case "the server does not say":
		return "tidak disebut oleh server"
	case "the sign-in server of %s does not answer as it should: %s":
		return "server masuk milik %s tidak menjawab sebagaimana mestinya: %s"
	case "the sign-in server of %s takes registered clients only: %s":
		return "server masuk milik %s hanya menerima klien terdaftar: %s"
	case "the sign-in that %s offers was not followed: %s":
		return "cara masuk yang ditawarkan %s tidak diikuti: %s"
	case "the sign-in to %s was denied: %s":
		return "permintaan masuk ke %s ditolak: %s"
	case "the sign-in to %s was not finished in time":
		return "proses masuk ke %s tidak selesai pada waktunya"
	case "the value of %s is no JSON object":
		return "nilai %s bukan objek JSON"
	case "there is no terminal to ask for the code on":
		return "tidak ada terminal untuk menanyakan kode"
	case "this is not the code; try again":
		return "kode ini salah; coba lagi"
	case "to sign in to %s, open %s and enter the code %s":
		return "untuk masuk ke %s, buka %s lalu ketik kode %s"
	case "to sign in to %s, open this page":
		return "untuk masuk ke %s, buka halaman ini"
	case "to sign in to %s, open this page in any browser; then paste the address that the browser ended at, even if it shows an error, and press enter":
		return "untuk masuk ke %s, buka halaman ini di peramban mana pun; lalu tempelkan alamat akhir di peramban, walaupun tampak galat, dan tekan enter"
	case "try again in a while; what is stored is kept":
		return "coba lagi sebentar lagi; yang tersimpan tetap ada"
	case "unknown token_endpoint_auth_method in --static-oauth-client-info":
		return "token_endpoint_auth_method di --static-oauth-client-info tidak dikenal"
	case "until:     ":
		return "sampai:     "
	case "use auto, tool or never":
		return "gunakan auto, tool, atau never"
	case "wait a few minutes, then run the command again":
		return "tunggu beberapa menit, lalu jalankan perintah ini lagi"
	}
	return ""
}
