package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// keepAll stores the tokens and writes the entries of config.toml: all or
// none. The function that it returns takes them back.
func (a *app) keepAll(ctx context.Context, moves []*move, secrets store) (undo func() error, err error) {
	var steps []func() error
	// An interruption must not keep what was done from being undone.
	calm := context.WithoutCancel(ctx)
	undo = func() error {
		var errs []error
		for i := len(steps) - 1; i >= 0; i-- {
			errs = append(errs, steps[i]())
		}
		return errors.Join(errs...)
	}
	path, err := servers.Path()
	if err != nil {
		return nil, fail(exitFailure, err.Error()).because(err)
	}
	before, err := readOrNil(path)
	if err != nil {
		return nil, fail(exitFailure, say.T("%s cannot be read: %s", path, plainError(err))).because(err)
	}
	steps = append(steps, func() error { return putConfigBack(path, before) })
	done := map[string]bool{}
	for _, m := range moves {
		if done[m.server.Name] {
			continue
		}
		done[m.server.Name] = true
		name := m.server.CredentialName()
		if !m.token.IsZero() {
			old, err := secrets.Get(ctx, name)
			switch {
			case errors.Is(err, keystore.ErrNotFound):
				steps = append(steps, func() error { return forgetAgain(calm, secrets, name) })
			case err == nil:
				steps = append(steps, func() error { return secrets.Set(calm, name, old) })
			default:
				a.takeBack(undo)
				return nil, storeProblem(err, m.server.Name)
			}
		}
		file, err := a.loadServers()
		if err == nil {
			err = a.keep(ctx, file, m.server, secrets, m.token)
		}
		if err != nil {
			a.takeBack(undo)
			return nil, err
		}
	}
	return undo, nil
}

// takeBack undoes what was kept, and says so if that fails: the reason for it
// is an error already.
func (a *app) takeBack(undo func() error) {
	if err := undo(); err != nil {
		a.note(say.T("what was kept could not all be taken back: %s", plainError(err)))
	}
}

func forgetAgain(ctx context.Context, secrets store, name string) error {
	err := secrets.Delete(ctx, name)
	if errors.Is(err, keystore.ErrNotFound) {
		return nil
	}
	return err
}

// readOrNil reads config.toml, or nil if there is none.
func readOrNil(path string) ([]byte, error) {
	text, err := fsx.ReadFile(path, servers.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// putConfigBack makes config.toml what it was before our own changes.
func putConfigBack(path string, before []byte) error {
	now, err := readOrNil(path)
	if err != nil || now == nil || before != nil && bytes.Equal(now, before) {
		return err
	}
	if before == nil {
		return os.Remove(path)
	}
	return fsx.Swap(path, now, before)
}
