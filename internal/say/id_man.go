package say

// idMan is what the manual page says beside the texts of help.
func idMan(en string) string {
	switch en {
	case "Print the manual page":
		return "Mencetak halaman manual"
	case "NAME":
		return "NAMA"
	case "SYNOPSIS":
		return "RINGKASAN"
	case "DESCRIPTION":
		return "KETERANGAN"
	case "COMMANDS":
		return "PERINTAH"
	case "FLAGS":
		return "OPSI"
	}
	return ""
}
