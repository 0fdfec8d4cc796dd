package say

// idRoot is what every command says: streams, usage errors, files.
func idRoot(en string) string {
	switch en {
	case "a time is a number with its unit, as in 30s, 5m or 1h30m":
		return "waktu ditulis sebagai angka dengan satuannya, misalnya 30s, 5m, atau 1h30m"
	case "error":
		return "galat"
	case "hint":
		return "petunjuk"
	case "note":
		return "catatan"
	case "Connect":
		return "Menghubungkan"
	case "Try":
		return "Mencoba"
	case "More":
		return "Lainnya"
	case "Connect desktop AI clients to remote MCP servers":
		return "Menghubungkan klien AI di desktop dengan server MCP jarak jauh"
	case "COMMAND | URL":
		return "PERINTAH | URL"
	case "A client that only speaks MCP on stdio starts bridge; bridge speaks to the server over HTTP. The arguments of mcp-remote work unchanged.":
		return "Klien yang hanya bisa MCP lewat stdio menjalankan bridge, lalu bridge berbicara dengan server lewat HTTP. Argumen mcp-remote bisa dipakai apa adanya."
	case "print one JSON value; errors are JSON on stderr":
		return "cetak satu nilai JSON; galat ditulis sebagai JSON ke stderr"
	case "`WHEN` use colour: auto, always or never":
		return "`KAPAN` pakai warna: auto, always, atau never"
	case "use auto, always or never":
		return "gunakan auto, always, atau never"
	case "print the version":
		return "cetak versi"
	case "Print the version":
		return "Mencetak versi"
	case "%q needs a subcommand":
		return "%q memerlukan subperintah"
	case "this is a server, and a command comes first: `bridge tools %s`":
		return "ini nama server, padahal perintah ditulis dahulu: `bridge tools %s`"
	case "see `%s --help`":
		return "lihat `%s --help`"
	case "unknown command %q":
		return "perintah %q tidak dikenal"
	case "did you mean `%s %s`?":
		return "maksud Anda `%s %s`?"
	case "did you mean `%s`?":
		return "maksud Anda `%s`?"
	case "give the full address of the server: `bridge %s`":
		return "tuliskan alamat server selengkapnya: `bridge %s`"
	case "%s needs a value":
		return "%s memerlukan nilai"
	case "invalid value %s for --%s":
		return "nilai %s tidak sah untuk --%s"
	case "invalid value %s for --%s: %s":
		return "nilai %s tidak sah untuk --%s: %s"
	case "invalid value %q for --%s: %s":
		return "nilai %q tidak sah untuk --%s: %s"
	case "unknown flag %q":
		return "flag %q tidak dikenal"
	case "%q needs %s":
		return "%q memerlukan %s"
	case "unexpected argument %q for %q":
		return "argumen %q tidak dipakai oleh %q"
	case "nothing is piped into stdin":
		return "tidak ada yang dialirkan ke stdin"
	case "more than 1 MiB on stdin":
		return "isi stdin lebih dari 1 MiB"
	case "Print a completion script for a shell":
		return "Mencetak skrip pelengkapan untuk shell"
	case "no completion for the shell %q":
		return "tidak ada pelengkapan untuk shell %q"
	case "there is one for bash, zsh, fish and pwsh":
		return "tersedia untuk bash, zsh, fish, dan pwsh"
	case "cannot write to stdout: %s":
		return "tidak bisa menulis ke stdout: %s"
	case "no such folder":
		return "folder tidak ada"
	case "no such file":
		return "berkas tidak ada"
	case "permission denied":
		return "tidak diizinkan"
	case "it is larger than 1 MiB":
		return "ukurannya lebih dari 1 MiB"
	}
	return ""
}
