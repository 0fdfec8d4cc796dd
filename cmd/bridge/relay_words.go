package main

import (
	"strings"

	"bridge/internal/say"
)

// relayWords says in the user's language what the relay found out, whose own
// texts are English: it knows no language, because a client's log is read by
// whoever helps. A text that is none of these stays as it is, and known is
// false.
func relayWords(text string) (words string, known bool) {
	if a := made(text, "the proxy for %s does not answer (see HTTPS_PROXY and NO_PROXY)"); a != nil {
		return say.T("the proxy for %s does not answer (see HTTPS_PROXY and NO_PROXY)", a[0]), true
	}
	if text == "the proxy wants a user name and password (put them into HTTPS_PROXY)" {
		return say.T("the proxy wants a user name and password (put them into HTTPS_PROXY)"), true
	}
	if a := made(text, "the name of %s could not be looked up in time"); a != nil {
		return say.T("the name of %s could not be looked up in time", a[0]), true
	}
	if a := made(text, "there is no host named %s"); a != nil {
		return say.T("there is no host named %s", a[0]), true
	}
	if a := made(text, "%s refuses the connection; is the server running there?"); a != nil {
		return say.T("%s refuses the connection; is the server running there?", a[0]), true
	}
	if a := made(text, "there is no way to %s; is this machine online?"); a != nil {
		return say.T("there is no way to %s; is this machine online?", a[0]), true
	}
	if a := made(text, "%s did not answer in time"); a != nil {
		return say.T("%s did not answer in time", a[0]), true
	}
	if a := made(text, "%s speaks plain http, not https"); a != nil {
		return say.T("%s speaks plain http, not https", a[0]), true
	}
	if a := made(text, "%s did not answer with HTTP"); a != nil {
		return say.T("%s did not answer with HTTP", a[0]), true
	}
	if a := made(text, "the connection to %s was lost before the answer; whether the request was carried out is not known"); a != nil {
		return say.T("the connection to %s was lost before the answer; whether the request was carried out is not known", a[0]), true
	}
	if a := made(text, "the certificate of %s is issued by %s, which this machine does not trust; if a company proxy does that, name its certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE"); a != nil {
		return say.T("the certificate of %s is issued by %s, which this machine does not trust; if a company proxy does that, name its certificate in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE", a[0], a[1]), true
	}
	if a := made(text, "the certificate shown for %s belongs to another host"); a != nil {
		return say.T("the certificate shown for %s belongs to another host", a[0]), true
	}
	if a := made(text, "the certificate of %s is not valid now%s; check this machine's clock"); a != nil {
		return say.T("the certificate of %s is not valid now%s; check this machine's clock", a[0], a[1]), true
	}
	if a := made(text, "%s does not speak TLS on that port"); a != nil {
		return say.T("%s does not speak TLS on that port", a[0]), true
	}
	if a := made(text, "no secure connection to %s could be made: %s"); a != nil {
		return say.T("no secure connection to %s could be made: %s", a[0], a[1]), true
	}
	if a := made(text, "there is no MCP endpoint at %s (404); check the URL's path%s"); a != nil {
		return say.T("there is no MCP endpoint at %s (404); check the URL's path%s", a[0], a[1]), true
	}
	if a := made(text, "%s takes no POST (405); check the URL's path"); a != nil {
		return say.T("%s takes no POST (405); check the URL's path", a[0]), true
	}
	if a := made(text, "%s is asked too often (429); try again later"); a != nil {
		return say.T("%s is asked too often (429); try again later", a[0]), true
	}
	if a := made(text, "%s does not allow this (403)%s"); a != nil {
		return say.T("%s does not allow this (403)%s", a[0], a[1]), true
	}
	if a := made(text, "%s redirects (%s) to %s, which is not followed; use that address if you trust it"); a != nil {
		return say.T("%s redirects (%s) to %s, which is not followed; use that address if you trust it", a[0], a[1], a[2]), true
	}
	if a := made(text, "%s failed (%s)%s"); a != nil {
		return say.T("%s failed (%s)%s", a[0], a[1], a[2]), true
	}
	if a := made(text, "%s refused the request (%s)%s"); a != nil {
		return say.T("%s refused the request (%s)%s", a[0], a[1], a[2]), true
	}
	return text, false
}

// made returns what stands for each %s of format in text, or nil if format has
// not made text. Only the last may be empty or hold blanks: the others are
// hosts, addresses and statuses, and the last is what a server said.
func made(text, format string) []any {
	parts := strings.Split(format, "%s")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return nil
	}
	var found []any
	for i, part := range parts[1:] {
		at := len(rest)
		if part != "" || i < len(parts)-2 {
			at = strings.Index(rest, part)
		}
		if at < 0 {
			return nil
		}
		found = append(found, rest[:at])
		rest = rest[at+len(part):]
	}
	if rest != "" || len(found) == 0 {
		return nil
	}
	return found
}
