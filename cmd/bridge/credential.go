package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"bridge/internal/auth"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// Where the credential of a server comes from, in this order:
//
//	BRIDGE_TOKEN_NAME    the server's own variable
//	BRIDGE_TOKEN         whatever server is at hand
//	BRIDGE_TOKEN_FILE    the same, from a file
//	token_command        of its entry in config.toml
//	the keystore         what `bridge login` put there
//
// The first that is set decides, also when what it holds is no token: falling
// through to the next would send a token that nobody meant.
type source int

const (
	fromNowhere source = iota
	fromVariable
	fromFile
	fromCommand
	fromKeystore
)

// name is how --json calls the source. It is a contract.
func (s source) name() string {
	switch s {
	case fromVariable:
		return "environment"
	case fromFile:
		return "file"
	case fromCommand:
		return "command"
	case fromKeystore:
		return "keystore"
	}
	return "none"
}

// A credential is a token and where it came from. Its zero value is none.
type credential struct {
	token  keystore.Secret
	from   source
	detail string // the variable, the file, the program or the kind of keystore

	// signIn is set instead of token when what is stored is a sign-in, which
	// package auth uses and renews.
	signIn auth.Info
}

// header is the Authorization header to send, or "".
func (c credential) header() string {
	if c.token.IsZero() {
		return ""
	}
	return "Bearer " + c.token.Reveal()
}

// shown says in words where the credential comes from.
func (c credential) shown() string {
	switch c.from {
	case fromVariable:
		return say.T("the variable %s", c.detail)
	case fromFile:
		return say.T("the file %s", c.detail)
	case fromCommand:
		return say.T("the command %s", c.detail)
	case fromKeystore:
		return keystoreName(c.detail)
	}
	return say.T("nowhere")
}

func keystoreName(kind string) string {
	switch kind {
	case "keychain":
		return say.T("the keychain")
	case "file":
		return say.T("the sealed file")
	}
	return say.T("memory")
}

// A store is what is asked of *keystore.Store here.
type store interface {
	Kind() keystore.Kind
	Get(ctx context.Context, name string) ([]byte, error)
	Set(ctx context.Context, name string, value []byte) error
	Delete(ctx context.Context, name string) error
	List(ctx context.Context) ([]string, error)
}

// openStore opens the place where secrets rest: the one BRIDGE_KEYSTORE names,
// else the one of config.toml, else the keychain. It touches neither keychain
// nor disk.
func openStore(chosen string, person bool) (store, error) {
	o := keystore.Options{Prompt: person}
	if os.Getenv("BRIDGE_KEYSTORE") == "" && chosen == "file" {
		o.Kind = keystore.File
	}
	s, err := keystore.Open(o)
	if err != nil {
		return nil, usage(say.T("BRIDGE_KEYSTORE is %q", os.Getenv("BRIDGE_KEYSTORE"))).
			hint(say.T("it can be keychain, file or memory")).because(err)
	}
	return s, nil
}

// storeWorks asks for what is stored of s, to find out whether anything can be
// kept before a person is asked for a token or sent to a browser. A sealed file
// that does not exist yet needs its key all the same.
func storeWorks(ctx context.Context, st store, s servers.Server) error {
	_, err := st.Get(ctx, s.CredentialName())
	if st.Kind() == keystore.File && errors.Is(err, keystore.ErrNotFound) {
		_, err = keystore.KeySource()
		if errors.Is(err, fs.ErrNotExist) && os.Getenv("BRIDGE_PASSPHRASE_FILE") == "" {
			return nil // the key file is made when something is written
		}
		if err != nil {
			err = &keystore.Error{Op: "set", Name: s.CredentialName(), Kind: keystore.File, Err: err}
		}
	}
	if err == nil || errors.Is(err, keystore.ErrNotFound) || errors.Is(err, keystore.ErrDamaged) && st.Kind() != keystore.File {
		return nil
	}
	return storeProblem(err, s.Name)
}

// A finder looks for the credential of one server.
type finder struct {
	server servers.Server
	getenv func(string) (string, bool)
	open   func() (store, error)
}

// origin says where a credential would come from, without running a command
// or asking the keystore: fromKeystore means that nothing stands before it.
func (f *finder) origin() (source, string) {
	if f.server.Name != "" {
		name := servers.EnvName(f.server.Name)
		if v, _ := f.getenv(name); v != "" {
			return fromVariable, name
		}
	}
	if v, _ := f.getenv("BRIDGE_TOKEN"); v != "" {
		return fromVariable, "BRIDGE_TOKEN"
	}
	if path, _ := f.getenv("BRIDGE_TOKEN_FILE"); path != "" {
		return fromFile, path
	}
	if len(f.server.TokenCommand) > 0 {
		return fromCommand, f.server.TokenCommand[0]
	}
	return fromKeystore, ""
}

// find returns the credential, or none and no error when there is none. Errors
// are problems with exitSignIn; those of the keystore can be told by its
// sentinels.
func (f *finder) find(ctx context.Context) (credential, error) {
	from, detail := f.origin()
	c := credential{from: from, detail: detail}
	var raw string
	var err error
	switch from {
	case fromVariable:
		raw, _ = f.getenv(detail)
	case fromFile:
		if raw, err = readSmall(detail); err != nil {
			return credential{}, fail(exitSignIn, say.T("cannot read the token in %q: %s", detail, plainError(err))).
				hint(say.T("BRIDGE_TOKEN_FILE has to name a file that you may read")).because(err)
		}
		detail = "BRIDGE_TOKEN_FILE"
	case fromCommand:
		if raw, err = runTokenCommand(ctx, f.server.TokenCommand); err != nil {
			return credential{}, err
		}
		detail = "token_command"
	case fromKeystore:
		return f.stored(ctx)
	}
	token, err := cleanToken(raw, detail)
	if err != nil {
		return credential{}, err
	}
	c.token = keystore.NewSecret(token)
	return c, nil
}

func (f *finder) stored(ctx context.Context) (credential, error) {
	if f.server.Name == "" {
		return credential{}, nil // a bare URL has nothing stored
	}
	s, err := f.open()
	if err != nil {
		return credential{}, err
	}
	value, err := s.Get(ctx, f.server.CredentialName())
	if errors.Is(err, keystore.ErrNotFound) {
		return credential{}, nil
	}
	if err != nil {
		return credential{}, storeProblem(err, f.server.Name)
	}
	if auth.IsRecord(value) {
		c := credential{from: fromKeystore, detail: s.Kind().String()}
		if c.signIn, err = auth.Inspect(value); err != nil {
			return credential{}, damaged(keystoreName(s.Kind().String()), f.server.Name).because(err)
		}
		return c, nil
	}
	token, err := cleanToken(string(value), s.Kind().String())
	if err != nil {
		return credential{}, err
	}
	return credential{token: keystore.NewSecret(token), from: fromKeystore, detail: s.Kind().String()}, nil
}

// storeProblem words an error of the keystore. Each of its kinds has another
// remedy.
func storeProblem(err error, server string) error {
	var e *keystore.Error
	sealed := errors.As(err, &e) && e.Kind == keystore.File
	where := say.T("the keychain")
	if sealed {
		where = say.T("the sealed file")
	}
	p := fail(exitFailure, say.T("%s does not work", where)).because(err)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, keystore.ErrLocked):
		p = fail(exitSignIn, say.T("%s is locked", where))
		if source, err := keystore.KeySource(); sealed && err == nil {
			p = fail(exitSignIn, say.T("%s does not open the sealed file", source)).
				hint(say.T("it was sealed with another passphrase or key; give that one"))
		} else if sealed {
			p = fail(exitSignIn, say.T("the sealed file needs a key, and none could be read")).
				hint(say.T("name a file for it in BRIDGE_KEY_FILE, which is made if it is not there, or one with a passphrase in BRIDGE_PASSPHRASE_FILE"))
		} else {
			p = p.hint(say.T("unlock it on the desktop and try again; on a machine without one, set BRIDGE_KEYSTORE=file"))
		}
	case errors.Is(err, keystore.ErrTimeout) && sealed:
		p = fail(exitSignIn, say.T("%s did not answer in time", where)).
			hint(say.T("another process may hold it; try again"))
	case errors.Is(err, keystore.ErrTimeout):
		p = fail(exitSignIn, say.T("%s did not answer in time", where)).
			hint(say.T("a window may be waiting for you on the desktop; on a machine without one, set BRIDGE_KEYSTORE=file"))
	case errors.Is(err, keystore.ErrUnavailable) && sealed:
		p = p.hint(say.T("see that you may read and write the folder of BRIDGE_HOME"))
	case errors.Is(err, keystore.ErrUnavailable):
		p = fail(exitFailure, say.T("no keychain is available here, as is usual over SSH and in containers")).
			hint(say.T("set BRIDGE_KEYSTORE=file and BRIDGE_KEY_FILE=FILE for a sealed file and its key, or give the token in BRIDGE_TOKEN_FILE"))
	case errors.Is(err, keystore.ErrTooLarge):
		p = usage(say.T("this is too large to be a token"))
	case errors.Is(err, keystore.ErrDamaged) && sealed: // all of it, so that nothing can be put into it
		p = fail(exitFailure, say.T("the sealed file is damaged")).
			hint(say.T("put a backup of secrets.age.json in its place, or move it away and sign in again"))
	case errors.Is(err, keystore.ErrDamaged):
		p = damaged(where, server)
	}
	return p.because(err)
}

// damaged is what is wrong with one record, which a new one replaces. server
// may be "".
func damaged(where, server string) *problem {
	if server == "" {
		return fail(exitSignIn, say.T("what %s holds cannot be read any more", where)).hint(say.T("sign in again: `bridge login %s`", say.T("NAME")))
	}
	return fail(exitSignIn, say.T("what %s holds for %s cannot be read any more", where, server)).
		hint(say.T("sign in again: `bridge login %s`", server))
}

const (
	// commandLimit is how long a token_command may take. Some ask for a
	// fingerprint.
	commandLimit = 60 * time.Second
	// maxCommandOutput bounds what is read of it, in bytes.
	maxCommandOutput = 64 << 10
)

// runTokenCommand runs the program and returns the first line it prints (what
// follows the first line is notes, in pass and its kin). Neither its output nor
// its complaints are ever shown: either may hold the secret.
func runTokenCommand(ctx context.Context, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	out := &boundedBuffer{most: maxCommandOutput}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout = out
	cmd.WaitDelay = 500 * time.Millisecond // a grandchild may hold the pipe open
	err := cmd.Run()
	hint := say.T("run the token_command of config.toml in a terminal to see why")
	var status *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fail(exitSignIn, say.T("the token_command %q took longer than %s", argv[0], commandLimit)).hint(hint)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "", fail(exitSignIn, say.T("the token_command %q is not to be found", argv[0])).
			hint(say.T("give its whole path: a desktop client has another PATH than your shell")).because(err)
	case errors.As(err, &status):
		return "", fail(exitSignIn, say.T("the token_command %q failed with status %d", argv[0], status.ExitCode())).hint(hint)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fail(exitSignIn, say.T("the token_command %q could not be run", argv[0])).hint(hint).because(err)
	case out.over:
		return "", fail(exitSignIn, say.T("the token_command %q printed more than a token", argv[0])).hint(hint)
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(out.b), []byte("\n"))
	return string(line), nil
}

// A boundedBuffer keeps the first bytes written to it and takes the rest as if
// it kept them too, so that the writer is not stuck.
type boundedBuffer struct {
	b    []byte
	most int
	over bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	n := len(p)
	if room := b.most - len(b.b); len(p) > room {
		p, b.over = p[:room], true
	}
	b.b = append(b.b, p...)
	return n, nil
}
