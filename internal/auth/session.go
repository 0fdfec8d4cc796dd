package auth

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"bridge/internal/fsx"
)

// A Mode says who may begin a sign-in.
type Mode int

const (
	// Never: nobody here. What is stored is used and renewed.
	Never Mode = iota
	// OnRequest: SignIn and Login, not a refused request.
	OnRequest
	// Auto: a refused request as well, once per machine; if that fails it is
	// OnRequest from there on.
	Auto
)

// Options of a Session. URL, Dir and Where are needed.
type Options struct {
	// URL is the MCP endpoint.
	URL string
	// Where returns the store and the name of the record in it. It is called
	// when something is first needed, and then no more once it succeeded.
	Where func(ctx context.Context) (Store, string, error)
	// Dir is a folder for locks and pending sign-ins. Each record has a folder
	// in it.
	Dir string

	Mode Mode
	// Lazy puts off the look into the store until the server has refused a
	// request: for servers that most likely want no credential.
	Lazy bool
	// Wait is how long a request waits for a person who is signing in; zero
	// means 18 s, which leaves the answer to initialize time to arrive.
	Wait time.Duration

	Client Client
	// Scope are the scopes to ask for, instead of what the server suggests.
	Scope string
	// Resource is the resource parameter, instead of what the server's metadata
	// say; NoResource sends none (RFC 8707; Entra ID refuses it).
	Resource   string
	NoResource bool
	// Issuer is the authorization server to prefer if there are several.
	Issuer string
	// AssumePKCE signs in although the metadata does not say that S256 is
	// supported.
	AssumePKCE bool
	// ClientCredentials signs in as the client itself, without a person
	// (RFC 6749 §4.4). DeviceCode shows a code to type elsewhere (RFC 8628).
	ClientCredentials bool
	DeviceCode        bool
	// UseIDToken sends the identity token instead of the access token, for
	// gateways that check nothing else.
	UseIDToken bool
	// TokenURL is the token endpoint, in place of discovery, with
	// ClientCredentials.
	TokenURL string
	// AuthorizeParams are added to the authorization request.
	AuthorizeParams [][2]string
	Callback        Callback
	// Page is what the browser shows at the end; nil is plain English.
	Page func(err error) Page

	// Tell is shown the link of every sign-in that begins here; nil does
	// nothing. It is called from another goroutine.
	Tell func(Link)
	// Browser opens a page; nil means OpenBrowser.
	Browser func(ctx context.Context, link string) error

	AllowHTTP bool
	RootCAs   func() *x509.CertPool
	Proxy     func(*http.Request) (*url.URL, error)
	UserAgent string
	Log       *slog.Logger     // nil discards
	Now       func() time.Time // nil means time.Now
}

// A Session is the credential of one server in one process. Its methods may be
// called from many goroutines at once.
type Session struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	server *url.URL
	dir    string
	log    *slog.Logger

	pause   func(context.Context, time.Duration) bool // between tries of a renewal
	netOnce sync.Once
	guard   *guard

	mu       sync.Mutex
	store    Store
	key      string
	asked    bool    // a look into the store has been made, or is not put off
	held     *record // in use; nil: none
	fresh    string  // the header that the last sign-in of this process gave
	fulls    int     // sign-ins since a token was last taken by the server
	steps    int     // steps up
	renewing *flight
	looking  *flight
	notYet   time.Time // after a renewal that failed: not before
	login    *login
	declined bool      // an automatic sign-in failed; the next one is asked for
	noLogin  time.Time // after one that could not reach the server: not before
	looked   bool      // the store was read
	needed   *Challenge
	lacking  *want // of a request that wanted more scopes than there are
}

// A flight is work that many wait for. err may be read when done is closed.
type flight struct {
	done chan struct{}
	used string
	err  error
}

// New makes a session. It touches neither network nor store. The session's
// work ends with ctx; Close waits for it.
func New(ctx context.Context, o Options) (*Session, error) {
	u, err := parseServer(o.URL, o.AllowHTTP)
	if err != nil {
		return nil, err
	}
	if o.Wait == 0 {
		o.Wait = 18 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Browser == nil {
		o.Browser = OpenBrowser
	}
	if o.Page == nil {
		o.Page = plainPage
	}
	if o.UserAgent == "" {
		o.UserAgent = "bridge"
	}
	s := &Session{o: o, server: u, log: o.Log, asked: !o.Lazy, pause: pause}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s, nil
}

// Close ends what is under way and waits for it. A sign-in that waits for a
// person can be finished by the next process.
func (s *Session) Close() {
	s.mu.Lock()
	s.cancel() // under the lock, so that nothing is begun once Wait counts
	s.mu.Unlock()
	s.work.Wait()
	s.mu.Lock()
	g := s.guard
	s.mu.Unlock()
	if g != nil {
		g.close()
	}
}

func (s *Session) now() time.Time { return s.o.Now() }

// net is made on first use: most sessions never need it.
func (s *Session) net() *guard {
	s.netOnce.Do(func() {
		g := newGuard(s.server, &s.o)
		s.mu.Lock()
		s.guard = g
		s.mu.Unlock()
	})
	return s.guard
}

// where is the store, the record's name, and, beside the way, the folder.
func (s *Session) where(ctx context.Context) (Store, string, error) {
	s.mu.Lock()
	store, key := s.store, s.key
	s.mu.Unlock()
	if store != nil {
		return store, key, nil
	}
	store, key, err := s.o.Where(ctx)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256([]byte(key))
	dir := filepath.Join(s.o.Dir, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("make the folder of a sign-in: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		s.store, s.key, s.dir = store, key, dir
	}
	return s.store, s.key, nil
}

// lockRecord is held while a record is read, changed and written. It spans
// processes.
func (s *Session) lockRecord(ctx context.Context) (*fsx.FileLock, error) {
	if _, _, err := s.where(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	return fsx.Lock(ctx, filepath.Join(s.dir, "record.lock"))
}

// Authorization returns the header for the next request, or "". It returns
// what is held without I/O as long as that is good; it renews what is about to
// end, and waits a while for a sign-in that is under way. An error that is
// ErrSignInNeeded means that there is nothing to send.
func (s *Session) Authorization(ctx context.Context) (string, error) {
	s.mu.Lock()
	asked, held, l, needed, looked := s.asked, s.held, s.login, s.needed, s.looked
	early := s.now().Before(s.notYet)
	s.mu.Unlock()
	if held != nil {
		switch {
		case !held.static.IsZero(), !held.tokens.due(s.now()), ctx.Err() != nil, early && !held.tokens.expired(s.now()):
			return held.header(), nil
		case held.renewable():
			err := s.renew(ctx, held.header())
			if err == nil {
				return s.header(), nil
			}
			if !held.tokens.expired(s.now()) && ctx.Err() == nil {
				return held.header(), nil
			}
			if !errors.Is(err, errGrantGone) {
				return "", err
			}
		}
		// What has ended is sent all the same if it is all there is: the server
		// says what it wants instead.
		if h := s.header(); h != "" {
			return h, nil
		}
	}
	if !asked {
		return "", nil
	}
	if l != nil {
		return s.await(ctx, l)
	}
	if looked && needed == nil {
		return "", nil // the server has not asked for one
	}
	// Another process may have signed in.
	if err := s.look(ctx); err != nil {
		return "", err
	}
	if h := s.header(); h != "" {
		return s.checked(ctx)
	}
	if needed != nil && !s.mayBegin() {
		return "", s.needs()
	}
	return "", nil
}

// checked is Authorization for a record that was just read.
func (s *Session) checked(ctx context.Context) (string, error) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held == nil || !held.renewable() || !held.tokens.due(s.now()) {
		return held.header(), nil
	}
	return s.Authorization(ctx)
}

// header is what is held.
func (s *Session) header() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held.header()
}

// look reads the record into what is held. It is no part of a caller's wait:
// a keychain may wait for a person.
func (s *Session) look(ctx context.Context) error {
	s.mu.Lock()
	f := s.looking
	if f == nil {
		if err := context.Cause(s.ctx); err != nil {
			s.mu.Unlock()
			return err
		}
		f = &flight{done: make(chan struct{})}
		s.looking = f
		s.work.Go(func() {
			r, err := s.load(s.ctx)
			if f.err = err; err == nil {
				s.hold(r)
			}
			s.mu.Lock()
			s.looking = nil
			s.looked = s.looked || err == nil
			s.mu.Unlock()
			close(f.done)
		})
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Start begins to look for what is stored, so that it is there when the first
// request is. It does not wait.
func (s *Session) Start() {
	if s.o.Lazy {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_ = s.look(ctx) // whoever asks next gets the error
}

func (s *Session) hold(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.header() == "" {
		r = nil
	}
	s.held, s.asked = r, true
}

// mayBegin says whether a refused request may begin a sign-in.
func (s *Session) mayBegin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return (s.o.Mode == Auto && !s.declined || s.o.ClientCredentials) && !s.now().Before(s.noLogin)
}

func (s *Session) needs() *Error {
	e := failure(ErrSignInNeeded, "")
	if p := s.pendingLink(); p != "" {
		e.Link = p
	}
	return e
}

// pendingLink is the link of a sign-in that waits for a person, in this
// process or another, or "".
func (s *Session) pendingLink() string {
	s.mu.Lock()
	dir := s.dir
	s.mu.Unlock()
	if dir == "" {
		return ""
	}
	p := s.readPending()
	if !p.live(s.now()) {
		return ""
	}
	return p.Link
}

// Static reports whether what is held is a static token.
func (s *Session) Static() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held != nil && !s.held.static.IsZero()
}

// Refused is told of a 401 or 403. A nil error means that Authorization has
// something better now. Used is the header that was refused, or "".
func (s *Session) Refused(ctx context.Context, status int, authenticate []string, used string) error {
	c := bearer(ParseChallenges(authenticate))
	if status == http.StatusForbidden || c.Params["error"] == "insufficient_scope" {
		return s.stepUp(ctx, c, used)
	}
	s.mu.Lock()
	s.asked, s.needed = true, &c
	l := s.login
	if h := s.held.header(); h != "" && h != used {
		s.mu.Unlock()
		return nil // somebody else was refused before, and found another
	}
	s.mu.Unlock()
	if l != nil {
		_, err := s.await(ctx, l)
		return err
	}
	err := s.renew(ctx, used)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errStatic):
		return failure(ErrRefused, "")
	case !errors.Is(err, errGrantGone):
		return err
	}
	s.mu.Lock()
	if used != "" && used == s.fresh {
		if s.fulls++; s.fulls > 1 {
			s.mu.Unlock()
			return failure(ErrRefused, "")
		}
	}
	s.mu.Unlock()
	if !s.mayBegin() {
		return s.needs()
	}
	l = s.begin(want{challenge: c, refused: used, auto: true})
	_, err = s.await(ctx, l)
	return err
}

// stepUp asks for more scopes: those that were asked for, those that
// were granted and those of the challenge, together.
func (s *Session) stepUp(ctx context.Context, c Challenge, used string) error {
	s.mu.Lock()
	held := s.held
	if held == nil || !held.static.IsZero() {
		s.mu.Unlock()
		return failure(ErrRefused, "%s", plain(c.Params["scope"]))
	}
	if held.header() != used {
		s.mu.Unlock()
		return nil
	}
	scope := union(held.scope, held.tokens.scope, c.Params["scope"])
	if s.steps >= maxSteps || covers(held.scope, scope) {
		// All of it was asked for, and this is what was granted.
		s.mu.Unlock()
		return failure(ErrRefused, "%s", plain(c.Params["scope"]))
	}
	l := s.login
	s.lacking = &want{challenge: c, scope: scope}
	s.mu.Unlock()
	if l == nil {
		if !s.mayBegin() {
			e := s.needs()
			if plain(scope) == scope { // else it is nothing to type
				e.Scope = scope
			}
			return e
		}
		s.mu.Lock()
		s.steps++
		s.mu.Unlock()
		l = s.begin(want{challenge: c, scope: scope, refused: used, auto: true})
	}
	_, err := s.await(ctx, l)
	return err
}

// maxSteps bounds the steps up that a process begins of its own accord.
const maxSteps = 3
