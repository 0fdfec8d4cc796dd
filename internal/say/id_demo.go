package say

// idDemo is what bridge demo says.
func idDemo(en string) string {
	switch en {
	case "Watch a conversation, without account or network":
		return "Memperagakan satu percakapan, tanpa akun dan tanpa jaringan"
	case "Starts the sandbox on this machine, puts bridge before its two services and plays the part of a desktop client: handshake, list of tools, two calls each.":
		return "Menjalankan sandbox di komputer ini, memasang bridge di depan kedua layanannya, lalu berperan sebagai klien desktop: jabat tangan, daftar alat, dan masing-masing dua panggilan."
	case "the sandbox did not answer as expected: %s":
		return "sandbox tidak menjawab seperti yang diharapkan: %s"
	case "I am a client and speak %s":
		return "Saya klien dan memakai %s"
	case "I am %s %s and speak %s":
		return "Saya %s %s dan memakai %s"
	case "%d tools: %s":
		return "%d alat: %s"
	case "A sandbox with sample data is listening on this machine. bridge stands between it and a client, as it does for a desktop app:":
		return "Sebuah sandbox berisi data contoh berjalan di komputer ini. bridge berdiri di antara sandbox itu dan klien, seperti untuk aplikasi desktop:"
	case "client":
		return "klien"
	case "%d requests answered in %.1f ms. Each time the client closed stdin, bridge had ended %.1f ms later at the most.":
		return "%d permintaan terjawab dalam %.1f ms. Setiap kali klien menutup stdin, bridge selesai paling lambat %.1f ms kemudian."
	case "Go on with:":
		return "Lanjutkan dengan:"
	}
	return ""
}
