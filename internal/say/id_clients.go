package say

// idClients is what bridge clients says.
func idClients(en string) string {
	switch en {
	case "do not ask; this command never does":
		return "jangan bertanya; perintah ini memang tidak pernah bertanya"
	case "%s belongs to another user, so it was not touched":
		return "%s milik pengguna lain, jadi tidak disentuh"
	case "%s cannot be read: %s":
		return "%s tidak dapat dibaca: %s"
	case "%s did not take the token of %q in %s, and nothing was changed":
		return "%s menolak token %q di %s, dan tidak ada yang diubah"
	case "%s does not hold what was just written; another program writes it too":
		return "%s tidak memuat yang baru saja ditulis; program lain juga menulisnya"
	case "%s failed: %s":
		return "%s gagal: %s"
	case "%s has comments or trailing commas, which %s does not understand; they are left as they are":
		return "%s memuat komentar atau koma penutup, yang tidak dipahami %s; semuanya dibiarkan"
	case "%s has it already.":
		return "%s sudah memuatnya."
	case "%s has no entry %q":
		return "%s tidak memiliki entri %q"
	case "%s is a link":
		return "%s adalah tautan"
	case "%s is left out of the entry, because its value is neither a path nor a choice that bridge knows":
		return "%s tidak dimasukkan ke entri, karena nilainya bukan letak dan bukan pilihan yang dikenal bridge"
	case "%s is marked read-only, so it was not touched":
		return "%s ditandai hanya-baca, jadi tidak disentuh"
	case "%s is not a file":
		return "%s bukan berkas"
	case "%s is not on this machine: there is no %s":
		return "%s tidak ada di komputer ini: tidak ada %s"
	case "%s is not what mcp-remote writes":
		return "isi %s bukan tulisan mcp-remote"
	case "%s is running, and would undo the change when it writes its file":
		return "%s sedang berjalan, dan akan menghapus perubahan ketika menulis berkasnya"
	case "%s is too large to be a configuration file":
		return "%s terlalu besar untuk berkas konfigurasi"
	case "%s may be written by every user of this machine":
		return "%s boleh ditulis semua pengguna komputer ini"
	case "%s may not be read or written by this user":
		return "%s tidak boleh dibaca atau ditulis oleh pengguna ini"
	case "%s no longer starts %s.":
		return "%s tidak lagi menjalankan %s."
	case "%s reads %s":
		return "%s membaca %s"
	case "%s starts %s from now on. Quit and start it again to see the tools.":
		return "%s kini menjalankan %s. Tutup lalu buka lagi untuk melihat alat-alatnya."
	case "%s was changed by another program, and nothing was written":
		return "%s diubah program lain, dan tidak ada yang ditulis"
	case "%s: %q is no table of servers, so the file was not touched":
		return "%s: %q bukan daftar server, jadi berkas tidak disentuh"
	case "%s: %s becomes `bridge serve %s`":
		return "%s: %s menjadi `bridge serve %s`"
	case "%s: %s stays as it is: %s":
		return "%s: %s dibiarkan: %s"
	case "%s: a key stands twice, so the file was not touched":
		return "%s: ada kunci yang tertulis dua kali, jadi berkas tidak disentuh"
	case "%s: the entry %q is not one that bridge made":
		return "%s: entri %q bukan buatan bridge"
	case "%s: the entry %q is written in a form that bridge does not edit":
		return "%s: entri %q ditulis dalam bentuk yang tidak disunting bridge"
	case "%s: the entry %q was changed since bridge wrote it":
		return "%s: entri %q sudah diubah sejak ditulis bridge"
	case "%s: there is no entry %q":
		return "%s: tidak ada entri %q"
	case "%s: this is not what a configuration file looks like, so it was not touched":
		return "%s: bentuknya bukan berkas konfigurasi, jadi tidak disentuh"
	case "(there is no %s any more: `bridge clients repair`)":
		return "(%s sudah tidak ada: `bridge clients repair`)"
	case "(turned off)":
		return "(dimatikan)"
	case "--as is for one server":
		return "--as hanya untuk satu server"
	case "--force removes it all the same":
		return "--force tetap menghapusnya"
	case "An entry holds the path of bridge and the name of a server, never a token, and so it stays right when the sign-in changes. Every change is shown; the file as it was is kept beside it.":
		return "Sebuah entri memuat letak bridge dan nama server, tidak pernah token, sehingga tetap benar ketika cara masuk berubah. Setiap perubahan ditampilkan; berkas semula disimpan di sebelahnya."
	case "CLIENT NAME":
		return "KLIEN NAMA"
	case "CLIENT SERVER…":
		return "KLIEN SERVER…"
	case "Entries of bridge get the path it has now. Entries that bridge wrote and that are gone are put back: Claude Desktop is known to drop some when it writes its file.":
		return "Entri bridge diberi letaknya yang sekarang. Entri tulisan bridge yang hilang dikembalikan: Claude Desktop diketahui membuang sebagian ketika menulis berkasnya."
	case "Finds entries that start mcp-remote, however they do it, and entries with an Authorization header in clear text. Each token is tried at its server and kept in the keychain, and the entry becomes `bridge serve NAME`. A sign-in in the browser that mcp-remote keeps below ~/.mcp-auth is carried over too, once. All of it is shown first; if one step fails, nothing is changed.":
		return "Mencari entri yang menjalankan mcp-remote, bagaimana pun caranya, dan entri dengan header Authorization yang terbaca. Setiap token dicoba di servernya lalu disimpan di keychain, dan entrinya menjadi `bridge serve NAMA`. Sesi masuk lewat peramban yang disimpan mcp-remote di bawah ~/.mcp-auth juga ikut pindah, satu kali. Semuanya ditampilkan dahulu; jika satu langkah gagal, tidak ada yang diubah."
	case "List the AI clients on this machine and what they start":
		return "Menampilkan klien AI di komputer ini dan yang dijalankannya"
	case "Move entries of mcp-remote over to bridge, and their tokens to the keychain":
		return "Memindahkan entri mcp-remote ke bridge, dan tokennya ke keychain"
	case "Move these over (%d)?":
		return "Pindahkan semua ini (%d)?"
	case "Moved over: %d. Quit the clients and start them again.":
		return "Dipindahkan: %d. Tutup klien-kliennya lalu buka lagi."
	case "No AI client that bridge knows is on this machine.":
		return "Tidak ada klien AI yang dikenal bridge di komputer ini."
	case "Nothing to repair.":
		return "Tidak ada yang perlu dibetulkan."
	case "Nothing was changed (--dry-run).":
		return "Tidak ada yang diubah (--dry-run)."
	case "Nothing was changed (--dry-run). To do it: %s":
		return "Tidak ada yang diubah (--dry-run). Untuk melakukannya: %s"
	case "Only entries that bridge wrote are taken out, and only if nobody has changed them since. The sign-in stays; `bridge logout` ends it.":
		return "Yang dicabut hanya entri tulisan bridge yang belum diubah siapa pun. Token tetap tersimpan; `bridge logout` menghapusnya."
	case "Other clients: `bridge clients list` names those that are here; any other starts %s":
		return "Klien lain: `bridge clients list` menyebut yang ada di sini; selain itu jalankan %s"
	case "Print the entry of a server, to be pasted":
		return "Mencetak entri sebuah server untuk ditempel"
	case "Put a server into a client's configuration":
		return "Memasang server ke konfigurasi sebuah klien"
	case "Put entries right that point to another bridge, or that a client has lost":
		return "Membetulkan entri yang menunjuk bridge lain atau yang hilang dari klien"
	case "Put it into your AI client: bridge clients install claude-desktop %s":
		return "Pasang ke klien AI: bridge clients install claude-desktop %s"
	case "Put servers into the configuration of AI clients":
		return "Memasang server ke konfigurasi klien AI"
	case "Repaired: %s":
		return "Dibetulkan: %s"
	case "Shown are entries that start bridge or mcp-remote, or that connect with a token of their own.":
		return "Yang ditampilkan adalah entri yang menjalankan bridge atau mcp-remote, atau tersambung dengan tokennya sendiri."
	case "Sign in: bridge login %s":
		return "Masuk: bridge login %s"
	case "Take a server out of a client's configuration":
		return "Mencabut server dari konfigurasi sebuah klien"
	case "The file as it was: %s":
		return "Berkas semula: %s"
	case "There is nothing to move over.":
		return "Tidak ada yang perlu dipindahkan."
	case "Without a client it is in the form that most clients read. The text goes to stdout, the place for it to stderr.":
		return "Tanpa nama klien, bentuknya yang dibaca kebanyakan klien. Teksnya ke stdout, tempatnya ke stderr."
	case "You stay signed in to %s: the sign-in that mcp-remote kept is in %s now.":
		return "Anda tetap masuk ke %s: sesi masuk yang disimpan mcp-remote kini ada di %s."
	case "[CLIENT] SERVER":
		return "[KLIEN] SERVER"
	case "[CLIENT…]":
		return "[KLIEN…]"
	case "`bridge clients list` shows what there is":
		return "`bridge clients list` menampilkan yang ada"
	case "`bridge clients migrate` takes over entries of mcp-remote; --force does it anyway":
		return "`bridge clients migrate` mengambil alih entri mcp-remote; --force memaksanya"
	case "`bridge clients print %s %s` shows what to paste; --force makes the file":
		return "`bridge clients print %s %s` menampilkan yang perlu ditempel; --force membuat berkasnya"
	case "as in `%s`; `bridge clients list` shows what there is":
		return "misalnya `%s`; `bridge clients list` menampilkan yang ada"
	case "as in `%s`; `bridge servers list` shows the names":
		return "misalnya `%s`; `bridge servers list` menampilkan nama-namanya"
	case "as in `%s`; clients on this machine: %s":
		return "misalnya `%s`; klien di komputer ini: %s"
	case "as you said":
		return "sesuai permintaan"
	case "call the entry `NAME` instead of the server's name":
		return "namai entri `NAMA`, bukan dengan nama server"
	case "change it by hand; `bridge clients print` shows what belongs there":
		return "ubah sendiri; `bridge clients print` menampilkan isinya yang benar"
	case "clients will start %s, and %s; install bridge first, then run this again":
		return "klien akan menjalankan %s, padahal %s; pasang bridge dahulu, lalu jalankan ini lagi"
	case "connects with a token in this file":
		return "tersambung dengan token di berkas ini"
	case "do it though the client runs":
		return "tetap lakukan walau klien berjalan"
	case "do not ask":
		return "jangan bertanya"
	case "if the change is wanted, make the file writable":
		return "kalau perubahan memang diinginkan, izinkan berkasnya ditulis"
	case "it has ended":
		return "masa berlakunya sudah habis"
	case "it is in Go's build cache, which is emptied":
		return "itu di cache kompilasi Go, yang akan dikosongkan"
	case "it is in a folder for temporary files, which is emptied":
		return "itu di folder sementara, yang akan dikosongkan"
	case "it is in a folder of one version, which an upgrade removes":
		return "itu di folder satu versi, yang dihapus saat pemutakhiran"
	case "it is in the cache of npx, which is emptied":
		return "itu di cache npx, yang akan dikosongkan"
	case "it is in the downloads folder, where it may be tidied away":
		return "itu di folder unduhan, yang bisa saja dibersihkan"
	case "it is started in a container, on another machine or by a shell":
		return "dijalankan di kontainer, di mesin lain, atau oleh shell"
	case "it is written in a form that bridge does not edit":
		return "ditulis dalam bentuk yang tidak disunting bridge"
	case "it needs %s, which is not set here":
		return "memerlukan %s, yang tidak diisi di sini"
	case "it sends a secret in a header of its own, and bridge keeps bearer tokens":
		return "rahasianya dikirim di header tersendiri, sedangkan bridge menyimpan token bearer"
	case "it signs in by %s, and bridge keeps bearer tokens":
		return "masuknya dengan %s, sedangkan bridge menyimpan token bearer"
	case "its Authorization header":
		return "header Authorization-nya"
	case "its arguments are no server":
		return "argumennya bukan server"
	case "leave it out with --skip %s, or put a valid token there first":
		return "lewati dengan --skip %s, atau isi dahulu token yang berlaku"
	case "leave the entry of this `NAME` as it is (repeatable)":
		return "biarkan entri dengan `NAMA` ini (boleh berulang)"
	case "look at it with --dry-run, then do it with --yes":
		return "lihat dahulu dengan --dry-run, lalu lakukan dengan --yes"
	case "mcp-remote's own copy of the sign-in to %s is worth nothing any more as soon as bridge renews it":
		return "salinan sesi masuk ke %s milik mcp-remote tidak berlaku lagi begitu bridge memperbaruinya"
	case "mcp-remote, in a container or a script":
		return "mcp-remote, di dalam kontainer atau skrip"
	case "mend the line, or move the file away so that the client makes a new one":
		return "perbaiki baris itu, atau pindahkan berkasnya agar klien membuat yang baru"
	case "name a client and a server":
		return "sebutkan sebuah klien dan sebuah server"
	case "name a client before %q":
		return "sebutkan sebuah klien sebelum %q"
	case "name a server":
		return "sebutkan sebuah server"
	case "name a server after %q":
		return "sebutkan sebuah server setelah %q"
	case "none, of %s":
		return "tidak ada, dari %s"
	case "not kept: %s":
		return "tidak ikut: %s"
	case "put a server into one of them: `bridge clients install %s pacecraft`":
		return "pasang server ke salah satunya: `bridge clients install %s pacecraft`"
	case "quit it fully (from the menu bar or the tray, not by closing the window) and try again, or add --force":
		return "keluar sepenuhnya (dari bilah menu atau baki sistem, bukan menutup jendela) lalu coba lagi, atau tambahkan --force"
	case "quit the client and try again":
		return "keluar dari klien itu lalu coba lagi"
	case "remove it though it is not ours or was changed, or though the client runs":
		return "tetap hapus walau bukan buatan bridge, sudah diubah, atau klien berjalan"
	case "remove the one that is not meant":
		return "hapus yang tidak dimaksud"
	case "replace another entry of the name; do it though the client runs or is not found":
		return "ganti entri lain bernama sama; tetap lakukan walau klien berjalan atau tidak ditemukan"
	case "run it yourself: %s":
		return "jalankan sendiri: %s"
	case "say which: %s":
		return "sebutkan yang mana: %s"
	case "show what would change and change nothing":
		return "tampilkan yang akan berubah tanpa mengubah apa pun"
	case "somebody has signed in meanwhile":
		return "sementara itu sudah ada yang masuk"
	case "the OAuth flags, which belong to `bridge login` now":
		return "flag OAuth, yang kini milik `bridge login`"
	case "the client comes first, then the server":
		return "klien disebut lebih dahulu, lalu server"
	case "the files as they were still hold the tokens; delete them when everything works: rm %s":
		return "berkas semula masih memuat token; hapus setelah semuanya berjalan: rm %s"
	case "the files of mcp-remote were left as they are and hold tokens in clear text; delete them when everything works: rm %s":
		return "berkas mcp-remote dibiarkan apa adanya dan memuat token tanpa enkripsi; hapus setelah semuanya berjalan: rm %s"
	case "the passphrase in BRIDGE_PASSPHRASE is not written into a client's file, and without it the client's bridge cannot open the sealed file; put it into a file that only you can read, name that in BRIDGE_PASSPHRASE_FILE, and run this again":
		return "frasa sandi di BRIDGE_PASSPHRASE tidak ditulis ke berkas klien, dan tanpanya bridge milik klien tidak dapat membuka berkas tersegel; simpan di berkas yang hanya dapat Anda baca, sebut berkas itu di BRIDGE_PASSPHRASE_FILE, lalu jalankan ini lagi"
	case "the path of this program cannot be found out: %s":
		return "letak program ini tidak dapat diketahui: %s"
	case "the server wants none":
		return "servernya tidak memintanya"
	case "the sign-in server does not renew it":
		return "server masuknya tidak memperbaruinya"
	case "the sign-in that mcp-remote keeps goes to %s, if the server still takes it; mcp-remote cannot use it any more then":
		return "sesi masuk yang disimpan mcp-remote pindah ke %s, jika server masih menerimanya; sesudah itu mcp-remote tidak dapat memakainya lagi"
	case "the sign-in that mcp-remote keeps is left behind: %s":
		return "sesi masuk yang disimpan mcp-remote ditinggalkan: %s"
	case "the sign-in to %s had to be renewed, so that mcp-remote's own copy of it is worth nothing any more":
		return "sesi masuk ke %s perlu diperbarui, sehingga salinan milik mcp-remote tidak berlaku lagi"
	case "the sign-in to %s stays in %s: it had to be renewed, and mcp-remote's copy is worth nothing any more":
		return "sesi masuk ke %s tetap di %s: sesi itu perlu diperbarui, dan salinan milik mcp-remote tidak berlaku lagi"
	case "the sign-in to %s that mcp-remote keeps was not carried over: %s":
		return "sesi masuk ke %s yang disimpan mcp-remote tidak ikut pindah: %s"
	case "the token in %s is not written into a client's file, and the client's bridge does not see it; keep it with `bridge login %s --with-token`, or name a file with it in BRIDGE_TOKEN_FILE":
		return "token di %s tidak ditulis ke berkas klien, dan bridge milik klien tidak melihatnya; simpan dengan `bridge login %s --with-token`, atau sebut berkas berisi token itu di BRIDGE_TOKEN_FILE"
	case "the token …%s goes to %s":
		return "token …%s masuk ke %s"
	case "there are %s; for others: `bridge clients print NAME`":
		return "yang ada %s; untuk yang lain: `bridge clients print NAMA`"
	case "there are two clients of that name":
		return "ada dua klien dengan nama itu"
	case "there is a secret in its address, which bridge does not keep there":
		return "ada rahasia di alamatnya, yang tidak disimpan bridge di sana"
	case "there is no client %q":
		return "tidak ada klien %q"
	case "there is no terminal to ask on, and nothing was changed":
		return "tidak ada terminal untuk bertanya, dan tidak ada yang diubah"
	case "what can be moved over is shown by `bridge clients migrate --dry-run`":
		return "yang dapat dipindahkan ditampilkan oleh `bridge clients migrate --dry-run`"
	case "what stays can be moved by hand: `bridge login URL --name NAME`, then `bridge clients install CLIENT NAME --as ENTRY --force`":
		return "yang dibiarkan dapat dipindahkan sendiri: `bridge login URL --name NAMA`, lalu `bridge clients install KLIEN NAMA --as ENTRI --force`"
	case "what was kept could not all be taken back: %s":
		return "yang telanjur disimpan tidak semua dapat ditarik: %s"
	case "you are not signed in to %s yet: `bridge login %s`":
		return "Anda belum masuk ke %s: `bridge login %s`"
	}
	return ""
}
