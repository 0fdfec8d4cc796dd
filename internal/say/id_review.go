package say

// idReview is what bridge review says on its screen and line by line.
func idReview(en string) string {
	switch en {
	case "Again":
		return "Lagi"
	case "Hard":
		return "Sulit"
	case "Good":
		return "Bagus"
	case "Easy":
		return "Mudah"
	case "new":
		return "baru"
	case "learning":
		return "dipelajari"
	case "due":
		return "ulang"
	case "<1m":
		return "<1m"
	case "%sm":
		return "%sm"
	case "%sh":
		return "%sj"
	case "%sd":
		return "%sh"
	case "%smo":
		return "%sbln"
	case "%sy":
		return "%sthn"
	case "1 minute":
		return "1 menit"
	case "%s minutes":
		return "%s menit"
	case "1 hour":
		return "1 jam"
	case "%s hours":
		return "%s jam"
	case "1 day":
		return "1 hari"
	case "%s days":
		return "%s hari"
	case "1 month":
		return "1 bulan"
	case "%s months":
		return "%s bulan"
	case "1 year":
		return "1 tahun"
	case "%s years":
		return "%s tahun"
	case "about %s":
		return "sekitar %s"
	case "%d s":
		return "%d dtk"
	case "%d min":
		return "%d mnt"
	case "%d min %d s":
		return "%d mnt %d dtk"
	case "now":
		return "sekarang"
	case "in %s (%s)":
		return "%s lagi (%s)"
	case "in %s":
		return "%s lagi"
	case "reviewed elsewhere; here is the next":
		return "diulang di tempat lain; ini berikutnya"
	case "a card was reviewed elsewhere a moment ago; that review counts":
		return "satu kartu baru saja diulang di tempat lain; yang itu yang dihitung"
	case "a card was deleted elsewhere; its grade is dropped":
		return "satu kartu dihapus di tempat lain; nilainya dibuang"
	case "1 card":
		return "1 kartu"
	case "%d cards":
		return "%d kartu"
	case "1 grade":
		return "1 nilai"
	case "%d grades":
		return "%d nilai"
	case "Nothing is due.":
		return "Tidak ada kartu yang perlu diulang."
	case "%s in %s, %s each.":
		return "%s dalam %s, %s per kartu."
	case "%d %% remembered.":
		return "%d %% masih ingat."
	case "Still to review: %s.":
		return "Masih tersisa: %s."
	case "Next due %s.":
		return "Kartu berikutnya %s."
	case "%s not sent yet; kept on this machine.":
		return "%s belum terkirim; tersimpan di komputer ini."
	case "Done for now.":
		return "Selesai untuk sekarang."
	case "Nothing to review.":
		return "Tidak ada yang perlu diulang."
	case "space":
		return "spasi"
	case "shows the answer":
		return "lihat jawaban"
	case "First the answer: press space.":
		return "Lihat jawabannya dulu: tekan spasi."
	case "The grade was not kept: %s":
		return "Nilainya tidak tersimpan: %s"
	case "Taken back. Grade it again.":
		return "Dibatalkan. Silakan nilai lagi."
	case "Too late: the server has that grade, and cannot take it back.":
		return "Terlambat: nilai itu sudah di server, dan server tidak bisa membatalkannya."
	case "There is no grade to take back.":
		return "Tidak ada nilai yang bisa dibatalkan."
	case "No picture with an https address here.":
		return "Tidak ada gambar beralamat https di sini."
	case "Opened %s":
		return "Membuka %s"
	case "show the answer, then Good":
		return "lihat jawaban, lalu Bagus"
	case "Again, Hard, Good, Easy":
		return "Lagi, Sulit, Bagus, Mudah"
	case "take the last grade back, until the next is given or 5 seconds have passed":
		return "batalkan nilai terakhir, sebelum nilai berikutnya diberikan atau 5 detik berlalu"
	case "scroll":
		return "gulir"
	case "edit the card; the change is shown before it is made":
		return "ubah kartu; perubahannya ditampilkan dulu sebelum dijalankan"
	case "about this card":
		return "tentang kartu ini"
	case "its tags":
		return "tag kartu ini"
	case "open its picture":
		return "buka gambarnya"
	case "review a deck or a tag only":
		return "ulang satu dek atau tag saja"
	case "leave; what is not sent yet is sent":
		return "keluar; yang belum terkirim akan dikirim"
	case "Nothing more is known about this card yet.":
		return "Belum ada keterangan lain tentang kartu ini."
	case "No tags.":
		return "Tanpa tag."
	case "All cards":
		return "Semua kartu"
	case "Review what? Type to search.":
		return "Ulang yang mana? Ketik untuk mencari."
	case "Fetching…":
		return "Mengambil…"
	case "Nothing has that in its name.":
		return "Tidak ada yang bernama begitu."
	case "Note: %s.":
		return "Catatan: %s."
	case "Question %d":
		return "Soal %d"
	case "To review: %d new, %d learning, %d due":
		return "Sisa: %d baru, %d dipelajari, %d ulang"
	case "No connection: %s kept here.":
		return "Tidak tersambung: %s tersimpan di sini."
	case "Enter for the answer, ? for help:":
		return "Enter untuk jawaban, ? untuk bantuan:"
	case "First the answer: press Enter.":
		return "Lihat jawabannya dulu: tekan Enter."
	case "Answer.":
		return "Jawaban."
	case "1 to 4, Enter for Good:":
		return "1 sampai 4, Enter untuk Bagus:"
	case "%s. u takes it back.":
		return "%s. u membatalkannya."
	case "That was the last card. Enter to finish, u to take the grade back:":
		return "Itu kartu terakhir. Enter untuk selesai, u untuk membatalkan nilainya:"
	case "Taken back.":
		return "Dibatalkan."
	case "The server has that grade already, and has no way to take it back.":
		return "Nilai itu sudah di server, dan server tidak bisa membatalkannya."
	case "Enter: show the answer, then Good. 1 Again, 2 Hard, 3 Good, 4 Easy.":
		return "Enter: lihat jawaban, lalu Bagus. 1 Lagi, 2 Sulit, 3 Bagus, 4 Mudah."
	case "u: take the last grade back, until the next is given or a few seconds have passed. i: about this card. t: tags. q: leave.":
		return "u: batalkan nilai terakhir, sebelum nilai berikutnya diberikan atau beberapa detik berlalu. i: tentang kartu ini. t: tag. q: keluar."
	case "%q is not known here; ? for help.":
		return "%q tidak dikenal di sini; ? untuk bantuan."
	case "Tags: %s.":
		return "Tag: %s."
	case "Kind: %s.":
		return "Jenis: %s."
	case "Reviews: %d. Forgotten: %d. Last: %s ago.":
		return "Diulang: %d. Lupa: %d. Terakhir: %s yang lalu."
	case "Stability %s days, difficulty %s of 10.":
		return "Stabilitas %s hari, kesulitan %s dari 10."
	case "Likely remembered: %.0f %%.":
		return "Kemungkinan masih ingat: %.0f %%."
	case "Made on %s.":
		return "Dibuat pada %s."
	case "bridge review":
		return "bridge review"
	case "Keys":
		return "Tombol"
	case "This card":
		return "Kartu ini"
	case "Tags":
		return "Tag"
	case "No card from the server":
		return "Server tidak memberi kartu"
	case "It is tried again by itself; space tries now.":
		return "Akan dicoba lagi sendiri; spasi mencoba sekarang."
	case "Fetching the first card…":
		return "Mengambil kartu pertama…"
	case "Sending %s from last time…":
		return "Mengirim %s dari sesi sebelumnya…"
	case "Fetching the next card…":
		return "Mengambil kartu berikutnya…"
	case "Fetching the answer…":
		return "Mengambil jawaban…"
	case "No connection: %s kept here":
		return "Tidak tersambung: %s tersimpan di sini"
	case "The server does not take a grade: %s":
		return "Server menolak satu nilai: %s"
	case "u takes it back (%d s)":
		return "u membatalkan (%d dtk)"
	case "%s: next in %s":
		return "%s: berikutnya %s lagi"
	case "%s: recorded":
		return "%s: tercatat"
	case "%d unsent":
		return "%d belum terkirim"
	case "↓ more":
		return "↓ lanjut"
	case "↑ top":
		return "↑ atas"
	case "move":
		return "pindah"
	case "enter":
		return "enter"
	case "choose":
		return "pilih"
	case "back":
		return "kembali"
	case "run it":
		return "jalankan"
	case "drop it":
		return "batalkan"
	case "answer":
		return "jawaban"
	case "finish":
		return "selesai"
	case "look again":
		return "cek lagi"
	case "undo":
		return "batal"
	case "edit":
		return "ubah"
	case "info":
		return "info"
	case "deck":
		return "dek"
	case "help":
		return "bantu"
	case "leave":
		return "keluar"
	case "The card is not here yet.":
		return "Kartunya belum lengkap."
	case "the card is too long":
		return "kartunya terlalu panjang"
	case "The editor failed: %s":
		return "Editor gagal: %s"
	case "Nothing was changed: the lines with === have to stay.":
		return "Tidak ada yang diubah: baris dengan === harus tetap ada."
	case "Nothing was changed.":
		return "Tidak ada yang diubah."
	case "Nothing was changed: %s.":
		return "Tidak ada yang diubah: %s."
	case "Nothing was changed: %s":
		return "Tidak ada yang diubah: %s"
	case "Changed.":
		return "Sudah diubah."
	case "the front is empty":
		return "sisi depan kosong"
	case "the back is empty":
		return "sisi belakang kosong"
	case "there is no tag, and every card needs one":
		return "belum ada tag, padahal setiap kartu perlu satu"
	case "the front holds the answer":
		return "sisi depan memuat jawabannya"
	case "This will be run. y: yes, n: no":
		return "Ini yang akan dijalankan. y: ya, n: tidak"
	}
	return ""
}
