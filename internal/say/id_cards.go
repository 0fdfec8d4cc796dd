package say

// idCards is what the commands about flashcards say.
func idCards(en string) string {
	switch en {
	case "Flashcards":
		return "Kartu belajar"
	case "Connecting":
		return "Menyambung"
	case "Sending":
		return "Mengirim"
	case "grades kept on this machine: %d; the next review sends them":
		return "nilai yang tersimpan di komputer ini: %d; akan dikirim pada sesi berikutnya"
	case "there are several servers with flashcards: %s":
		return "ada beberapa server kartu belajar: %s"
	case "name the one you mean, as in `bridge review %s`":
		return "sebutkan salah satu, misalnya `bridge review %s`"
	case "cannot remember the workspace: %s":
		return "workspace tidak bisa disimpan: %s"
	case "there is no workspace %q":
		return "tidak ada workspace %q"
	case "the account has no workspace":
		return "akun ini belum punya workspace"
	case "the account has several workspaces":
		return "akun ini punya beberapa workspace"
	case "name one with --workspace: %s":
		return "sebutkan salah satu dengan --workspace: %s"
	case "the account has several workspaces; the choice is remembered":
		return "akun ini punya beberapa workspace; pilihannya akan diingat"
	case "Which one? [1]":
		return "Yang mana? [1]"
	case "%s refused: %s":
		return "%s menolak: %s"
	case "this server has no flashcards to review; name another with `bridge review NAME`":
		return "server ini tidak punya kartu belajar; sebutkan yang lain dengan `bridge review NAMA`"
	case "choose one with `bridge review --workspace NAME`":
		return "pilih salah satu dengan `bridge review --workspace NAMA`"
	case "%s does not answer as a flashcard server does":
		return "%s tidak menjawab seperti server kartu belajar"
	case "review sample flashcards instead":
		return "ulang kartu contoh"
	case "line by line, for screen readers and pipes":
		return "baris demi baris, untuk pembaca layar dan pipe"
	case "stop after `N` cards":
		return "berhenti setelah `N` kartu"
	case "Review the flashcards that are due":
		return "Mengulang kartu yang sudah waktunya"
	case "[NAME]":
		return "[NAMA]"
	case "Shows one card at a time, in the server's order. Space shows the answer and means Good, 1 to 4 grade, ? lists the keys. Each grade is on disk before it is sent, so none is lost and none counts twice. Without a screen to draw on, or with --plain, it goes line by line.":
		return "Menampilkan kartu satu per satu, menurut urutan server. Spasi menampilkan jawaban dan berarti Bagus, 1 sampai 4 memberi nilai, ? menampilkan tombol. Setiap nilai disimpan di disk sebelum dikirim, jadi tidak ada yang hilang dan tidak ada yang dihitung dua kali. Tanpa layar, atau dengan --plain, semuanya baris demi baris."
	case "leave the mouse to the terminal":
		return "biarkan mouse untuk terminal"
	case "only cards of the deck `NAME`":
		return "hanya kartu dari dek `NAMA`"
	case "only cards with the tag `NAME`; given again, cards with any of them":
		return "hanya kartu dengan tag `NAMA`; jika diulang, kartu dengan salah satunya"
	case "the workspace `NAME`; remembered":
		return "workspace `NAMA`; akan diingat"
	case "--deck and --tag exclude each other":
		return "--deck dan --tag tidak bisa dipakai bersama"
	case "a deck is a choice of tags already":
		return "dek sudah merupakan pilihan tag"
	case "another review of %s is running":
		return "sesi lain untuk %s sedang berjalan"
	case "leave it with q first; each grade belongs to one of them":
		return "keluar dulu dari sana dengan q; setiap nilai milik satu sesi"
	case "cannot keep grades safe on disk: %s":
		return "nilai tidak bisa disimpan dengan aman di disk: %s"
	case "there is no tag %q":
		return "tidak ada tag %q"
	case "there is no deck %q":
		return "tidak ada dek %q"
	case "did you mean %q?":
		return "maksudnya %q?"
	case "there are: %s":
		return "yang ada: %s"
	case "no editor is known; set EDITOR":
		return "editor tidak diketahui; isi EDITOR"
	case "only https addresses are opened":
		return "hanya alamat https yang dibuka"
	}
	return ""
}
