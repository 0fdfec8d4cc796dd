package main

import (
	"errors"
	"os"
	"strings"

	"bridge/internal/say"
	"bridge/internal/servers"
)

// loadServers reads config.toml and says what is not right about it.
func (a *app) loadServers() (*servers.File, error) {
	f, err := servers.Load()
	if err != nil {
		return nil, configProblem(err)
	}
	for range f.Warnings {
		a.note(say.T("other users of this machine may read %s; `chmod 600` it", f.Path))
	}
	return f, nil
}

// lookup finds the server that arg names: an entry, a preset or a URL.
func (a *app) lookup(f *servers.File, arg string) (servers.Server, error) {
	if word := secretWord(arg); word != "" {
		return servers.Server{}, tokenInArguments()
	}
	s, err := f.Lookup(arg)
	if err != nil {
		if errors.Is(err, servers.ErrUnknownServer) {
			p := usage(say.T("there is no server %q", withoutSecrets(arg))).because(err)
			names := servers.PresetNames()
			for _, known := range f.Servers() {
				names = append(names, known.Name)
			}
			if near := nearest(arg, names); near != "" {
				return s, p.hint(say.T("did you mean `%s`?", near))
			}
			if looksLikeHost(arg) {
				return s, p.hint(say.T("a server is given by its whole address: %s", fullAddress(withoutSecrets(arg))))
			}
			return s, p.hint(say.T("`bridge servers list` shows the names, `bridge servers add NAME URL` makes one"))
		}
		return s, configProblem(err)
	}
	if s.Name == "" {
		if err := checkURL(s.URL, s.AllowHTTP); err != nil {
			return s, err
		}
	}
	return s, nil
}

// finder looks for the credential of s, nobody being there to answer prompts.
func (a *app) finder(f *servers.File, s servers.Server) *finder {
	return &finder{server: s, getenv: os.LookupEnv, open: func() (store, error) { return openStore(f.Keystore(), false) }}
}

// secretWord returns what a token on the command line begins with, or "".
func secretWord(arg string) string {
	for _, prefix := range append(servers.TokenPrefixes(), "Bearer ", "bearer ") {
		if strings.HasPrefix(arg, prefix) {
			return prefix
		}
	}
	return ""
}

// withoutTokens is the last net below everything that ends in an error: words
// that begin as the tokens of the services we know do are not shown.
func withoutTokens(text string) string {
	for _, prefix := range servers.TokenPrefixes() {
		for from := 0; ; {
			at := strings.Index(text[from:], prefix)
			if at < 0 {
				break
			}
			at += from
			end := at + len(prefix)
			for end < len(text) && isTokenByte(text[end]) {
				end++
			}
			from = end
			if at > 0 && text[at-1] != '-' && isTokenByte(text[at-1]) || end-at < len(prefix)+8 {
				continue // in the middle of a word, or too short for a token
			}
			text = text[:at] + prefix + "…" + text[end:]
			from = at + len(prefix)
		}
	}
	return text
}

func isTokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// tokenInArguments does not repeat what was typed. Every user of the machine
// can read the arguments of a running process.
func tokenInArguments() error {
	return usage(say.T("a token does not belong on the command line, where others can read it")).
		hint(say.T("type it when `bridge login NAME` asks, or pipe it into `bridge login NAME --with-token`"))
}

// configProblem words an error of package servers for people.
func configProblem(err error) error {
	var e *servers.Error
	var done *problem
	switch {
	case errors.As(err, &done):
		return err
	case errors.Is(err, servers.ErrChanged):
		return fail(exitConflict, say.T("config.toml was changed by another program, and nothing was written")).
			hint(say.T("run the command again")).because(err)
	case errors.Is(err, servers.ErrBusy):
		return fail(exitConflict, say.T("another bridge is writing config.toml")).
			hint(say.T("run the command again")).because(err)
	case !errors.As(err, &e):
		return fail(exitFailure, err.Error()).because(err)
	case e.Path == "":
		return valueProblem(e)
	}
	where := e.Path
	if e.Line > 0 {
		where = say.T("%s, line %d", e.Path, e.Line)
	}
	var p *problem
	switch e.Problem {
	case servers.SecretInside:
		name := e.Server
		if name == "" {
			name = "NAME"
		}
		p = fail(exitFailure, say.T("%s: there is a secret in this line, and the file is no place for one", where)).
			hint(say.T("delete it from the file, then run `bridge login %s`", name))
	case servers.UnknownKey:
		p = fail(exitFailure, say.T("%s: unknown key %q", where, e.Key))
		if e.Advice != "" {
			p = p.hint(inWords(e.Advice))
		}
	case servers.NotTOML:
		p = fail(exitFailure, say.T("%s: this is no whole TOML file (%s)", where, e.Detail)).
			hint(say.T("mend the line, or move the file away and sign in again"))
	case servers.Expansion:
		name := e.Server
		if name == "" {
			name = "NAME"
		}
		p = fail(exitFailure, say.T("%s: variables are not filled in here", where)).
			hint(say.T("for a token, set the variable %s or use token_command", servers.EnvName(name)))
	default: // NotReadable, Unsafe, ByHand, BadValue
		p = fail(exitFailure, where+": "+inWords(e.Detail)).hint(inWords(e.Advice))
	}
	return p.because(err)
}

// valueProblem words what is wrong with a value from the command line.
func valueProblem(e *servers.Error) error {
	if e.Problem == servers.SecretInside {
		name := e.Server
		if name == "" {
			name = "NAME"
		}
		return usage(say.T("there is a secret in %s, and config.toml is no place for one", e.Key)).
			hint(say.T("leave it out and run `bridge login %s`", name)).because(e)
	}
	p := usage(inWords(e.Detail)).hint(inWords(e.Advice)).because(e)
	if e.Advice == "" && e.Server != "" && (e.Key == "allow" || e.Key == "deny") {
		return p.hint(say.T("to hold nothing back any more: `bridge servers set %s --unset %s`", e.Server, e.Key))
	}
	return p
}

// change applies an edit to config.toml. The edit is made again on what is
// there now if another program has changed the file in the meantime; one that
// keeps changing it is a conflict.
func (a *app) change(f *servers.File, edit func(*servers.File) error) error {
	for tries := 3; ; tries-- {
		if err := edit(f); err != nil {
			return configProblem(err)
		}
		err := f.Save()
		if err == nil {
			return nil
		}
		if !errors.Is(err, servers.ErrChanged) || tries == 1 {
			return configProblem(err)
		}
		if f, err = servers.Load(); err != nil {
			return configProblem(err)
		}
	}
}
