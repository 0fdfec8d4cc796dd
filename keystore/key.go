package keystore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"bridge/internal/fsx"
)

// The sealed file has one X25519 identity, which opens it. A key is one of two
// things:
//
//   - An age identity, "AGE-SECRET-KEY-1…": it is that identity. This is what a
//     key file made by bridge holds, and costs nothing to use.
//   - Anything else is a passphrase. The identity is then random and lies in
//     the file itself, sealed with the passphrase by scrypt. scrypt runs once a
//     process, and not at all for a write after a read.
type key struct {
	text   string // never printed
	source string // for people: where it comes from
}

const keyMax = 4 << 10

// findKey looks where a key can be given, first come first served: the
// environment, the systemd credential, the key file. Naming one that cannot be
// read is an error, not a reason to look at the next. With create, a key file
// that BRIDGE_KEY_FILE names and that does not exist is made.
func findKey(create bool) (key, error) {
	if text := trimKey(os.Getenv("BRIDGE_PASSPHRASE")); text != "" {
		return key{text, "BRIDGE_PASSPHRASE"}, nil
	}
	if path := os.Getenv("BRIDGE_PASSPHRASE_FILE"); path != "" {
		return readKey(path, "BRIDGE_PASSPHRASE_FILE")
	}
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		k, err := readKey(filepath.Join(dir, "bridge-key"), "the systemd credential bridge-key")
		if !errors.Is(err, fs.ErrNotExist) {
			return k, err
		}
	}
	path := os.Getenv("BRIDGE_KEY_FILE")
	if path == "" {
		return key{}, fmt.Errorf("%w: no key is given", ErrLocked)
	}
	k, err := readKey(path, "BRIDGE_KEY_FILE")
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return key{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	err = fsx.Swap(path, nil, []byte(id.String()+"\n"))
	if err != nil && !errors.Is(err, fsx.ErrChanged) { // another process was first
		return key{}, fmt.Errorf("%w: make the key file: %w", ErrUnavailable, err)
	}
	return readKey(path, "BRIDGE_KEY_FILE")
}

func readKey(path, source string) (key, error) {
	data, err := fsx.ReadFile(path, keyMax)
	if err != nil {
		return key{}, fmt.Errorf("%w: %s: %w", ErrLocked, source, err)
	}
	text := trimKey(string(data))
	if text == "" {
		return key{}, fmt.Errorf("%w: %s is empty", ErrLocked, source)
	}
	return key{text, source}, nil
}

// trimKey drops the blanks that editors and shells leave around a passphrase,
// and the comments that age-keygen writes above an identity.
func trimKey(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); isIdentity(line) {
			return line
		}
	}
	return strings.TrimSpace(text)
}

// KeySource names, for people, where the key of the sealed file comes from, or
// says why there is none.
func KeySource() (string, error) {
	k, err := findKey(false)
	return k.source, err
}
