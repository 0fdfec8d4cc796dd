package say

// idServers is what bridge servers says, what is said of config.toml, and the
// answers of an entry's policy.
func idServers(en string) string {
	if s := idConfig(en); s != "" {
		return s
	}
	switch en {
	case "%q has no entry to remove":
		return "%q tidak terdaftar, jadi tidak ada yang dihapus"
	case "%q is no setting that can be taken away":
		return "%q bukan pengaturan yang dapat dihapus"
	case "%q is no value for --timeout":
		return "%q bukan nilai untuk --timeout"
	case "%s, line %d":
		return "%s, baris %d"
	case "%s: there is a secret in this line, and the file is no place for one":
		return "%s: ada rahasia di baris ini, padahal berkas ini bukan tempatnya"
	case "%s: this is no whole TOML file (%s)":
		return "%s: ini bukan berkas TOML yang utuh (%s)"
	case "%s: unknown key %q":
		return "%s: kunci %q tidak dikenal"
	case "%s: variables are not filled in here":
		return "%s: variabel tidak diganti nilainya di sini"
	case "Add a server":
		return "Menambahkan server"
	case "Added %s. Sign in: bridge login %s":
		return "%s ditambahkan. Untuk masuk: bridge login %s"
	case "Change a server":
		return "Mengubah server"
	case "Changed %s.":
		return "%s diubah."
	case "List the servers":
		return "Menampilkan daftar server"
	case "NAME [URL]":
		return "NAMA [URL]"
	case "No servers yet. Try: bridge login pacecraft":
		return "Belum ada server. Coba: bridge login pacecraft"
	case "Remove a server and forget its token":
		return "Menghapus server beserta tokennya"
	case "Removed %s.":
		return "%s dihapus."
	case "Show and change the servers that bridge knows by name":
		return "Menampilkan dan mengubah server yang dikenal bridge menurut nama"
	case "Show one server":
		return "Menampilkan satu server"
	case "The entries are in config.toml and hold no secrets. pacecraft and nibomo are known without an entry.":
		return "Daftarnya ada di config.toml dan tidak memuat rahasia. pacecraft dan nibomo dikenal tanpa didaftarkan."
	case "The entry %s of config.toml is read-only, and the server does not say that the tool %q only reads.":
		return "Server %s di config.toml hanya boleh dibaca, dan server tidak menyatakan bahwa alat %q hanya membaca."
	case "The tool %q is denied by the entry %s of config.toml.":
		return "Alat %q ditolak oleh pengaturan %s di config.toml."
	case "The tool %q is not among those the entry %s of config.toml allows.":
		return "Alat %q tidak termasuk yang diizinkan pengaturan %s di config.toml."
	case "`PHASE=TIME` limit connect, tls, response, probe, initialize or retry, as in connect=5s (repeatable)":
		return "`TAHAP=WAKTU` batasi connect, tls, response, probe, initialize, atau retry, misalnya connect=5s (boleh berulang)"
	case "`bridge logout %s` forgets its token":
		return "`bridge logout %s` menghapus tokennya"
	case "`bridge servers list` shows the names, `bridge servers add NAME URL` makes one":
		return "`bridge servers list` menampilkan nama-namanya, `bridge servers add NAMA URL` menambahkan satu"
	case "a server is given by its whole address: %s":
		return "server ditulis dengan alamat lengkapnya: %s"
	case "another bridge is writing config.toml":
		return "bridge lain sedang menulis config.toml"
	case "change it: `bridge servers set %s --url URL`":
		return "ubah dengan: `bridge servers set %s --url URL`"
	case "config.toml was changed by another program, and nothing was written":
		return "config.toml diubah program lain, dan tidak ada yang ditulis"
	case "delete it from the file, then run `bridge login %s`":
		return "hapus dari berkas, lalu jalankan `bridge login %s`"
	case "for a token, set the variable %s or use token_command":
		return "untuk token, isi variabel %s atau gunakan token_command"
	case "get the token from the output of `COMMAND`, run without a shell":
		return "ambil token dari keluaran `PERINTAH`, dijalankan tanpa shell"
	case "hold back tools that match `GLOB` (repeatable)":
		return "tahan alat yang cocok dengan `POLA` (boleh berulang)"
	case "leave it out and run `bridge login %s`":
		return "hilangkan, lalu jalankan `bridge login %s`"
	case "let only tools that match `GLOB` through (repeatable)":
		return "loloskan hanya alat yang cocok dengan `POLA` (boleh berulang)"
	case "let only tools through that the server marks as reading":
		return "loloskan hanya alat yang menurut server hanya membaca"
	case "mend the line, or move the file away and sign in again":
		return "perbaiki baris itu, atau pindahkan berkasnya lalu masuk lagi"
	case "name a phase and a time, as in connect=5s or response=none; phases are connect, tls, response, probe, initialize and retry":
		return "sebutkan tahap dan waktunya, misalnya connect=5s atau response=none; tahapnya connect, tls, response, probe, initialize, dan retry"
	case "other users of this machine may read %s; `chmod 600` it":
		return "pengguna lain di komputer ini dapat membaca %s; jalankan `chmod 600`"
	case "`FILE` trust these certificates in addition to the system's":
		return "`BERKAS` percayai juga sertifikat ini, di samping milik sistem"
	case "`FILE` show this certificate (PEM) to a server that asks for one":
		return "`BERKAS` perlihatkan sertifikat (PEM) ini kepada server yang memintanya"
	case "`FILE` with the private key of that certificate (PEM)":
		return "`BERKAS` berisi kunci pribadi sertifikat itu (PEM)"
	case "do not check the certificate of this server: whoever is between can read the token":
		return "jangan periksa sertifikat server ini: siapa pun di tengah jalan dapat membaca token"
	case "the certificate of %s is not checked: whoever is between can read the token":
		return "sertifikat %s tidak diperiksa: siapa pun di tengah jalan dapat membaca token"
	case "a client certificate and its key go together":
		return "sertifikat klien dan kuncinya harus diberikan bersama"
	case "give both --client-cert FILE and --client-cert-key FILE":
		return "berikan --client-cert BERKAS dan --client-cert-key BERKAS"
	case "cannot read the client certificate in %q: %s":
		return "sertifikat klien di %q tidak bisa dibaca: %s"
	case "cannot read the key of the client certificate in %q: %s":
		return "kunci sertifikat klien di %q tidak bisa dibaca: %s"
	case "no private key in %q that fits the certificate in %q":
		return "tidak ada kunci pribadi di %q yang cocok dengan sertifikat di %q"
	case "it has to be in PEM form, without a passphrase":
		return "bentuknya harus PEM, tanpa kata sandi"
	case "run the command again":
		return "jalankan lagi perintahnya"
	case "send this header: `\"NAME: VALUE\"`; never a secret (repeatable)":
		return "kirim header ini: `\"NAMA: NILAI\"`; jangan rahasia (boleh berulang)"
	case "sign in by `HOW`: token, oauth or none":
		return "masuk dengan `CARA`: token, oauth, atau none"
	case "take the setting `KEY` away, as config.toml calls it (repeatable)":
		return "hapus pengaturan `KUNCI`, dengan nama seperti di config.toml (boleh berulang)"
	case "the address of %q is missing":
		return "alamat %q belum ditulis"
	case "the server needs a name":
		return "server memerlukan nama"
	case "the server's new address: `URL`":
		return "alamat baru server: `URL`"
	case "the token command cannot be run: %s":
		return "perintah token tidak dapat dijalankan: %s"
	case "there are %s":
		return "yang ada %s"
	case "there is a secret in %s, and config.toml is no place for one":
		return "ada rahasia di %s, padahal config.toml bukan tempatnya"
	case "there is a server %q already":
		return "sudah ada server %q"
	case "there is no preset %q":
		return "tidak ada preset %q"
	case "there is no server %q":
		return "tidak ada server %q"
	case "this is a preset; `bridge servers add %s` makes an entry of it":
		return "ini preset; `bridge servers add %s` mendaftarkannya"
	case "treat it like `NAME`: pacecraft or nibomo":
		return "perlakukan seperti `NAMA`: pacecraft atau nibomo"
	case "use the workspace of this `NAME` or id":
		return "pakai ruang kerja dengan `NAMA` atau id ini"
	}
	return ""
}
