package bridge

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// What must not be in any text of the bridge's own (an error, the log, the
// trace), though a remote may repeat it: what the user gave as headers and in
// the query, the credential, session ids and cookies.

// hidden is what of it does not change, and what the remote gave.
type hidden struct {
	once  sync.Once
	fixed []string

	mu      sync.Mutex
	learned []string
}

// shortestSecret is the length below which a word is not taken for a secret: it
// would be found in all kinds of texts.
const shortestSecret = 8

// maxLearned bounds what is kept of what the remote gave; it is the latest that
// counts.
const maxLearned = 32

// learn adds a session id or a cookie.
func (h *hidden) learn(v string) {
	if len(v) < shortestSecret {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.learned, v) {
		return
	}
	if len(h.learned) == maxLearned {
		h.learned = slices.Delete(h.learned, 0, 1)
	}
	h.learned = append(h.learned, v)
}

// secrets are all of them, the longest first.
func (r *remote) secrets() []string {
	r.hidden.once.Do(func() { r.hidden.fixed = given(r.cfg.Header, r.url) })
	out := slices.Clone(r.hidden.fixed)
	r.hidden.mu.Lock()
	out = append(out, r.hidden.learned...)
	r.hidden.mu.Unlock()
	if !r.static && r.cfg.Authorizer != nil {
		// What it holds is returned at once; what it does not hold yet cannot
		// have been sent.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if v, err := r.cfg.Authorizer.Authorization(ctx); err == nil {
			out = appendWords(out, v)
		}
	}
	for _, v := range out {
		if strings.Contains(v, "/") {
			out = append(out, strings.ReplaceAll(v, "/", `\/`)) // as PHP writes it
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// given are the secrets that the user gave.
func given(header http.Header, u *url.URL) (out []string) {
	for name, values := range header {
		if harmless(name) {
			continue
		}
		for _, v := range values {
			out = appendWords(out, v)
			if _, pair, ok := strings.Cut(v, "Basic "); ok {
				plain, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(pair))
				if _, password, ok := strings.Cut(string(plain), ":"); ok && len(password) >= shortestSecret {
					out = append(out, password)
				}
			}
		}
	}
	if u == nil {
		return out
	}
	for name, values := range u.Query() {
		for _, v := range values {
			if len(v) >= shortestSecret && (secretName(name) || opaque(v)) {
				out = append(out, v)
				if q := url.QueryEscape(v); q != v {
					out = append(out, q)
				}
			}
		}
	}
	for _, v := range strings.Split(u.Path, "/") { // an address may be the key
		if opaque(v) {
			out = append(out, v)
		}
	}
	return out
}

func appendWords(out []string, v string) []string {
	for _, part := range strings.Fields(v) {
		if len(part) >= shortestSecret {
			out = append(out, part)
		}
	}
	return out
}

func harmless(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Accept-Language", "Content-Type", "User-Agent":
		return true
	}
	return false
}

// secretName reports whether a parameter is called what secrets are called. Most
// parameters are none, and an error has to name what is wrong with them.
func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range [...]string{"key", "token", "secret", "auth", "sig", "pass", "pwd", "code", "cred", "session", "jwt"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// opaque reports whether a word is nothing that a person would make up: a long
// run of letters and digits, or a UUID.
func opaque(v string) bool {
	uuid := len(v) == 36 && strings.Count(v, "-") == 4
	for _, run := range strings.FieldsFunc(v, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(run) >= 16 || uuid && len(run) == 12 {
			if strings.ContainsFunc(run, unicode.IsDigit) && (uuid || strings.ContainsFunc(run, unicode.IsLetter)) {
				return true
			}
		}
	}
	return false
}

const redacted = "[redacted]"

// redact cuts the secrets out of a text.
func (r *remote) redact(text string) string {
	for _, secret := range r.secrets() {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return text
}

// quote is an excerpt of a remote's text with the secrets cut out of it. They are
// looked for again in what is left when the text has been made fit to be shown:
// only then a secret may be whole.
func (r *remote) quote(text []byte) string {
	s := r.redact(string(text[:min(len(text), 64<<10)]))
	return shortened(r.redact(tidied([]byte(s), 8*excerptLen)))
}

// A discreetHandler cuts the secrets out of what is logged: errors of net/http
// quote addresses, and what a server said. It says the same thing a few times
// only: a server must not be able to fill the log.
type discreetHandler struct {
	slog.Handler
	redact func(string) string
	said   *repeats
}

// repeats counts what was logged.
type repeats struct {
	mu sync.Mutex
	n  map[string]int // by the message, of which there are as many as calls of Log
}

// maxRepeats is how often the same message is logged.
const maxRepeats = 20

// again counts a message.
func (r *repeats) again(message string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil {
		r.n = map[string]int{}
	}
	r.n[message]++
	return r.n[message]
}

// Handle implements slog.Handler.
func (h discreetHandler) Handle(ctx context.Context, rec slog.Record) error {
	last := false
	if rec.Level >= slog.LevelInfo { // who debugs wants all of it
		n := h.said.again(rec.Message)
		if n > maxRepeats {
			return nil
		}
		last = n == maxRepeats
	}
	out := slog.NewRecord(rec.Time, rec.Level, rec.Message, rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	if last {
		out.AddAttrs(slog.String("more", "not shown"))
	}
	return h.Handler.Handle(ctx, out)
}

func (h discreetHandler) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redact(v.String()))
	case slog.KindAny:
		if err, ok := v.Any().(error); ok {
			return slog.String(a.Key, h.redact(err.Error()))
		}
	}
	return a
}

// WithAttrs implements slog.Handler.
func (h discreetHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return discreetHandler{h.Handler.WithAttrs(clean), h.redact, h.said}
}

// WithGroup implements slog.Handler.
func (h discreetHandler) WithGroup(name string) slog.Handler {
	return discreetHandler{h.Handler.WithGroup(name), h.redact, h.said}
}
