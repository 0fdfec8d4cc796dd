package keystore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"bridge/internal/fsx"
)

// index is state/keychain.json: the names of the records in the keychain, which
// go-keyring cannot list, and the parts that exist or may exist. It holds no
// secret. It is changed under the lock only, and always knows at least as much
// as the keychain holds: a name is written down before its record, a
// generation before its parts, and both are struck out afterwards.
//
// Should the file be lost, records are still found by name, and the names come
// back as they are written again.
type index struct {
	Version int               `json:"version"`
	Records map[string]record `json:"records"`
}

type record struct {
	// Untidy is set while a writer is at work, and stays if it is killed: there
	// may be parts which the head does not point at, or no head.
	Untidy      bool         `json:"untidy,omitempty"`
	Generations []generation `json:"parts,omitempty"`
}

type generation struct {
	Gen   string `json:"gen"`
	Parts int    `json:"n"`
}

// expect writes down that the parts of the heads may exist from now on.
func (x *index) expect(name string, heads ...head) error {
	r := x.Records[name]
	r.Untidy = true
	for _, h := range heads {
		g := generation{Gen: h.gen, Parts: h.parts}
		if h.parts > 0 && !slices.Contains(r.Generations, g) {
			r.Generations = append(r.Generations, g)
		}
	}
	x.Records[name] = r
	return x.save()
}

const (
	indexVersion = 1
	indexMax     = 1 << 20
)

func indexPath() (string, error) {
	state, err := fsx.StateDir()
	return filepath.Join(state, "keychain.json"), err
}

// loadIndex returns an empty index, ready for use, with an ErrDamaged.
func loadIndex() (*index, error) {
	x := &index{Version: indexVersion, Records: make(map[string]record)}
	path, err := indexPath()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	data, err := fsx.ReadFile(path, indexMax)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	var got index
	if err := json.Unmarshal(data, &got); err != nil || got.Version != indexVersion {
		return x, fmt.Errorf("%s: %w", path, ErrDamaged)
	}
	if got.Records != nil {
		x.Records = got.Records
	}
	return x, nil
}

func (x *index) save() error {
	path, err := indexPath()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	if err := fsx.WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}
