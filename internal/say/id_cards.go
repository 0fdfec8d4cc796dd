package say

// idCards is what the commands about flashcards say.
func idCards(en string) string {
	switch en {
	case "%s has no flashcards":
		return "%s tidak punya kartu"
	case "name a server that has, as in `bridge review nibomo`":
		return "sebutkan server yang punya, misalnya `bridge review nibomo`"
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
	case "name the one you mean, as in `bridge %s %s`":
		return "sebutkan salah satu, misalnya `bridge %s %s`"
	case "cannot remember the workspace: %s":
		return "ruang kerja tidak bisa disimpan: %s"
	case "there is no workspace %q":
		return "tidak ada ruang kerja %q"
	case "the account has no workspace":
		return "akun ini belum punya ruang kerja"
	case "the account has several workspaces":
		return "akun ini punya beberapa ruang kerja"
	case "name one with --workspace: %s":
		return "sebutkan salah satu dengan --workspace: %s"
	case "the account has several workspaces; the choice is remembered":
		return "akun ini punya beberapa ruang kerja; pilihannya akan diingat"
	case "Which one? [1]":
		return "Yang mana? [1]"
	case "%s refused: %s":
		return "%s menolak: %s"
	case "this server has no flashcards to review; name another with `bridge review NAME`":
		return "server ini tidak punya kartu belajar; sebutkan yang lain dengan `bridge review NAMA`"
	case "choose one with `bridge review --workspace NAME`":
		return "pilih salah satu dengan `bridge review --workspace NAMA`"
	case "the card was deleted elsewhere":
		return "kartunya sudah dihapus di tempat lain"
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
		return "ruang kerja `NAMA`; akan diingat"
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
	case "Say how many flashcards are due":
		return "Menampilkan jumlah kartu yang perlu diulang"
	case "What the server said is remembered for ten minutes, cards that come due in the meantime included, so that --count fits into a shell prompt.":
		return "Jawaban server diingat selama sepuluh menit, termasuk kartu yang tiba waktunya selama itu, sehingga --count cocok untuk prompt shell."
	case "print the number only":
		return "cetak angkanya saja"
	case "ask the server, whatever is remembered":
		return "tanya server, apa pun yang diingat"
	case "Show forecast, retention and a year of reviews":
		return "Menampilkan perkiraan, daya ingat, dan ulangan setahun"
	case "Cards that come due in the next days, how many were remembered in the past month, and the reviews of each day of a year. Days are those of this machine's time zone.":
		return "Kartu yang akan tiba waktunya, berapa yang masih diingat sebulan terakhir, dan ulangan setiap hari selama setahun. Hari mengikuti zona waktu komputer ini."
	case "draw with plain letters":
		return "gambar dengan huruf biasa"
	case "Counting":
		return "Menghitung"
	case "Cards":
		return "Kartu"
	case "%d in all: %d new, %d in learning, %d in review":
		return "%d semuanya: %d baru, %d dipelajari, %d diulang berkala"
	case "Past 30 days":
		return "30 hari terakhir"
	case "no reviews":
		return "belum ada ulangan"
	case "days in a row: %d":
		return "hari berturut-turut: %d"
	case "Coming due":
		return "Akan tiba waktunya"
	case "A year of reviews":
		return "Ulangan setahun"
	case "today":
		return "hari ini"
	case "then until %s: %d":
		return "lalu sampai %s: %d"
	case "Mo":
		return "Sn"
	case "We":
		return "Rb"
	case "Fr":
		return "Jm"
	case "Su":
		return "Mg"
	case "%d reviews; most on one day: %d":
		return "%d ulangan; terbanyak dalam sehari: %d"
	case "Add a flashcard":
		return "Menambah kartu"
	case "The front asks and does not hold the answer; the back begins with the answer; every card has a tag. A card that asks the same is looked for first. On a terminal, what is missing is asked for.":
		return "Sisi depan bertanya dan tidak memuat jawabannya; sisi belakang dimulai dengan jawaban; setiap kartu punya tag. Kartu dengan pertanyaan yang sama dicari dulu. Di terminal, yang belum diisi akan ditanyakan."
	case "the question, in Markdown: `TEXT`":
		return "pertanyaan, dalam Markdown: `TEKS`"
	case "the answer, in Markdown: `TEXT`, or - for stdin":
		return "jawaban, dalam Markdown: `TEKS`, atau - untuk stdin"
	case "a tag, `NAME`; may be given again":
		return "tag, `NAMA`; boleh diulang"
	case "add it although something speaks against it":
		return "tetap tambahkan walaupun ada keberatan"
	case "show the statement and do not run it":
		return "tampilkan perintahnya tanpa dijalankan"
	case "a card asks that already: %s":
		return "sudah ada kartu yang menanyakan itu: %s"
	case "its answer is %q; add yours anyway with --force":
		return "jawabannya %q; tetap tambahkan dengan --force"
	case "Added. It comes up with the new cards.":
		return "Ditambahkan. Kartunya akan muncul bersama kartu baru."
	case "--%s is missing":
		return "--%s belum diisi"
	case "Question:":
		return "Pertanyaan:"
	case "Answer:":
		return "Jawaban:"
	case "Tags, with commas between:":
		return "Tag, dipisah koma:"
	case "ask for it without saying it, or add it anyway with --force":
		return "tanyakan tanpa menyebutkannya, atau tetap tambahkan dengan --force"
	case "%s did not take the last grades in time":
		return "%s tidak menerima nilai terakhir tepat waktu"
	}
	return ""
}
