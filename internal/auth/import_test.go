package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"bridge/keystore"
)

// foreign makes a sign-in that another program could have made: one of our own,
// taken out of the store.
func (w *world) foreign(t *testing.T) Import {
	t.Helper()
	must(t, w.fakeServer, w.session(t, nil))
	r, err := decodeRecord(w.store.m["record"])
	if err != nil {
		t.Fatal(err)
	}
	w.store.m = nil
	return Import{
		ClientID: r.client.id, Redirect: "http://localhost:3334/oauth/callback", Access: r.tokens.access, Refresh: r.tokens.refresh,
		Scope: "read", Issued: time.Now(), Expires: time.Now().Add(time.Hour),
	}
}

func (w *world) challenge() []string {
	return []string{`Bearer resource_metadata="` + w.URL + `/.well-known/oauth-protected-resource/mcp"`}
}

func imported(t *testing.T, w *world, s *Session, in Import) *Imported {
	t.Helper()
	i, err := s.Import(t.Context(), in, w.challenge())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// A sign-in that still works is kept as it is, used by other sessions, and
// renewed by them when its time has come, all without a person.
func TestImportKeep(t *testing.T) {
	w := newWorld(t)
	in := w.foreign(t)
	i := imported(t, w, w.session(t, nil), in)
	if w.store.m != nil {
		t.Error("something was stored before it was to be kept")
	}
	if got := i.Token(); got.Reveal() != in.Access.Reveal() || !i.Renewable() {
		t.Error("another token came out")
	}
	if err := i.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, w.fakeServer, w.session(t, nil))
	w.expire()
	must(t, w.fakeServer, w.session(t, nil))
	if w.opens() != 1 || w.asked("grant:refresh_token") != 1 || len(w.register) != 1 {
		t.Errorf("%d windows, %d refreshes, %d registrations", w.opens(), w.asked("grant:refresh_token"), len(w.register))
	}
	form := w.forms[len(w.forms)-1]
	if form.Get("client_id") != in.ClientID || form.Get("resource") != w.mcp() {
		t.Errorf("refreshed with %v", form)
	}
	w.secretFree(t, w.log.String())
}

// One whose access token has ended is renewed before it is believed, and the
// new tokens are what is stored.
func TestImportRenew(t *testing.T) {
	w := newWorld(t)
	in := w.foreign(t)
	w.expire()
	in.Expires = time.Now().Add(-time.Second)
	i := imported(t, w, w.session(t, nil), in)
	if got := i.Token(); !got.IsZero() {
		t.Error("a token that has ended came out")
	}
	if err := i.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := must(t, w.fakeServer, w.session(t, nil))
	if strings.Contains(h, in.Access.Reveal()) || w.opens() != 1 || w.asked("grant:refresh_token") != 1 {
		t.Errorf("%d windows, %d refreshes", w.opens(), w.asked("grant:refresh_token"))
	}
	// What is renewed is not taken back: there is no other copy.
	if err := i.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := must(t, w.fakeServer, w.session(t, nil)); again != h {
		t.Error("the renewed tokens are gone")
	}
	w.secretFree(t, w.log.String())
}

// Once: what is stored already is not replaced.
func TestImportNotOver(t *testing.T) {
	for name, there := range map[string]func(t *testing.T, w *world){
		"a sign-in": func(t *testing.T, w *world) { must(t, w.fakeServer, w.session(t, nil)) },
		"a token": func(_ *testing.T, w *world) {
			w.store.m = map[string][]byte{"record": []byte("pat-0123456789")}
		},
		"what a newer version wrote": func(_ *testing.T, w *world) {
			w.store.m = map[string][]byte{"record": []byte(`{"bridge_oauth":99}`)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			in := w.foreign(t)
			there(t, w)
			before := string(w.store.m["record"])
			i := imported(t, w, w.session(t, nil), in)
			for _, keep := range []func(context.Context) error{i.Keep, i.Renew} {
				if err := keep(t.Context()); err == nil || !errors.Is(err, ErrKept) && !errors.Is(err, errNewer) {
					t.Errorf("%v, want ErrKept", err)
				}
			}
			if string(w.store.m["record"]) != before || w.asked("grant:refresh_token") != 0 {
				t.Error("what was stored has changed")
			}
		})
	}
}

// If the authorization server does not renew it, or cannot be asked, nothing
// is stored; what was there beside a credential is there again.
func TestImportRenewFails(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(w *world, in *Import)
		want  error
	}{
		"used before":      {func(w *world, _ *Import) { clear(w.refresh) }, ErrSignInNeeded},
		"client not known": {func(w *world, in *Import) { w.reject[in.ClientID] = true }, ErrSignInNeeded},
		"an error of theirs": {func(w *world, _ *Import) {
			w.take = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/token" {
					w.json(rw, 400, nil, map[string]any{"error": "invalid_target"})
				}
				return r.URL.Path == "/token"
			}
		}, ErrDenied},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			in := w.foreign(t)
			tc.spoil(w, &in)
			const registration = `{"bridge_oauth":1,"url":"x","issuer":"y","token_endpoint":"z","client":{"kind":"dynamic","id":"old"},"tokens":{}}`
			for _, before := range []string{"", registration} {
				w.store.m = nil
				if before != "" {
					w.store.m = map[string][]byte{"record": []byte(before)}
				}
				in.Expires = time.Now()
				err := imported(t, w, w.session(t, nil), in).Renew(t.Context())
				if !errors.Is(err, tc.want) {
					t.Errorf("%v, want %v", err, tc.want)
				}
				if got := string(w.store.m["record"]); got != before {
					t.Errorf("stored: %d bytes, want %d", len(got), len(before))
				}
			}
			w.secretFree(t, w.log.String())
		})
	}
}

// The rules of a sign-in of one's own hold, and nothing is sent before.
func TestImportRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(w *world, in *Import, o *Options)
		want   error
	}{
		"another issuer": {func(_ *world, in *Import, _ *Options) { in.Issuer = "https://elsewhere.example" }, ErrUnsafe},
		"metadata of another issuer": {func(w *world, _ *Import, _ *Options) {
			w.asm = func(m map[string]any) { m["issuer"] = "https://elsewhere.example" }
		}, ErrUnsafe},
		"a token endpoint in clear": {func(w *world, _ *Import, _ *Options) {
			w.asm = func(m map[string]any) { m["token_endpoint"] = "http://elsewhere.example/token" }
		}, ErrUnsafe},
		"metadata of another resource": {func(w *world, _ *Import, _ *Options) {
			w.prm = func(m map[string]any) { m["resource"] = "https://elsewhere.example/mcp" }
		}, ErrUnsafe},
		"no client":           {func(_ *world, in *Import, _ *Options) { in.ClientID = "" }, ErrNoClient},
		"a client's key":      {func(_ *world, in *Import, _ *Options) { in.Method = "private_key_jwt" }, ErrNoClient},
		"a secret that ended": {func(_ *world, in *Import, _ *Options) { in.SecretExpires = time.Now().Add(-time.Hour) }, ErrNoClient},
		"nothing":             {func(_ *world, in *Import, _ *Options) { in.Access = keystore.Secret{} }, ErrSignInNeeded},
		"ended, no refresh":   {func(_ *world, in *Import, _ *Options) { in.Refresh, in.Expires = keystore.Secret{}, time.Now() }, ErrSignInNeeded},
		"the identity token":  {func(_ *world, _ *Import, o *Options) { o.UseIDToken = true }, ErrSignInNeeded},
		"the client's own":    {func(_ *world, _ *Import, o *Options) { o.ClientCredentials = true }, ErrSignInNeeded},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			in := w.foreign(t)
			asked := w.asked("POST /token")
			s := w.session(t, func(o *Options) { tc.change(w, &in, o) })
			_, err := s.Import(t.Context(), in, w.challenge())
			if !errors.Is(err, tc.want) {
				t.Errorf("%v, want %v", err, tc.want)
			}
			if w.asked("POST /token") != asked || w.store.m != nil {
				t.Error("something was sent or stored")
			}
			if err != nil {
				w.secretFree(t, err.Error()+w.log.String())
			}
		})
	}
}

// How the client is known at the token endpoint, and what resource is named.
func TestImportShapes(t *testing.T) {
	secret := keystore.NewSecret("client-secret")
	for name, tc := range map[string]struct {
		change   func(w *world, in *Import, o *Options)
		method   string
		id       string
		resource bool
	}{
		"public":            {func(*world, *Import, *Options) {}, "none", "client-1", true},
		"its issuer, a URL": {func(w *world, in *Import, _ *Options) { in.Issuer = w.URL + "/as/" }, "none", "client-1", true},
		"a secret":          {func(_ *world, in *Import, _ *Options) { in.ClientSecret = secret }, "client_secret_post", "client-1", true},
		"a secret, by basic": {func(w *world, in *Import, _ *Options) {
			in.ClientSecret = secret
			w.asm = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"} }
		}, "client_secret_basic", "client-1", true},
		"a client of the user's": {func(_ *world, _ *Import, o *Options) { o.Client.ID = "given" }, "none", "given", true},
		"no resource":            {func(_ *world, _ *Import, o *Options) { o.NoResource = true }, "none", "client-1", false},
		"a time to come":         {func(_ *world, in *Import, _ *Options) { in.Issued = time.Now().Add(time.Hour) }, "none", "client-1", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			in := w.foreign(t)
			i := imported(t, w, w.session(t, func(o *Options) { tc.change(w, &in, o) }), in)
			if i.r.client.method != tc.method || i.r.client.id != tc.id || (i.r.resource != "") != tc.resource {
				t.Errorf("%s %s %q", i.r.client.method, i.r.client.id, i.r.resource)
			}
			if name == "a time to come" {
				if got := i.Token(); !got.IsZero() {
					t.Error("it was believed")
				}
			}
		})
	}
}
