package say

// idTopics is the pages of bridge help TOPIC.
func idTopics(en string) string {
	switch en {
	case `Exit status

  0    done; also when there was nothing to do or to list
  1    failure
  2    wrong use of the command line
  3    the server cannot be reached
  4    sign-in is needed, or was refused
  5    the tool answered with an error
  6    held back by policy
  7    conflict: a file changed under us, or a lock is held
  130  interrupted

Read any other status as a failure. A client that ends "bridge serve" by
closing its stdin or by a signal gets 0.`:
		return `Status keluar

  0    selesai; juga bila tidak ada yang perlu dikerjakan atau ditampilkan
  1    gagal
  2    baris perintah keliru
  3    server tidak bisa dihubungi
  4    perlu masuk (sign-in), atau ditolak
  5    alat menjawab dengan galat
  6    ditahan oleh kebijakan
  7    bentrok: berkas berubah di tengah jalan, atau sedang dikunci
  130  dihentikan

Status lain berarti gagal. Klien yang mengakhiri "bridge serve" dengan menutup
stdin atau dengan sinyal menerima 0.`
	case `Environment

  BRIDGE_TOKEN_NAME    a token for the server NAME, as in BRIDGE_TOKEN_PACECRAFT
  BRIDGE_TOKEN         a token for the server at hand, without "Bearer "
  BRIDGE_TOKEN_FILE    a file that holds the token
  BRIDGE_KEYSTORE      keychain (default), file or memory
  BRIDGE_PASSPHRASE, BRIDGE_PASSPHRASE_FILE, BRIDGE_KEY_FILE
                       the key of the sealed file that BRIDGE_KEYSTORE=file uses
  BRIDGE_BROWSER, BROWSER
                       the program that opens a sign-in page; none for none
  BRIDGE_CLIENT_SECRET
                       the secret that belongs to --client-id
  BRIDGE_HOME          where everything of ours lives
  BRIDGE_LANG          en or id; else LC_ALL, LC_MESSAGES, LANG
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                       the proxy to go through
  SSL_CERT_FILE        the system's certificates, where OpenSSL keeps them in
                       a file
  NODE_EXTRA_CA_CERTS  certificates to trust beside the system's
  NO_COLOR, CLICOLOR_FORCE, TERM=dumb
                       colour off, on, off; --color decides before them
  COLUMNS              how wide help is when stdout is no terminal
  ACCESSIBLE           set: the review goes line by line, as with --plain
  CI                   set: nobody is asked anything
  CREDENTIALS_DIRECTORY
                       of systemd: its credential bridge-key is the key of the
                       sealed file, if none of the above gives one
  MCP_REMOTE_CONFIG_DIR
                       where mcp-remote keeps sign-ins, for moving over

A flag comes before the environment. ${NAME} in a header is the variable NAME;
one that is not set is an error.`:
		return `Lingkungan

  BRIDGE_TOKEN_NAMA    token untuk server NAMA, misalnya BRIDGE_TOKEN_PACECRAFT
  BRIDGE_TOKEN         token untuk server yang dituju, tanpa "Bearer "
  BRIDGE_TOKEN_FILE    berkas yang berisi token
  BRIDGE_KEYSTORE      keychain (bawaan), file, atau memory
  BRIDGE_PASSPHRASE, BRIDGE_PASSPHRASE_FILE, BRIDGE_KEY_FILE
                       kunci berkas tersegel yang dipakai BRIDGE_KEYSTORE=file
  BRIDGE_BROWSER, BROWSER
                       program yang membuka halaman masuk; none: tidak ada
  BRIDGE_CLIENT_SECRET
                       rahasia milik --client-id
  BRIDGE_HOME          tempat semua milik bridge disimpan
  BRIDGE_LANG          en atau id; kalau kosong LC_ALL, LC_MESSAGES, LANG
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                       proksi yang dilewati
  SSL_CERT_FILE        sertifikat sistem, bila OpenSSL menyimpannya dalam
                       satu berkas
  NODE_EXTRA_CA_CERTS  sertifikat yang dipercaya di samping milik sistem
  NO_COLOR, CLICOLOR_FORCE, TERM=dumb
                       warna mati, hidup, mati; --color lebih menentukan
  COLUMNS              lebar bantuan bila stdout bukan terminal
  ACCESSIBLE           terisi: ulangan berjalan baris demi baris, seperti --plain
  CI                   terisi: tidak ada pertanyaan yang diajukan
  CREDENTIALS_DIRECTORY
                       dari systemd: kredensial bridge-key di sana adalah kunci
                       berkas tersegel, bila tidak ada yang diberikan di atas
  MCP_REMOTE_CONFIG_DIR
                       tempat mcp-remote menyimpan sesi masuk, untuk pindah

Flag didahulukan daripada lingkungan. ${NAMA} dalam header berarti variabel
NAMA; kalau belum diisi, itu galat.`
	case `Files

bridge keeps what is its own in one folder: $BRIDGE_HOME, else ~/.config/bridge,
or %%USERPROFILE%%\.bridge on Windows. Folders are for you alone (0700), files
too (0600).

  config.toml       the servers that have a name, without secrets
  secrets.age.json  the sealed file, with BRIDGE_KEYSTORE=file
  state/            locks, and what bridge remembers between two runs:
    auth/             a sign-in that waits for its browser
    cards/            grades that are not sent yet, and how many cards are due
    seen/, tools/, era/
                      what servers last offered, and which era they speak
    clients.json      the entries that bridge wrote into clients' files
    keychain.json     the names of what is in the keychain
    locks/            for files outside this folder that two may write at once

Tokens are in the keychain of the operating system, or, with
BRIDGE_KEYSTORE=file, in the sealed file, whose key is elsewhere (see "bridge
help environment"). The files of AI clients, and the copies of them that
"bridge clients" keeps beside them, are where "bridge clients list" says.
"bridge serve URL" reads and writes none of this until its server asks for a
sign-in. --trace FILE appends the conversation to a file of your choice, with
secrets left out.`:
		return `Berkas

Semua milik bridge ada dalam satu folder: $BRIDGE_HOME, atau ~/.config/bridge,
atau %%USERPROFILE%%\.bridge di Windows. Folder hanya untuk Anda sendiri (0700),
begitu juga berkasnya (0600).

  config.toml       server yang punya nama, tanpa rahasia
  secrets.age.json  berkas tersegel, dengan BRIDGE_KEYSTORE=file
  state/            kunci berkas, dan yang diingat bridge dari satu kali jalan
                    ke berikutnya:
    auth/             proses masuk yang menunggu perambannya
    cards/            nilai yang belum terkirim, dan banyaknya kartu hari ini
    seen/, tools/, era/
                      yang terakhir ditawarkan server, dan era yang dipakainya
    clients.json      entri yang ditulis bridge ke berkas klien
    keychain.json     nama-nama yang ada di keychain
    locks/            untuk berkas di luar folder ini yang mungkin ditulis berdua

Token disimpan di keychain sistem operasi, atau, dengan BRIDGE_KEYSTORE=file,
di berkas tersegel, yang kuncinya ada di tempat lain (lihat "bridge help
environment"). Berkas klien AI, dan salinannya yang disimpan "bridge clients" di
sebelahnya, ada di tempat yang disebut "bridge clients list". "bridge serve URL"
tidak membaca atau menulis semua ini sebelum servernya meminta masuk. --trace
BERKAS menambahkan percakapan ke berkas pilihan Anda, tanpa rahasia.`
	case `Policy

A client sees the tools that the server offers, less those that you hold back:

  --ignore-tool GLOB   hide matching tools from the list and refuse calls to
                       them; * stands for any letters, case does not matter,
                       and the flag may be given several times

For a server with a name the same is kept in its entry:

  bridge servers set NAME --deny "delete_*"
  bridge servers set NAME --allow "search_*"
  bridge servers set NAME --read-only

A refused call is answered with an error that says so. Nothing reaches the
server.

"bridge call" asks before a tool that its server marks as destructive, and
before confirmed:=true; where nobody can be asked, --yes has to be given, or the
status is 6. A tool that its server does not mark at all is called as typed.`:
		return `Kebijakan

Klien melihat alat yang ditawarkan server, kecuali yang Anda tahan:

  --ignore-tool POLA   sembunyikan alat yang cocok dari daftar dan tolak
                       pemanggilannya; * berarti huruf apa saja, besar kecil
                       huruf tidak dibedakan, dan flag ini boleh diulang

Untuk server yang punya nama, hal yang sama disimpan dalam entrinya:

  bridge servers set NAMA --deny "delete_*"
  bridge servers set NAMA --allow "search_*"
  bridge servers set NAMA --read-only

Panggilan yang ditolak dijawab dengan galat yang menyebutkan sebabnya. Tidak ada
yang sampai ke server.

"bridge call" bertanya sebelum alat yang ditandai merusak oleh servernya, dan
sebelum confirmed:=true; bila tidak ada yang bisa ditanya, --yes harus
diberikan, kalau tidak statusnya 6. Alat yang tidak ditandai sama sekali
dipanggil seperti yang diketik.`
	case `JSON

With --json a command prints one value to stdout, on one line unless stdout is
a terminal. Names are in snake_case and times in RFC 3339. Fields are added,
never removed or renamed. What a server sent keeps the protocol's own shape and
its bytes: "bridge tools", "call", "resources", "prompts".

An error is one line on stderr, and the exit status says the same as its code:

  {"error":{"code":"usage","message":"…","hint":"…"}}

Codes: failure, usage, unreachable, sign_in, tool_error, policy, conflict,
interrupted.`:
		return `JSON

Dengan --json sebuah perintah mencetak satu nilai ke stdout, dalam satu baris
kecuali stdout adalah terminal. Nama memakai snake_case dan waktu memakai RFC
3339. Kolom bisa bertambah, tetapi tidak pernah dihapus atau diganti namanya.
Yang dikirim server tetap berbentuk menurut protokol, sampai ke bitanya: "bridge
tools", "call", "resources", "prompts".

Galat adalah satu baris di stderr, dan status keluar sama artinya dengan
kodenya:

  {"error":{"code":"usage","message":"…","hint":"…"}}

Kode: failure, usage, unreachable, sign_in, tool_error, policy, conflict,
interrupted.`
	}
	return ""
}
