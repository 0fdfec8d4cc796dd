package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// The report of --bundle is for others to read: it is attached to a public
// bug report by somebody in a hurry. So it holds what helps, names of
// variables and never their values, and everything in it goes through a
// sieve: what is known to be secret here, and what looks it.

// A bundle is the report. config.toml holds no secrets by its own rules.
type bundle struct {
	Created     string      `json:"created"` // RFC 3339
	Build       buildInfo   `json:"build"`
	Environment []string    `json:"environment"` // names that are set
	Config      string      `json:"config"`
	Checks      []diagnosis `json:"checks"`
}

func (d *doctor) writeBundle(path string, file *servers.File) error {
	b := bundle{Created: time.Now().UTC().Format(time.RFC3339), Build: build(), Environment: []string{}, Checks: d.checks}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if telling(name) {
			b.Environment = append(b.Environment, name)
		}
	}
	slices.Sort(b.Environment)
	if file != nil && file.Exists() {
		b.Config = file.Text()
	}
	text, err := jsonText(b)
	if err != nil {
		return err
	}
	clean := sieve(string(text), append(environmentSecrets(), d.tokens...))
	if err := fsx.Swap(path, nil, []byte(clean)); err != nil {
		return fail(exitFailure, say.T("cannot write %q: %s", path, plainError(err))).because(err)
	}
	if !d.app.asJSON {
		d.app.note(say.T("report written to %s; read it before you send it", path))
	}
	return nil
}

// telling says whether a variable can be why something behaves as it does.
func telling(name string) bool {
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "BRIDGE_") || strings.HasSuffix(upper, "_PROXY") ||
		slices.Contains([]string{"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CI", "TERM", "LANG", "LC_ALL",
			"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "SSH_CONNECTION", "WSL_DISTRO_NAME"}, upper)
}

// environmentSecrets are the values of variables that must not be in the
// report.
func environmentSecrets() []string {
	var out []string
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "BRIDGE_TOKEN") || strings.HasPrefix(upper, "BRIDGE_PASS") || strings.Contains(upper, "SECRET") || strings.Contains(upper, "PASSWORD") || strings.HasSuffix(upper, "_TOKEN") || strings.HasSuffix(upper, "_KEY") {
			out = append(out, value)
		}
		if strings.HasSuffix(upper, "_PROXY") {
			if _, rest, ok := strings.Cut(value, "://"); ok {
				if user, _, ok := strings.Cut(rest, "@"); ok {
					out = append(out, user)
				}
			}
		}
	}
	if path := os.Getenv("BRIDGE_TOKEN_FILE"); path != "" {
		if text, err := readSmall(path); err == nil {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return out
}

// sieve takes secrets out of text: known ones, words that look like tokens,
// user names in addresses, and the name of the user's home.
func sieve(text string, known []string) string {
	const gone = "[removed]"
	for _, s := range known {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, gone)
			text = strings.ReplaceAll(text, inJSON(s), gone)
		}
	}
	text = withoutTokens(text)
	for _, re := range []string{
		`(?i)(bearer|basic)\s+[a-z0-9._~+/=-]{8,}`,
		`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`,
		`\b(sk|ghp|gho|github_pat|glpat|xox[abp])[-_][A-Za-z0-9_-]{12,}`,
	} {
		text = regexp.MustCompile(re).ReplaceAllString(text, gone)
	}
	text = regexp.MustCompile(`(://)[^/\s"@]+@`).ReplaceAllString(text, "${1}"+gone+"@")
	text = regexp.MustCompile(`([?&](?:access_token|token|key|api_key|secret|password|code)=)[^&\s"]+`).ReplaceAllString(text, "${1}"+gone)
	if home, err := os.UserHomeDir(); err == nil && len(home) > 3 {
		text = strings.ReplaceAll(text, inJSON(home), "~")
	}
	return text
}

// jsonText is a value as indented JSON. Nothing is escaped for HTML: an
// ampersand is what the sieve looks for.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	err := newEncoder(&b, true).Encode(v)
	return b.Bytes(), err
}

// inJSON is text as it stands between the quotes of a string of jsonText.
func inJSON(text string) string {
	b, err := jsonText(text)
	if err != nil {
		return text
	}
	return string(b[1 : len(b)-2]) // quotes, and a line feed
}
