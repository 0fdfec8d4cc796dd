package say

// idDoctor is bridge doctor: the machine and the clients.
func idDoctor(en string) string {
	switch en {
	case "Find out what is wrong, and how to mend it":
		return "Mencari tahu apa yang salah, dan cara memperbaikinya"
	case "[NAME | URL]":
		return "[NAMA | URL]"
	case "Checks the program, its files and the keychain, then each server, or the one named, from its name to its tools, then the AI clients' configs. Each check has a line, and what is wrong the command that mends it.\nThe status is that of the first thing that failed: 3 a server cannot be reached, 4 sign-in, 1 anything else. Warnings change nothing.":
		return "Memeriksa program, berkasnya, dan keychain, lalu tiap server, atau yang disebut, dari namanya sampai alatnya, lalu konfigurasi klien AI. Tiap pemeriksaan satu baris, dan yang salah disertai perintah yang memperbaikinya.\nStatusnya adalah status hal pertama yang gagal: 3 server tidak terjangkau, 4 masuk, 1 yang lain. Peringatan tidak mengubah apa-apa."
	case "mend what can be mended safely: the permissions of bridge's own files, a sign-in that has run out":
		return "perbaiki yang aman diperbaiki: izin berkas milik bridge sendiri, sesi masuk yang habis masa berlakunya"
	case "write a report without secrets to `FILE`":
		return "tulis laporan tanpa rahasia ke `BERKAS`"
	case "AI clients":
		return "Klien AI"
	case "%d of %d checks failed":
		return "%d dari %d pemeriksaan gagal"
	case "report written to %s; read it before you send it":
		return "laporan ditulis ke %s; bacalah sebelum Anda kirim"
	case "look for a missing comma or bracket in it":
		return "cari koma atau kurung yang hilang di dalamnya"
	case "%q still starts mcp-remote":
		return "%q masih menjalankan mcp-remote"
	case "clients":
		return "klien"
	case "%q starts %q, which is not in PATH":
		return "%q menjalankan %q, yang tidak ada di PATH"
	case "%q starts %q without its path; a desktop app may have another PATH":
		return "%q menjalankan %q tanpa lokasi; aplikasi desktop bisa punya PATH lain"
	case "%q starts %s, which does not exist":
		return "%q menjalankan %s, yang tidak ada"
	case "%q starts %s, which is no program":
		return "%q menjalankan %s, yang bukan program"
	case "%q starts %s":
		return "%q menjalankan %s"
	case "no tokens left behind":
		return "tidak ada token yang tertinggal"
	case "%s holds sign-ins in clear text: %d":
		return "%s menyimpan sesi masuk tanpa enkripsi: %d"
	case "when no client starts mcp-remote any more, delete that folder":
		return "bila tidak ada klien lagi yang menjalankan mcp-remote, hapus folder itu"
	case "This machine":
		return "Komputer ini"
	case "program":
		return "program"
	case "its own path cannot be found: %s":
		return "lokasinya sendiri tidak ditemukan: %s"
	case "%s is in quarantine: macOS will not let a client start it":
		return "%s dikarantina: macOS tidak akan membiarkan klien menjalankannya"
	case "run `xattr -d com.apple.quarantine %s`":
		return "jalankan `xattr -d com.apple.quarantine %s`"
	case "%s is in %s, and may be gone tomorrow; a client's config needs a path that stays":
		return "%s ada di %s, dan besok bisa hilang; konfigurasi klien perlu lokasi yang tetap"
	case "move it into a folder of PATH, such as %s":
		return "pindahkan ke folder di PATH, misalnya %s"
	case "%s, which is not in PATH":
		return "%s, yang tidak ada di PATH"
	case "add %s to PATH, to type `bridge` anywhere":
		return "tambahkan %s ke PATH, agar `bridge` bisa diketik di mana saja"
	case "%s, but `bridge` in PATH is another program: %s":
		return "%s, tetapi `bridge` di PATH adalah program lain: %s"
	case "put %s before it in PATH, or type the whole path":
		return "letakkan %s di depannya di PATH, atau ketik lokasi lengkapnya"
	case "%s, in PATH":
		return "%s, di PATH"
	case "the build cache of Go":
		return "tembolok build Go"
	case "a folder for temporary files":
		return "folder berkas sementara"
	case "the downloads folder":
		return "folder unduhan"
	case "config":
		return "konfigurasi"
	case "%s is not there yet, which is no fault":
		return "%s belum ada, dan itu bukan kesalahan"
	case "%s was open to other users, and is private now":
		return "%s tadinya terbuka bagi pengguna lain, dan kini pribadi"
	case "other users of this machine may read %s":
		return "pengguna lain di komputer ini bisa membaca %s"
	case "run `chmod %o %s`, or `bridge doctor --fix`":
		return "jalankan `chmod %o %s`, atau `bridge doctor --fix`"
	case "%s; servers: %d":
		return "%s; server: %d"
	case "keychain":
		return "keychain"
	case "%s answers in %d ms; sign-ins kept: %d":
		return "%s menjawab dalam %d ms; sesi masuk tersimpan: %d"
	case "none starts bridge yet; `bridge clients install` puts it into their configs":
		return "belum ada yang menjalankan bridge; `bridge clients install` memasukkannya ke konfigurasinya"
	case "run `bridge clients repair`":
		return "jalankan `bridge clients repair`"
	case "run `bridge clients migrate --dry-run`":
		return "jalankan `bridge clients migrate --dry-run`"
	case "%q starts bridge without the %s that is set here, and so with other servers or tokens":
		return "%q menjalankan bridge tanpa %s yang diisi di sini, jadi dengan server atau token lain"
	case "run `%s` to put it into the entry":
		return "jalankan `%s` untuk memasukkannya ke entri"
	}
	return ""
}
