package say

// idHelp is the frame of the help pages, and the topics.
func idHelp(en string) string {
	if s := idTopics(en); s != "" {
		return s
	}
	switch en {
	case "Explain a command or a topic":
		return "Menjelaskan perintah atau topik"
	case "[COMMAND | TOPIC]":
		return "[PERINTAH | TOPIK]"
	case "no help on %q":
		return "tidak ada bantuan tentang %q"
	case "did you mean `bridge help %s`?":
		return "maksud Anda `bridge help %s`?"
	case "see `bridge --help` for what there is":
		return "lihat `bridge --help` untuk daftarnya"
	case "Usage":
		return "Pemakaian"
	case "COMMAND":
		return "PERINTAH"
	case "[flags]":
		return "[flag]"
	case "Examples":
		return "Contoh"
	case "Topics (bridge help TOPIC)":
		return "Topik (bridge help TOPIK)"
	case "Commands":
		return "Perintah"
	case "Flags":
		return "Flag"
	case "Everywhere":
		return "Untuk semua perintah"
	case "VALUE":
		return "NILAI"
	case "show this help":
		return "tampilkan bantuan ini"
	case "what the exit status says":
		return "arti status keluar"
	case "variables that bridge reads":
		return "variabel yang dibaca bridge"
	case "what bridge keeps, and where":
		return "apa yang disimpan bridge, dan di mana"
	case "which tools a client may use":
		return "alat mana yang boleh dipakai klien"
	case "what programs may rely on":
		return "apa yang bisa diandalkan program"
	case "Network":
		return "Jaringan"
	case "Sign-in":
		return "Masuk"
	case "Watching":
		return "Pengamatan"
	case "done":
		return "selesai"
	case "wrong usage":
		return "salah pakai"
	case "server out of reach":
		return "server tidak terjangkau"
	case "sign-in needed or refused":
		return "perlu masuk atau ditolak"
	case "the tool's own error":
		return "galat dari alat"
	case "held back":
		return "ditahan"
	case "conflict":
		return "bentrok"
	case "failure":
		return "gagal"
	case "Exit status":
		return "Status keluar"
	case "see `%s`":
		return "lihat `%s`"
	}
	return ""
}
