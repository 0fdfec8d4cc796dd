package clients

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"bridge/internal/fsx"
)

// Marks are the entries that we wrote, as the file clients.json in our state
// folder remembers them. Without it (it may be lost without harm) entries are
// taken out only when the user insists.
type Marks struct{ list []mark }

// A mark is one entry that we wrote, and what it was then.
type mark struct {
	Client string     `json:"client"`
	Path   string     `json:"path"`
	Root   []string   `json:"root"`
	Name   string     `json:"name"`
	Server string     `json:"server,omitempty"`
	Env    []Variable `json:"env,omitempty"`
	Sum    string     `json:"sum,omitempty"` // of the entry, see sumOf
}

func (m mark) same(o mark) bool {
	return m.Client == o.Client && m.Path == o.Path && m.Name == o.Name && slices.Equal(m.Root, o.Root)
}

const maxMarks = 1 << 20

type marksFile struct {
	Version int    `json:"version"`
	Entries []mark `json:"entries"`
}

func marksPath() (string, error) {
	dir, err := fsx.StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "clients.json"), nil
}

// ReadMarks reads what was written before. A file that is missing or broken is
// an empty one.
func ReadMarks() (*Marks, error) {
	path, err := marksPath()
	if err != nil {
		return nil, err
	}
	data, err := fsx.ReadFile(path, maxMarks)
	if errors.Is(err, fs.ErrNotExist) {
		return &Marks{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was installed: %w", err)
	}
	var file marksFile
	if json.Unmarshal(data, &file) != nil {
		return &Marks{}, nil
	}
	return &Marks{file.Entries}, nil
}

func (m *Marks) find(client, path string, root []string, name string) (mark, bool) {
	want := mark{Client: client, Path: path, Root: root, Name: name}
	i := slices.IndexFunc(m.list, want.same)
	if i < 0 {
		return mark{}, false
	}
	return m.list[i], true
}

// Made reports whether the entry is one that we wrote.
func (m *Marks) Made(e Entry) bool {
	_, ok := m.find(e.Client.ID, e.Path, e.Root, e.Name)
	return ok
}

// A Lost entry is one that we wrote and that is no longer in its file.
type Lost struct {
	Client *Client
	Path   string
	Root   []string
	Name   string
	Server string
	Env    []Variable
}

// Lost returns what is marked and not among the entries, as far as the files
// could be read: Claude Desktop is known to drop entries when it rewrites its
// file.
func (m *Marks) Lost(entries []Entry, unread []Problem) (out []Lost) {
	for _, k := range m.list {
		c := Lookup(k.Client)
		there := slices.ContainsFunc(entries, func(e Entry) bool {
			return e.Client.ID == k.Client && e.Path == k.Path && e.Name == k.Name && slices.Equal(e.Root, k.Root)
		})
		broken := slices.ContainsFunc(unread, func(p Problem) bool { return p.Path == k.Path })
		if c != nil && !there && !broken && validName(k.Server) && exists(filepath.Dir(k.Path)) {
			out = append(out, Lost{c, k.Path, k.Root, k.Name, k.Server, k.Env})
		}
	}
	return out
}

// note changes the marks on disk.
func note(written, gone []mark) error {
	if len(written) == 0 && len(gone) == 0 {
		return nil
	}
	path, err := marksPath()
	if err != nil {
		return err
	}
	lock, err := fsx.Lock(context.Background(), path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := ReadMarks()
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(now.list, func(k mark) bool {
		return slices.ContainsFunc(gone, k.same) || slices.ContainsFunc(written, k.same)
	})
	data, err := json.MarshalIndent(marksFile{Version: 1, Entries: append(list, written...)}, "", "  ")
	if err != nil {
		return err
	}
	if err := fsx.WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	return nil
}

// sumOf is a checksum of what an entry means, whatever its layout. A secret
// that somebody put into it cannot be read from it.
func sumOf(value map[string]any) string {
	data, err := json.Marshal(value) // sorts the keys
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Forget drops the marks of a client's entries of that name, and reports
// whether there were any: for an entry that is gone from its file already.
func (m *Marks) Forget(c *Client, name string) (bool, error) {
	var gone []mark
	for _, k := range m.list {
		if k.Client == c.ID && k.Name == name {
			gone = append(gone, k)
		}
	}
	return len(gone) > 0, note(nil, gone)
}
