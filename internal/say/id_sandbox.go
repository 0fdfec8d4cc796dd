package say

// idSandbox is what bridge sandbox says.
func idSandbox(en string) string {
	switch en {
	case "Run both services on this machine, with sample data":
		return "Menjalankan kedua layanan di komputer ini, dengan data contoh"
	case "Starts PaceCraft and Nibomo, with its authorization server, on loopback. Nothing leaves this machine and no account is needed. What the services are told they keep: in memory, or in a file with --data.":
		return "Menjalankan PaceCraft dan Nibomo, beserta server otorisasinya, di loopback. Tidak ada yang keluar dari komputer ini dan tidak perlu akun. Yang ditulis ke layanan akan disimpan: di memori, atau di berkas dengan --data."
	case "listen on `ADDRESS`, loopback only; with a port, the four after it are taken too":
		return "buka di `ALAMAT`, hanya loopback; jika ada port, empat port sesudahnya ikut dipakai"
	case "keep everything in `FILE`":
		return "simpan semuanya di `BERKAS`"
	case "let something go wrong: `KIND[=VALUE]`[,on=WHERE][,method=METHOD][,times=N|always][,after=N]":
		return "buat sesuatu gagal: `JENIS[=NILAI]`[,on=TEMPAT][,method=METODE][,times=N|always][,after=N]"
	case "limit Nibomo to 20 requests a second, as its gateway does":
		return "batasi Nibomo 20 permintaan per detik, seperti gateway-nya"
	case "let access tokens of Nibomo live for `DURATION`":
		return "masa berlaku token akses Nibomo: `DURASI`"
	case "kinds: %s":
		return "jenis: %s"
	case "the sandbox listens on this machine only, not on %q":
		return "sandbox hanya bisa dibuka di komputer ini, bukan di %q"
	case "leave --addr out, or give 127.0.0.1 and a port: `bridge sandbox --addr 127.0.0.1:7700`":
		return "hilangkan --addr, atau pakai 127.0.0.1 dengan port: `bridge sandbox --addr 127.0.0.1:7700`"
	case "another program listens on %q, or on one of the four ports after it":
		return "program lain sudah memakai %q, atau salah satu dari empat port sesudahnya"
	case "end it (perhaps an earlier sandbox), or leave --addr out for ports that are free":
		return "akhiri program itu (mungkin sandbox sebelumnya), atau hapus --addr agar dipilih port yang bebas"
	case "the sandbox cannot start: %s":
		return "sandbox tidak bisa dijalankan: %s"
	case "the sandbox did not close its data: %s":
		return "sandbox gagal menutup datanya: %s"
	case "the code for %s is %s":
		return "kode untuk %s adalah %s"
	case "The sandbox is running on this machine. All in it is sample data.":
		return "Sandbox berjalan di komputer ini. Semua isinya data contoh."
	case "token":
		return "token"
	case "workspaces":
		return "ruang kerja"
	case "key":
		return "kunci"
	case "sign-in":
		return "masuk"
	case "%s with the code %s; codes for other addresses appear here":
		return "%s dengan kode %s; kode untuk alamat lain muncul di sini"
	case "Faults":
		return "Gangguan"
	case "In another terminal:":
		return "Di terminal lain:"
	case "Ctrl-C ends it.":
		return "Ctrl-C untuk mengakhiri."
	case "%q is no data of the sandbox, and was left as it is":
		return "%q bukan data sandbox, dan dibiarkan apa adanya"
	case "give another file to --data, or leave it out: then all of it is gone when the sandbox ends":
		return "beri berkas lain pada --data, atau hilangkan: maka semuanya lenyap ketika sandbox berakhir"
	case "there is no room for %q: the disk is full, or your quota is used up":
		return "tidak ada tempat untuk %q: disk penuh, atau kuota Anda habis"
	case "make room, give a file on another disk to --data, or leave it out: then all of it is gone when the sandbox ends":
		return "kosongkan sebagian disk, beri berkas di disk lain pada --data, atau hilangkan: maka semuanya lenyap ketika sandbox berakhir"
	case "make the folder first":
		return "buat foldernya dahulu"
	case "%q may not be read or written by this user":
		return "%q tidak boleh dibaca atau ditulis oleh pengguna ini"
	}
	return ""
}
