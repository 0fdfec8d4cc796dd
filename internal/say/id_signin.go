package say

// idSignIn is what bridge login, logout and status say, and what becomes of a
// credential while serve runs.
func idSignIn(en string) string {
	if s := idKeystore(en); s != "" {
		return s
	}
	switch en {
	case "%q takes one argument":
		return "%q hanya menerima satu argumen"
	case "%s answered with an error: %s":
		return "%s menjawab dengan galat: %s"
	case "%s answers without a sign-in (%d tools).":
		return "%s dapat dipakai tanpa masuk (%d alat)."
	case "%s did not take this token, so it was not kept":
		return "%s menolak token ini, jadi token tidak disimpan"
	case "%s does not allow this with the token it was given.":
		return "%s tidak mengizinkan ini dengan token yang diberikan."
	case "%s needs you to sign in":
		return "%s meminta Anda masuk"
	case "%s needs you to sign in: run `bridge login %s` in a terminal.":
		return "%s meminta Anda masuk: jalankan `bridge login %s` di terminal."
	case "%s refused the stored token; it may have been revoked. Run `bridge login %s` in a terminal.":
		return "%s menolak token yang tersimpan; mungkin sudah dicabut. Jalankan `bridge login %s` di terminal."
	case "%s refused the token from %s; it may have been revoked.":
		return "%s menolak token dari %s; mungkin sudah dicabut."
	case "%s refused the token":
		return "%s menolak token"
	case "%s still gets a token from %s":
		return "%s masih mendapat token dari %s"
	case "%s wants a workspace to be named: %s":
		return "%s meminta nama ruang kerja: %s"
	case "%s: no token was kept.":
		return "%s: tidak ada token yang tersimpan."
	case "%s: the token is forgotten here.":
		return "%s: token di sini sudah dihapus."
	case "--name is for a URL":
		return "--name hanya untuk URL"
	case "Forget the token of a server":
		return "Menghapus token sebuah server"
	case "It stays valid until you revoke it at the server.":
		return "Token itu tetap berlaku sampai Anda mencabutnya di server."
	case "It stays valid until you revoke it: %s":
		return "Token itu tetap berlaku sampai Anda mencabutnya: %s"
	case "No tokens are kept.":
		return "Tidak ada token yang tersimpan."
	case "Says where each token comes from and its last four characters. Nothing is sent to a server. With a name, the status is 4 when there is no token.":
		return "Menunjukkan asal tiap token dan empat karakter terakhirnya. Tidak ada yang dikirim ke server. Dengan nama, statusnya 4 bila tidak ada token."
	case "Show which servers you are signed in to":
		return "Menampilkan server tempat Anda sudah masuk"
	case "Sign in to a server and keep the token in the keychain":
		return "Masuk ke server dan menyimpan token di keychain"
	case "Signed in to %s (%d tools). The token is kept in %s.":
		return "Berhasil masuk ke %s (%d alat). Token disimpan di %s."
	case "The server did not take this token.":
		return "Server menolak token ini."
	case "The token for %s could not be read.":
		return "Token untuk %s tidak dapat dibaca."
	case "The token for %s could not be read: %s.":
		return "Token untuk %s tidak dapat dibaca: %s."
	case "The token is deleted here. It stays valid at the server until it is revoked there; logout says where.":
		return "Token di sini dihapus. Token itu tetap berlaku di server sampai dicabut di sana; logout memberi tahu tempatnya."
	case "The token is tried at the server before it is kept, and a wrong one is not kept. Then a desktop client needs nothing but `bridge serve NAME`.":
		return "Token dicoba dulu di server; yang salah tidak disimpan. Setelah itu klien desktop cukup menjalankan `bridge serve NAMA`."
	case "This account has several workspaces:":
		return "Akun ini mempunyai beberapa ruang kerja:"
	case "This server wants a token, and none is set in BRIDGE_TOKEN.":
		return "Server ini meminta token, dan BRIDGE_TOKEN belum diisi."
	case "This server wants to be signed in to.":
		return "Server ini meminta Anda masuk."
	case "Token for %s (not shown):":
		return "Token untuk %s (tidak ditampilkan):"
	case "Token for %s, from %s (not shown):":
		return "Token untuk %s, dari %s (tidak ditampilkan):"
	case "What helps: %s.":
		return "Yang dapat membantu: %s."
	case "Which one? Number or name:":
		return "Yang mana? Nomor atau nama:"
	case "Workspace: %s":
		return "Ruang kerja: %s"
	case "`bridge login URL` signs in and gives the server a name":
		return "`bridge login URL` untuk masuk dan memberi nama pada server"
	case "`bridge status` shows what is":
		return "`bridge status` menampilkan yang tersimpan"
	case "a token does not belong on the command line, where others can read it":
		return "token tidak boleh ditulis di baris perintah, karena dapat dibaca orang lain"
	case "address:   ":
		return "alamat:     "
	case "asking %s":
		return "menghubungi %s"
	case "call the server `NAME` from now on (for a URL)":
		return "namai server itu `NAMA` mulai sekarang (untuk URL)"
	case "choose another --name, or change it: `bridge servers set %s --url URL`":
		return "pilih --name lain, atau ubah: `bridge servers set %s --url URL`"
	case "entries are kept in":
		return "daftar server disimpan di"
	case "%s (not there)":
		return "%s (belum ada)"
	case "forget the tokens of all servers":
		return "hapus token semua server"
	case "it may be mistyped or revoked; make a new one in %s":
		return "mungkin salah ketik atau sudah dicabut; buat yang baru di %s"
	case "its tokens begin with %s; make one in %s":
		return "tokennya diawali %s; buat satu di %s"
	case "it may be mistyped, expired or revoked; run this again with a new one":
		return "mungkin salah ketik, kedaluwarsa, atau sudah dicabut; jalankan lagi dengan yang baru"
	case "run it again with --workspace NAME":
		return "jalankan lagi dengan --workspace NAMA"
	case "run it again with one of them, as in --workspace %s":
		return "jalankan lagi dengan salah satunya, misalnya --workspace %s"
	case "there is no number %d in the list":
		return "tidak ada nomor %d di daftar"
	case "there is no workspace %q, so nothing was kept; this account has %s":
		return "tidak ada ruang kerja %q, jadi tidak ada yang disimpan; akun ini punya %s"
	case "no reason given":
		return "tanpa alasan"
	case "no token":
		return "tidak ada token"
	case "no workspace was chosen, so nothing was kept":
		return "tidak ada ruang kerja yang dipilih, jadi tidak ada yang disimpan"
	case "no; run bridge login %s":
		return "belum; jalankan bridge login %s"
	case "not needed":
		return "tidak perlu"
	case "nothing is kept for %s":
		return "tidak ada yang tersimpan untuk %s"
	case "pipe it in: `bridge login %s --with-token < FILE`":
		return "alirkan lewat stdin: `bridge login %s --with-token < BERKAS`"
	case "read the token from stdin":
		return "baca token dari stdin"
	case "run `bridge login %s`":
		return "jalankan `bridge login %s`"
	case "show where each setting comes from":
		return "tampilkan asal tiap pengaturan"
	case "signed in: ":
		return "masuk:      "
	case "the answer":
		return "jawaban itu"
	case "the conversation with %s broke off":
		return "percakapan dengan %s terputus"
	case "the token is asked for; put quotes around a name with blanks in it":
		return "token akan ditanyakan; beri tanda kutip pada nama yang mengandung spasi"
	case "the workspace %q was not accepted, so nothing was kept: %s":
		return "ruang kerja %q ditolak, jadi tidak ada yang disimpan: %s"
	case "there is a server %q already, with another address":
		return "sudah ada server %q dengan alamat lain"
	case "there is no terminal to ask for the token on":
		return "tidak ada terminal untuk menanyakan token"
	case "this account has several workspaces: %s":
		return "akun ini mempunyai beberapa ruang kerja: %s"
	case "this is a token of %s, and it was not sent to %s":
		return "ini token milik %s, dan tidak dikirim ke %s"
	case "this one is called %s":
		return "yang ini bernama %s"
	case "type it when `bridge login NAME` asks, or pipe it into `bridge login NAME --with-token`":
		return "ketik saat ditanya `bridge login NAMA`, atau alirkan ke `bridge login NAMA --with-token`"
	case "unknown: %s":
		return "tidak diketahui: %s"
	case "workspace: ":
		return "ruang kerja:"
	case "yes, token from %s":
		return "sudah, token dari %s"
	case "yes, token …%s from %s":
		return "sudah, token …%s dari %s"
	case "you are not signed in to %s":
		return "Anda belum masuk ke %s"
	}
	return ""
}

// idKeystore is what is said of the places that tokens come from.
func idKeystore(en string) string {
	switch en {
	case "%s does not work":
		return "%s tidak berfungsi"
	case "another process may hold it; try again":
		return "mungkin proses lain sedang memakainya; coba lagi"
	case "%s does not open the sealed file":
		return "%s tidak membuka berkas tersegel"
	case "it was sealed with another passphrase or key; give that one":
		return "berkas itu disegel dengan frasa sandi atau kunci lain; berikan yang itu"
	case "NAME | --all":
		return "NAMA | --all"
	case "the settings of the Nibomo app":
		return "pengaturan aplikasi Nibomo"
	case "%s is locked":
		return "%s terkunci"
	case "%s did not answer in time":
		return "%s tidak menjawab pada waktunya"
	case "BRIDGE_KEYSTORE is %q":
		return "BRIDGE_KEYSTORE berisi %q"
	case "a window may be waiting for you on the desktop; on a machine without one, set BRIDGE_KEYSTORE=file":
		return "mungkin ada jendela yang menunggu Anda di desktop; tanpa desktop, isi BRIDGE_KEYSTORE=file"
	case "the sealed file needs a key, and none could be read":
		return "berkas tersegel memerlukan kunci, dan tidak ada yang terbaca"
	case "name a file for it in BRIDGE_KEY_FILE, which is made if it is not there, or one with a passphrase in BRIDGE_PASSPHRASE_FILE":
		return "sebut berkas kuncinya di BRIDGE_KEY_FILE, yang dibuat bila belum ada, atau berkas berisi frasa sandi di BRIDGE_PASSPHRASE_FILE"
	case "give its whole path: a desktop client has another PATH than your shell":
		return "tulis path lengkapnya: PATH klien desktop berbeda dari shell Anda"
	case "it can be keychain, file or memory":
		return "isinya bisa keychain, file, atau memory"
	case "memory":
		return "memori"
	case "no keychain is available here, as is usual over SSH and in containers":
		return "tidak ada keychain di sini, seperti lazimnya lewat SSH dan di dalam kontainer"
	case "nowhere":
		return "tidak ada"
	case "run the token_command of config.toml in a terminal to see why":
		return "jalankan token_command dari config.toml di terminal untuk melihat sebabnya"
	case "see that you may read and write the folder of BRIDGE_HOME":
		return "pastikan folder BRIDGE_HOME dapat Anda baca dan tulis"
	case "set BRIDGE_KEYSTORE=file and BRIDGE_KEY_FILE=FILE for a sealed file and its key, or give the token in BRIDGE_TOKEN_FILE":
		return "isi BRIDGE_KEYSTORE=file dan BRIDGE_KEY_FILE=BERKAS untuk berkas tersegel dan kuncinya, atau berikan token lewat BRIDGE_TOKEN_FILE"
	case "it may be mistyped, expired or revoked; `bridge login %s --name NAME` keeps a new one":
		return "mungkin salah ketik, kedaluwarsa, atau sudah dicabut; `bridge login %s --name NAMA` menyimpan yang baru"
	case "run `bridge login %s --name NAME`, or give a token in BRIDGE_TOKEN":
		return "jalankan `bridge login %s --name NAMA`, atau berikan token lewat BRIDGE_TOKEN"
	case "sign in again: `bridge login %s`":
		return "masuk lagi: `bridge login %s`"
	case "the command %s":
		return "perintah %s"
	case "the file %s":
		return "berkas %s"
	case "the keychain":
		return "keychain"
	case "the sealed file":
		return "berkas tersegel"
	case "the token of %s could not be deleted: %s":
		return "token %s tidak dapat dihapus: %s"
	case "the token_command %q could not be run":
		return "token_command %q tidak dapat dijalankan"
	case "the token_command %q failed with status %d":
		return "token_command %q gagal dengan status %d"
	case "the token_command %q is not to be found":
		return "token_command %q tidak ditemukan"
	case "the token_command %q printed more than a token":
		return "token_command %q mencetak lebih dari sebuah token"
	case "the token_command %q took longer than %s":
		return "token_command %q berjalan lebih lama dari %s"
	case "the variable %s":
		return "variabel %s"
	case "this is too large to be a token":
		return "ini terlalu besar untuk sebuah token"
	case "unlock it on the desktop and try again; on a machine without one, set BRIDGE_KEYSTORE=file":
		return "buka kuncinya di desktop lalu coba lagi; tanpa desktop, isi BRIDGE_KEYSTORE=file"
	case "the sealed file is damaged":
		return "berkas tersegel rusak"
	case "put a backup of secrets.age.json in its place, or move it away and sign in again":
		return "kembalikan secrets.age.json dari cadangan, atau pindahkan berkas itu lalu masuk lagi"
	case "what %s holds cannot be read any more":
		return "isi %s tidak dapat dibaca lagi"
	case "what %s holds for %s cannot be read any more":
		return "isi %s untuk %s tidak dapat dibaca lagi"
	}
	return ""
}
