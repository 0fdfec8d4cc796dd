package main

import (
	"strings"

	"bridge/internal/say"
)

// inWords translates what package servers says is wrong with a value or with
// the file, and what helps. A test holds it against that package.
func inWords(detail string) string {
	switch detail {
	case "it cannot be read":
		return say.T("it cannot be read")
	case "it is a FIFO, not a file":
		return say.T("it is a FIFO, not a file")
	case "it is a folder, not a file":
		return say.T("it is a folder, not a file")
	case "it is a link to a file that does not exist":
		return say.T("it is a link to a file that does not exist")
	case "it is not a file":
		return say.T("it is not a file")
	case "it may not be read by this user":
		return say.T("it may not be read by this user")
	case "a server's name is 1 to 32 of a-z, 0-9 and -":
		return say.T("a server's name is 1 to 32 of a-z, 0-9 and -")
	case "a server cannot be called file: its variable would be BRIDGE_TOKEN_FILE":
		return say.T("a server cannot be called file: its variable would be BRIDGE_TOKEN_FILE")
	case "every user of this machine may change it, and it can name programs to run":
		return say.T("every user of this machine may change it, and it can name programs to run")
	case "servers are tables [servers.NAME], not a list":
		return say.T("servers are tables [servers.NAME], not a list")
	case "servers must be tables [servers.NAME]":
		return say.T("servers must be tables [servers.NAME]")
	case "a server must be a table [servers.NAME]":
		return say.T("a server must be a table [servers.NAME]")
	case "token_command has more than 64 arguments":
		return say.T("token_command has more than 64 arguments")
	case "token_command names no program that could be started":
		return say.T("token_command names no program that could be started")
	case "a workspace's name is at most 256 bytes on one line":
		return say.T("a workspace's name is at most 256 bytes on one line")
	case "the workspace is named twice, in url and in workspace":
		return say.T("the workspace is named twice, in url and in workspace")
	case "it is not a URL":
		return say.T("it is not a URL")
	case "a URL begins with https://":
		return say.T("a URL begins with https://")
	case "the URL has no host":
		return say.T("the URL has no host")
	case "the URL has user info in it":
		return say.T("the URL has user info in it")
	case "the URL has a fragment (#…), which is never sent":
		return say.T("the URL has a fragment (#…), which is never sent")
	case "plain http would show the token to the network; use https, or set allow_http":
		return say.T("plain http would show the token to the network; use https, or set allow_http")
	case "auth must be \"token\", \"oauth\" or \"none\"":
		return say.T("auth must be \"token\", \"oauth\" or \"none\"")
	case "transport must be \"http-first\", \"sse-first\", \"http-only\" or \"sse-only\"":
		return say.T("transport must be \"http-first\", \"sse-first\", \"http-only\" or \"sse-only\"")
	case "protocol must be \"legacy\" or \"modern\"":
		return say.T("protocol must be \"legacy\" or \"modern\"")
	case "ca_cert must be the whole path of a file":
		return say.T("ca_cert must be the whole path of a file")
	case "the certificate of a public service is always checked":
		return say.T("the certificate of a public service is always checked")
	case "client_cert and client_cert_key go together":
		return say.T("client_cert and client_cert_key go together")
	case "client_cert and client_cert_key must be the whole paths of files":
		return say.T("client_cert and client_cert_key must be the whole paths of files")
	case "keystore must be \"keychain\" or \"file\"":
		return say.T("keystore must be \"keychain\" or \"file\"")
	case "a quote is not closed":
		return say.T("a quote is not closed")
	case "it names no program":
		return say.T("it names no program")
	case "it is UTF-16, and must be UTF-8":
		return say.T("it is UTF-16, and must be UTF-8")
	case "save it again as UTF-8":
		return say.T("save it again as UTF-8")
	case "it holds a line break":
		return say.T("it holds a line break")
	case "move it away":
		return say.T("move it away")
	case "make that file, or remove the link":
		return say.T("make that file, or remove the link")
	case "make it yours, mode 0600":
		return say.T("make it yours, mode 0600")
	}
	if why, ok := strings.CutPrefix(detail, "token_command: "); ok {
		return "token_command: " + inWords(why)
	}
	// A word of the file's stands in the rest.
	word := ""
	fits := func(format string) bool {
		before, after, _ := strings.Cut(format, "%s")
		if !strings.HasPrefix(detail, before) || !strings.HasSuffix(detail, after) || len(detail) < len(before)+len(after) {
			return false
		}
		word = detail[len(before) : len(detail)-len(after)]
		return true
	}
	switch {
	case fits("%s must be text in quotes"):
		return say.T("%s must be text in quotes", word)
	case fits("%s must be true or false"):
		return say.T("%s must be true or false", word)
	case fits(`%s must be a list of texts, ["…", "…"]`):
		return say.T(`%s must be a list of texts, ["…", "…"]`, word)
	case fits(`%s must be a table, { name = "value" }`):
		return say.T(`%s must be a table, { name = "value" }`, word)
	case fits(`%s must be a time such as "15s" or "2m", or "none"`):
		return say.T(`%s must be a time such as "15s" or "2m", or "none"`, word)
	case fits("%s holds a pattern that can match no tool"):
		return say.T("%s holds a pattern that can match no tool", word)
	case fits("%s has no url"):
		return say.T("%s has no url", word)
	case fits("the header %s cannot be sent as it is"):
		return say.T("the header %s cannot be sent as it is", word)
	case fits("the header %s is set by bridge itself"):
		return say.T("the header %s is set by bridge itself", word)
	case fits("no such preset; there are %s"):
		return say.T("no such preset; there are %s", word)
	case fits("the entry %s is written in a form that bridge reads but does not edit"):
		return say.T("the entry %s is written in a form that bridge reads but does not edit", word)
	case fits("change it by hand, or write it as a table [servers.%s]"):
		return say.T("change it by hand, or write it as a table [servers.%s]", word)
	case fits("it needs a shell for %s, and none is started; put it into a script, or in quotes if it is meant literally"):
		return say.T("it needs a shell for %s, and none is started; put it into a script, or in quotes if it is meant literally", word)
	case fits("known here are %s"):
		return say.T("known here are %s", word)
	case fits("it is larger than %s kB"):
		return say.T("it is larger than %s kB", word)
	}
	return detail
}
