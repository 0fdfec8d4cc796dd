package auth

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"bridge/internal/fsx"
)

// A want is what a sign-in is for.
type want struct {
	challenge Challenge
	scope     string // has to be covered; empty: whatever the server suggests
	refused   string // the header that is not good enough, or ""
	auto      bool   // nobody asked for it: one browser window per machine
	noBrowser bool
	paste     <-chan string // redirect URLs that a person pastes
	tell      func(Link)    // is shown the link, possibly more than once
	odd       func()        // is told of a pasted address that is none of this sign-in; may be nil
}

// A Link is what a person has to open to sign in. Code is to be typed there,
// if it is not empty.
type Link struct {
	URL  string
	Code string
	// Opened says that a browser was started.
	Opened bool
}

// A login is a sign-in of this process: the one it leads, or the one of
// another process that it follows.
type login struct {
	done   chan struct{}
	linked chan struct{} // closed when link is known
	link   Link          // under Session.mu
	err    error         // readable when done is closed
}

// begin starts a sign-in in the background, or joins the one there is.
func (s *Session) begin(w want) *login {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login != nil {
		return s.login
	}
	l := &login{done: make(chan struct{}), linked: make(chan struct{})}
	if l.err = context.Cause(s.ctx); l.err != nil {
		close(l.done)
		return l
	}
	s.login = l
	tell := w.tell
	w.tell = func(link Link) {
		s.mu.Lock()
		first := l.link.URL == ""
		l.link = link
		s.mu.Unlock()
		if first {
			close(l.linked)
		}
		for _, f := range []func(Link){s.o.Tell, tell} {
			if f != nil {
				f(link)
			}
		}
	}
	s.work.Go(func() {
		l.err = s.signIn(s.ctx, w)
		s.mu.Lock()
		s.login = nil
		if l.err == nil {
			s.fresh, s.declined, s.lacking = s.held.header(), false, nil
		} else if w.auto && s.ctx.Err() == nil {
			if errors.Is(l.err, ErrUnreachable) {
				s.noLogin = s.now().Add(renewPause)
			} else {
				s.declined = true
			}
		}
		s.mu.Unlock()
		if l.err != nil && s.ctx.Err() == nil {
			s.log.Warn("the sign-in did not work", "why", l.err)
		}
		close(l.done)
	})
	return l
}

// await waits for a sign-in as long as a request can wait for a person.
func (s *Session) await(ctx context.Context, l *login) (string, error) {
	t := time.NewTimer(s.o.Wait)
	defer t.Stop()
	select {
	case <-l.done:
		if l.err != nil {
			return "", l.err
		}
		return s.header(), nil
	case <-t.C:
		e := failure(ErrSignInNeeded, "")
		s.mu.Lock()
		e.Link = l.link.URL
		s.mu.Unlock()
		return "", e
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// SignIn begins a sign-in if none is under way and returns its link, which a
// host can show to the person.
func (s *Session) SignIn(ctx context.Context) (Link, error) {
	s.mu.Lock()
	w := want{}
	switch {
	case s.lacking != nil:
		w = *s.lacking
	case s.needed != nil:
		w.challenge = *s.needed
	}
	w.refused = s.held.header()
	s.mu.Unlock()
	l := s.begin(w)
	select {
	case <-l.linked:
		s.mu.Lock()
		defer s.mu.Unlock()
		return l.link, nil
	case <-l.done:
		return Link{}, l.err
	case <-ctx.Done():
		return Link{}, context.Cause(ctx)
	}
}

// A LoginOptions is for Login.
type LoginOptions struct {
	// NoBrowser opens none; the link is only told.
	NoBrowser bool
	// Paste delivers redirect URLs that a person copied from a browser which
	// could not reach this machine.
	Paste <-chan string
	// Tell is shown the link.
	Tell func(Link)
	// Odd is told of each pasted address that belongs to no pending sign-in; nil
	// does nothing. It is called from another goroutine.
	Odd func()
	// Challenge are the values of the WWW-Authenticate header that asked for
	// it, if there was one.
	Challenge []string
}

// Login signs in anew, for a person who asked for it, and waits until it is
// done.
func (s *Session) Login(ctx context.Context, o LoginOptions) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	w := want{challenge: bearer(ParseChallenges(o.Challenge)), refused: s.header(), noBrowser: o.NoBrowser, paste: o.Paste, tell: o.Tell, odd: o.Odd}
	l := s.begin(w)
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// followPause is how often a follower asks for the lock.
const followPause = 250 * time.Millisecond

// signIn leads a sign-in, or follows the one of another process until it is
// done or its leader is gone.
func (s *Session) signIn(ctx context.Context, w want) error {
	if _, _, err := s.where(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginLimit+30*time.Second, failure(ErrTimeout, ""))
	defer cancel()
	began := s.now()
	shown := ""
	for {
		lock, err := fsx.TryLock(filepath.Join(s.dir, "login.lock"))
		if err == nil {
			err = s.lead(ctx, w, began)
			lock.Unlock()
			return err
		}
		if !errors.Is(err, fsx.ErrLocked) {
			return err
		}
		if p := s.readPending(); p.live(s.now()) && p.Link != shown {
			shown = p.Link
			link := Link{URL: p.Link}
			if !w.auto && !w.noBrowser {
				link.Opened = s.open(ctx, p.Link)
			}
			w.tell(link)
		}
		t := time.NewTimer(followPause)
		select {
		case <-t.C:
		case text := <-w.paste:
			if err := s.pasted(ctx, w, text); err != nil && !errors.Is(err, ErrNotPending) {
				t.Stop()
				var own *Error
				if errors.As(err, &own) && !errors.Is(err, ErrUnreachable) {
					s.endPending(err) // the code is used up: the leader need not wait for it
				}
				return err
			}
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
		t.Stop()
	}
}

// lead does the sign-in; the login lock is held. When a follower comes here,
// the leader has succeeded, has failed, or is dead.
func (s *Session) lead(ctx context.Context, w want, began time.Time) error {
	r, err := s.load(ctx)
	if err != nil {
		return err
	}
	if h := r.header(); h != "" && h != w.refused && (!r.static.IsZero() || covers(union(r.scope, r.tokens.scope), w.scope) && !r.tokens.expired(s.now())) {
		s.hold(r)
		return nil
	}
	p := s.readPending()
	if w.auto {
		if err := p.failed(began.Add(-endedFor)); err != nil {
			return err
		}
	}
	switch {
	case s.o.ClientCredentials:
		return s.asClient(ctx, w, r)
	case s.o.DeviceCode:
		return s.withDevice(ctx, w, r)
	}
	for again := false; ; again = true {
		err := s.withBrowser(ctx, w, p, r)
		if err == nil {
			return nil
		}
		if errors.Is(err, errClientGone) && !again && s.o.Client.ID == "" {
			// register again, once.
			s.dropRegistration(ctx)
			if r, err = s.load(ctx); err != nil {
				return err
			}
			p = nil
			continue
		}
		if s.ctx.Err() == nil && !errors.Is(err, ErrUnreachable) {
			s.endPending(err)
		}
		return err
	}
}

// withBrowser is the authorization code grant. p is a pending sign-in that may
// be taken over.
func (s *Session) withBrowser(ctx context.Context, w want, p *pending, r *record) error {
	l, p, err := s.resume(ctx, w, p, r)
	if err != nil {
		return err
	}
	if l == nil {
		if l, p, err = s.start(ctx, w, r); err != nil {
			return err
		}
	}
	defer l.close()
	w.tell(Link{URL: p.Link})
	// The browser may be back before its program has ended.
	opened := make(chan bool, 1)
	if !w.noBrowser && (!w.auto || p.Opened.IsZero() || s.now().Sub(p.Opened) > reopenAfter) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s.work.Go(func() { opened <- s.open(ctx, p.Link) })
	}
	return s.waitFor(ctx, w, l, p, opened)
}

// open tries the browser. That it did not work is no failure: the link is
// shown as well.
func (s *Session) open(ctx context.Context, link string) bool {
	err := s.o.Browser(ctx, link)
	if err != nil && ctx.Err() == nil {
		s.log.Info("no browser was opened", "why", err)
	}
	return err == nil
}

// resume takes over a sign-in that a process left behind: same port, same
// state, same page in the browser. A nil listener means that there is none to
// take over.
func (s *Session) resume(ctx context.Context, w want, p *pending, r *record) (*listener, *pending, error) {
	if s.o.Client.ID != "" && p != nil && s.o.Client.ID != p.Client || s.o.Scope != "" && p != nil && s.o.Scope != p.Scope {
		return nil, nil, nil
	}
	if !p.live(s.now()) || r == nil || r.draft == nil || r.draft.client.id != p.Client || r.draft.issuer != p.Issuer || !covers(p.Scope, w.scope) {
		return nil, nil, nil
	}
	u, err := url.Parse(p.Redirect)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // a file that was tampered with is no sign-in
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return nil, nil, nil //nolint:nilerr // likewise
	}
	l, err := s.listen(ctx, port)
	if err != nil {
		return nil, nil, err
	}
	if l.redirect != p.Redirect {
		l.close()
		return nil, nil, nil
	}
	return l, p, nil
}

// start makes everything a new sign-in needs: what the server wants, a port, a
// registration, and the pending file; in this order.
func (s *Session) start(ctx context.Context, w want, r *record) (_ *listener, _ *pending, err error) {
	known := s.o.Issuer
	if known == "" && r != nil {
		known = r.issuer
	}
	d, err := s.net().discover(ctx, w.challenge, known)
	if err != nil {
		return nil, nil, err
	}
	if !d.supportsPKCE() && !s.o.AssumePKCE {
		return nil, nil, failure(ErrUnsafe, "%s does not say that it supports PKCE with S256", quoteURL(d.server.Issuer))
	}
	if d.server.Authorization == "" {
		return nil, nil, failure(ErrNoOAuth, "%s names no authorization endpoint", quoteURL(d.server.Issuer))
	}
	base := r
	if r != nil && r.draft != nil && r.draft.issuer == d.server.Issuer {
		base = r.draft
	}
	l, err := s.listen(ctx, portOf(base))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	draft := s.draft(d, w, r)
	client, err := s.chooseClient(d, base, l.redirect)
	if err != nil {
		return nil, nil, err
	}
	if client == nil {
		client, err = s.register(ctx, d, draft.scope, []string{l.redirect, otherLoopback(l.redirect)})
		if err != nil {
			return nil, nil, err
		}
	}
	draft.client = *client
	p, err := s.newPending(d, draft)
	if err != nil {
		return nil, nil, err
	}
	if err := s.keepDraft(ctx, draft); err != nil {
		return nil, nil, err
	}
	return l, p, s.writePending(p)
}

// draft is the record to be, without client and tokens.
func (s *Session) draft(d *discovery, w want, old *record) *record {
	n := &record{
		url: canonical(s.server), issuer: d.server.Issuer, resource: d.resource, tokenURL: d.server.Token, revoke: d.server.Revocation,
		grant: grantCode, set: s.o.Scope,
	}
	if n.set == "" && old != nil {
		n.set = old.set
	}
	n.scope = w.scope
	if n.scope == "" {
		n.scope = d.scopeFor(n.set, w.challenge.Params["scope"])
	}
	switch {
	case s.o.NoResource:
		n.resource = ""
	case s.o.Resource != "":
		n.resource = s.o.Resource
	case old != nil && old.resource == "" && old.issuer == n.issuer:
		n.resource = "" // as it was signed in to before
	}
	return n
}

// portOf is the port of the redirect URI that a record's client has.
func portOf(r *record) int {
	if r == nil {
		return 0
	}
	u, err := url.Parse(r.client.redirect)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(u.Port()) // 0 if there is none
	return port
}

// keepDraft stores the registration before the browser opens: whoever finishes
// the sign-in needs it.
func (s *Session) keepDraft(ctx context.Context, draft *record) error {
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	r, err := s.load(ctx)
	if err != nil {
		return err
	}
	if r == nil {
		r = &record{url: canonical(s.server)}
	}
	r.draft = draft
	return s.saveFor(ctx, r)
}

// dropRegistration forgets a client that the server does not know any more.
func (s *Session) dropRegistration(ctx context.Context) {
	lock, err := s.lockRecord(ctx)
	if err != nil {
		return
	}
	defer lock.Unlock()
	r, err := s.load(ctx)
	if err != nil || r == nil {
		return
	}
	r.draft, r.client = nil, registration{}
	if err := s.saveFor(ctx, r); err != nil {
		s.log.Debug("the registration could not be deleted", "why", err)
	}
}

// watchPause is how often a leader looks whether somebody else has finished its
// sign-in.
const watchPause = 500 * time.Millisecond

// waitFor waits until the sign-in is finished, here or by another process.
func (s *Session) waitFor(ctx context.Context, w want, l *listener, p *pending, opened <-chan bool) error {
	late := time.NewTimer(p.Created.Add(loginLimit).Sub(s.now()))
	defer late.Stop()
	watch := time.NewTicker(watchPause)
	defer watch.Stop()
	for {
		select {
		case ok := <-opened:
			w.tell(Link{URL: p.Link, Opened: ok})
			if now := s.readPending(); ok && now != nil && now.State == p.State && !now.Redeemed {
				p.Opened = s.now()
				if err := s.writePending(p); err != nil {
					return err
				}
			}
		case v := <-l.visits:
			err := s.finish(ctx, v.params)
			v.reply <- reply{err}
			if !errors.Is(err, ErrNotPending) {
				return err
			}
		case text := <-w.paste:
			if err := s.pasted(ctx, w, text); !errors.Is(err, ErrNotPending) {
				return err
			}
		case <-watch.C:
			now := s.readPending()
			if now != nil && now.State == p.State {
				continue
			}
			if err := now.failed(p.Created); err != nil {
				return err
			}
			r, err := s.load(ctx)
			if err != nil {
				return err
			}
			if h := r.header(); h != "" && h != w.refused {
				s.hold(r)
				return nil
			}
		case <-late.C:
			return failure(ErrTimeout, "")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Session) pasted(ctx context.Context, w want, text string) error {
	params, err := parseRedirect(text)
	if err == nil {
		err = s.finish(ctx, params)
	}
	if w.odd != nil && errors.Is(err, ErrNotPending) {
		w.odd()
	}
	return err
}
