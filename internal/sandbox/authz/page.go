package authz

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
)

// view is what the sign-in page shows.
type view struct {
	Request  string
	Client   string // the name the client gave itself; not to be trusted
	Redirect string
	Sample   string
	Fault    string
	CodeSent bool
}

const pageStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem;color:#222;background:#fafafa}
h1{font-size:1.3rem}input,button{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin:.3rem 0}
button{border:1px solid #888;border-radius:.3rem;background:#fff;cursor:pointer}button.go{background:#1f5fbf;color:#fff;border-color:#1f5fbf}
p.fault{color:#a00}small{color:#666}`

// page writes the sign-in page. It is written by hand, without a template
// engine: every value passes html.EscapeString, and there are few.
func (s *Service) page(w http.ResponseWriter, status int, v view) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	// No form-action: browsers apply it to the redirect that follows the form.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.WriteHeader(status)

	client := v.Client
	if client == "" {
		client = "A program"
	}
	place := v.Redirect
	if u, err := url.Parse(v.Redirect); err == nil && u.Host != "" {
		place = u.Host
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in to the sandbox</title><style>%s</style>
<h1>Sign in to the sandbox</h1>
<p><b>%s</b> asks to read and change your sample flashcards. You will be sent back to <code>%s</code>.</p>
`, pageStyle, html.EscapeString(client), html.EscapeString(place))
	if v.Fault != "" {
		fmt.Fprintf(&b, "<p class=\"fault\" role=\"alert\">%s</p>\n", html.EscapeString(v.Fault))
	}
	form := func(step, inside string) {
		fmt.Fprintf(&b, `<form method="post" action="/authorize"><input type="hidden" name="request" value="%s"><input type="hidden" name="step" value="%s">%s</form>
`, html.EscapeString(v.Request), step, inside)
	}
	if v.CodeSent {
		form("code", `<label>The 8-digit code <input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label><button class="go">Continue</button>
<small>The sandbox sends no mail: the code stands in the terminal where it runs.</small>`)
	} else {
		if v.Sample != "" {
			form("sample", `<button class="go">Continue as the sample learner</button><small>`+html.EscapeString(v.Sample)+`</small>`)
		}
		form("email", `<label>Or with an e-mail address <input type="email" name="email" required></label><button>Send a code</button>`)
	}
	form("deny", `<button>Cancel</button>`)
	b.WriteString("</html>\n")
	_, _ = w.Write([]byte(b.String()))
}
