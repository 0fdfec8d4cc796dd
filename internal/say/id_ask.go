package say

// idAsk is what a server asks the user in the middle of a call.
func idAsk(en string) string {
	switch en {
	case "[y/N]":
		return "[y/T]"
	case "%s asks: %s; there is no terminal to answer on, so it is told no":
		return "%s bertanya: %s; tidak ada terminal untuk menjawab, jadi dijawab tidak"
	case "%s asks:":
		return "%s bertanya:"
	case "the address it gives is not one to open: %s":
		return "alamat yang diberikannya tidak layak dibuka: %s"
	case "It wants you to open this address, on the host %s:":
		return "Anda diminta membuka alamat ini, di host %s:"
	case "Have you opened it, and shall the call go on?":
		return "Sudah Anda buka, dan panggilan boleh dilanjutkan?"
	case "Send this?":
		return "Kirim ini?"
	case "Agree?":
		return "Setuju?"
	case "This has to be answered; ctrl-D leaves.":
		return "Ini harus dijawab; ctrl-D untuk keluar."
	case "numbers, with commas":
		return "nomor, dengan koma"
	case "a number from 1 to %d":
		return "nomor 1 sampai %d"
	case "yes or no":
		return "ya atau tidak"
	case "enter for %s":
		return "enter untuk %s"
	case "enter for none":
		return "enter untuk kosong"
	case "It has to be a number from 1 to %d.":
		return "Harus nomor 1 sampai %d."
	case "It has to be yes or no.":
		return "Harus ya atau tidak."
	case "It has to be %s.":
		return "Harus %s."
	case "It has to be at least %g.":
		return "Paling sedikit %g."
	case "It has to be at most %g.":
		return "Paling banyak %g."
	case "It has to have at least %d letters.":
		return "Paling sedikit %d huruf."
	case "It has to have at most %d letters.":
		return "Paling banyak %d huruf."
	case "It has to have the form %s.":
		return "Harus berbentuk %s."
	case "It has to be numbers from 1 to %d, with commas between them.":
		return "Harus nomor 1 sampai %d, dipisah koma."
	case "Choose at least %d.":
		return "Pilih paling sedikit %d."
	case "Choose at most %d.":
		return "Pilih paling banyak %d."
	}
	return ""
}
