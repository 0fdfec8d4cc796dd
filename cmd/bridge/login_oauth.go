package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// loginSession is a session in which a person is present.
func (a *app) loginSession(ctx context.Context, o loginOptions, s servers.Server, secrets store) (*auth.Session, auth.Options, error) {
	opts, err := o.signIn.options()
	if err != nil {
		return nil, opts, err
	}
	cfg, err := a.dialConfig(s)
	if err != nil {
		return nil, opts, err
	}
	opts.Mode = auth.OnRequest
	f := &finder{server: s, getenv: os.LookupEnv, open: func() (store, error) { return secrets, nil }}
	session, err := a.session(ctx, s, f, opts, &cfg)
	return session, opts, err
}

// browserLogin signs in by OAuth: with the browser, a device code or the
// client's own credentials. challenge is what the server said in its 401, if
// it was asked. The error is an auth.ErrNoOAuth if the server offers nothing.
func (a *app) browserLogin(ctx context.Context, o loginOptions, file *servers.File, s servers.Server, secrets store, challenge []string) error {
	session, opts, err := a.loginSession(ctx, o, s, secrets)
	if err != nil {
		return err
	}
	defer session.Close()
	title := serverTitle(s)
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	lo := auth.LoginOptions{NoBrowser: o.noBrowser, Challenge: challenge}
	links := make(chan auth.Link, 4)
	lo.Tell = func(l auth.Link) {
		select {
		case links <- l:
		default: // the same link, told again
		}
	}
	odd := make(chan struct{}, 1)
	if o.noBrowser && !opts.DeviceCode {
		lo.Paste = a.pastes(ctx)
		lo.Odd = func() {
			select {
			case odd <- struct{}{}:
			default: // it is about to be said
			}
		}
	}
	done := make(chan error, 1)
	go func() { done <- session.Login(ctx, lo) }()
	shown := auth.Link{}
	for waiting := true; waiting; {
		select {
		case l := <-links:
			a.showLink(title, l, shown, o.noBrowser)
			shown = l
		case <-odd:
			a.note(say.T("that address belongs to no sign-in that is waiting; paste the one that the browser ended at, all of it"))
		case err = <-done:
			waiting = false
		}
	}
	if err != nil {
		return signInProblem(err, s)
	}
	s.Auth = servers.AuthOAuth
	token := session.Token()
	checked, err := a.tryServer(ctx, &s, token)
	if exitOf(err) == exitSignIn {
		return fail(exitSignIn, say.T("%s did not take the sign-in that its own sign-in server gave", title)).
			hint(say.T("tell whoever runs the server")).because(err)
	}
	if err != nil {
		return err
	}
	if err := a.keep(ctx, file, s, secrets, keystore.Secret{}); err != nil {
		return err
	}
	return a.loginDone(s, secrets, token, checked)
}

// showLink says what to open. What is shown goes to stderr: stdout is for the
// outcome.
func (a *app) showLink(title string, l, before auth.Link, paste bool) {
	if l.URL != before.URL {
		switch {
		case l.Code != "":
			a.note(say.T("to sign in to %s, open %s and enter the code %s", title, l.URL, l.Code))
		case paste:
			a.note(say.T("to sign in to %s, open this page in any browser; then paste the address that the browser ended at, even if it shows an error, and press enter", title))
			a.note(l.URL)
		default:
			a.note(say.T("sign in to %s in the browser; if none appears, open %s", title, l.URL))
		}
	}
}

// pastes reads lines from stdin, for a person who pastes an address. A read of
// a terminal cannot be called back; it ends with the process, which is near.
func (a *app) pastes(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() {
		in := bufio.NewReader(io.LimitReader(a.in, maxAnswer))
		for {
			line, err := in.ReadString('\n')
			if line = strings.TrimSpace(line); line != "" {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// emailLogin signs in by a code that is sent to an address, for a key that
// does not end.
func (a *app) emailLogin(ctx context.Context, o loginOptions, file *servers.File, s *servers.Server, secrets store) (keystore.Secret, *check, error) {
	session, _, err := a.loginSession(ctx, o, *s, secrets)
	if err != nil {
		return keystore.Secret{}, nil, err
	}
	defer session.Close()
	title := serverTitle(*s)
	mail, err := session.SendCode(ctx, o.email)
	if err != nil {
		return keystore.Secret{}, nil, emailProblem(err, *s)
	}
	seconds := int(time.Until(mail.Expires).Round(time.Second).Seconds())
	a.note(say.T("a code was sent to %s; it is good for %d seconds", o.email, seconds))
	lines := bufio.NewReader(io.LimitReader(a.in, maxAnswer))
	for tries := 0; ; tries++ {
		code, err := a.askCode(ctx, lines)
		if tries > 0 && errors.Is(err, errNoCode) {
			err = fail(exitSignIn, say.T("there is no further code on stdin")).
				hint(say.T("run this again for a new code"))
		}
		if err != nil {
			return keystore.Secret{}, nil, err
		}
		key, err := mail.Verify(ctx, code, keyLabel())
		var wrong *auth.EmailError
		switch {
		case errors.As(err, &wrong) && wrong.Again:
			a.note(say.T("this is not the code; try again"))
			continue
		case err != nil:
			return keystore.Secret{}, nil, emailProblem(err, *s)
		}
		if s.Kind() == nil {
			s.Preset = presetOfToken(key)
		}
		if s.Auth == servers.AuthAuto {
			s.Auth = servers.AuthToken
		}
		c, err := a.tryServer(ctx, s, key)
		if err != nil {
			// The key is shown once, so it is kept although it cannot be tried now.
			if exitOf(err) != exitSignIn && a.keep(ctx, file, *s, secrets, key) == nil {
				a.note(say.T("the key for %s is kept, but could not be tried", title))
			}
		}
		return key, c, err
	}
}

// errNoCode is the end of a pipe that codes are read from.
var errNoCode = errors.New("no code on stdin")

// askCode asks for a code, or reads one from a pipe.
func (a *app) askCode(ctx context.Context, lines *bufio.Reader) (string, error) {
	for {
		var code string
		var err error
		if a.interactive() {
			code, err = a.ask(ctx, say.T("Code from the e-mail:"))
		} else {
			code, err = lines.ReadString('\n')
			if errors.Is(err, io.EOF) && strings.TrimSpace(code) != "" {
				err = nil
			}
			if errors.Is(err, io.EOF) {
				err = fail(exitSignIn, say.T("there is no terminal to ask for the code on")).
					hint(say.T("pipe it into stdin")).because(errNoCode)
			}
		}
		if err != nil {
			return "", err
		}
		code = strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code))
		if len(code) == 8 && strings.Trim(code, "0123456789") == "" {
			return code, nil
		}
		a.note(say.T("the code is 8 digits"))
	}
}

// keyLabel is what the service calls the key in its settings.
func keyLabel() string {
	label := "bridge"
	if host, err := os.Hostname(); err == nil && host != "" {
		label += " on " + host
	}
	if runes := []rune(label); len(runes) > 120 {
		label = string(runes[:120])
	}
	return label
}

// emailProblem words what a service says about an address or a code.
func emailProblem(err error, s servers.Server) error {
	var e *auth.EmailError
	if errors.Is(err, auth.ErrNoOAuth) {
		return fail(exitSignIn, say.T("%s offers no sign-in by e-mail", serverTitle(s))).because(err)
	}
	if !errors.As(err, &e) {
		return signInProblem(err, s)
	}
	p := fail(exitSignIn, say.T("%s said: %s", serverTitle(s), oneLine(e.Text))).because(err)
	switch e.Code {
	case "INVALID_EMAIL":
		return usage(say.T("%s does not take this address: %s", serverTitle(s), oneLine(e.Text))).because(err)
	case "OTP_SESSION_EXPIRED", "OTP_CHALLENGE_CONSUMED", "OTP_VERIFY_FAILED", "OTP_TOO_MANY_ATTEMPTS":
		return p.hint(say.T("run the command again for a new code"))
	case "RATE_LIMITED":
		return p.hint(say.T("wait a few minutes, then run the command again"))
	}
	return p
}
