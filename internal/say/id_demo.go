package say

// idDemo is what bridge demo says.
func idDemo(en string) string {
	switch en {
	case "Watch a conversation, without account or network":
		return "Memperagakan satu percakapan, tanpa akun dan tanpa jaringan"
	case "Starts a small server on this machine, puts bridge before it and plays the part of a desktop client: handshake, list of tools, two calls.":
		return "Menjalankan server kecil di komputer ini, memasang bridge di depannya, lalu berperan sebagai klien desktop: jabat tangan, daftar alat, dua panggilan."
	case "cannot listen on 127.0.0.1: %s":
		return "tidak bisa membuka port di 127.0.0.1: %s"
	case "the demo server did not answer as expected: %s":
		return "server demo tidak menjawab seperti yang diharapkan: %s"
	case "I am a client and speak %s":
		return "Saya klien dan memakai %s"
	case "I am %s %s and speak %s":
		return "Saya %s %s dan memakai %s"
	case "%d tools: %s":
		return "%d alat: %s"
	case "A small server is listening on this machine. bridge stands between it and a client, as it does for a desktop app:":
		return "Sebuah server kecil berjalan di komputer ini. bridge berdiri di antara server itu dan klien, seperti untuk aplikasi desktop:"
	case "client":
		return "klien"
	case "%d requests answered in %.1f ms. The client closed stdin; bridge had closed its session and ended %.1f ms later.":
		return "%d permintaan terjawab dalam %.1f ms. Klien menutup stdin; bridge menutup sesinya dan selesai %.1f ms kemudian."
	case "With a server of yours:":
		return "Dengan server Anda sendiri:"
	}
	return ""
}
