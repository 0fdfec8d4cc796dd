package main

import "bridge/internal/say"

// A topic is a page of help that belongs to no single command.
type topic struct {
	name  string
	usage string
	text  func() string
}

func topics() []topic {
	return []topic{
		{"exit-codes", say.T("what the exit status says"), topicExitCodes},
		{"environment", say.T("variables that bridge reads"), topicEnvironment},
		{"files", say.T("what bridge keeps, and where"), topicFiles},
		{"policy", say.T("which tools a client may use"), topicPolicy},
		{"json", say.T("what programs may rely on"), topicJSON},
	}
}

func topicExitCodes() string {
	return say.T(`Exit status

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
closing its stdin or by a signal gets 0.`)
}

func topicEnvironment() string {
	return say.T(`Environment

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
one that is not set is an error.`)
}

func topicFiles() string {
	return say.T(`Files

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
secrets left out.`)
}

func topicPolicy() string {
	return say.T(`Policy

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
status is 6. A tool that its server does not mark at all is called as typed.`)
}

func topicJSON() string {
	return say.T(`JSON

With --json a command prints one value to stdout, on one line unless stdout is
a terminal. Names are in snake_case and times in RFC 3339. Fields are added,
never removed or renamed. What a server sent keeps the protocol's own shape and
its bytes: "bridge tools", "call", "resources", "prompts".

An error is one line on stderr, and the exit status says the same as its code:

  {"error":{"code":"usage","message":"…","hint":"…"}}

Codes: failure, usage, unreachable, sign_in, tool_error, policy, conflict,
interrupted.`)
}
