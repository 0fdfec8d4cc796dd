package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// A Plan is what one configuration file would become. Making one reads; only
// Apply writes. Its methods must not be called concurrently.
type Plan struct {
	Client *Client
	Path   string
	// New: there is no such file yet.
	New bool
	// Remarks are things about the file that a person should know.
	Remarks []Remark

	before, after []byte // before is nil if there is no file
	written       []mark // entries that are ours when this is applied
	gone          []mark // entries that are no more
	safe          []string
}

// A Remark is something about a file that is no error.
type Remark int

// The remarks there are.
const (
	// RemarkComments: the file has comments or trailing commas, which this
	// client cannot read.
	RemarkComments Remark = iota + 1
)

// Plan reads the file at path, one of the client's.
func (c *Client) Plan(path string) (*Plan, error) {
	p := &Plan{Client: c, Path: path}
	text, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil, &FileError{Path: path, Err: errDangling}
		}
		p.New = true
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkOwner(path, os.Geteuid()); err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	if _, err := editorOf(c.Format).decode(text); err != nil {
		return nil, inFile(path, err)
	}
	if c.Format == JSON && c.Strict && !strictJSON(text) {
		p.Remarks = append(p.Remarks, RemarkComments)
	}
	p.before, p.after = text, text
	return p, nil
}

var errDangling = errors.New("is a link to a file that does not exist")

// Changed reports whether Apply would write anything.
func (p *Plan) Changed() bool {
	return p.after != nil && (p.New || !bytes.Equal(p.before, p.after))
}

// Entry returns the entry of that name as the plan has it, and whether there
// is one.
func (p *Plan) Entry(root []string, name string) (Entry, bool, error) {
	doc, err := editorOf(p.Client.Format).decode(p.after)
	if err != nil {
		return Entry{}, false, inFile(p.Path, err)
	}
	value, err := entryOf(doc, root, name)
	if err != nil || value == nil {
		return Entry{}, false, inFile(p.Path, err)
	}
	e := entryFrom(value)
	e.Client, e.Path, e.Root, e.Name = p.Client, p.Path, root, name
	return e, true, nil
}

// Install puts an entry named key into the client's own table, or renews one
// that serves by bridge already. An entry of another kind is ErrTaken, unless
// replace is set.
func (p *Plan) Install(key string, l Launch, replace bool) error {
	return p.InstallAt(p.Client.Root, key, l, replace)
}

// InstallAt is Install for another table of the file.
func (p *Plan) InstallAt(root []string, key string, l Launch, replace bool) error {
	there, ok, err := p.Entry(root, key)
	if err != nil {
		return err
	}
	switch {
	case !ok:
		return p.edit(edit{root: root, name: key, set: p.Client.members(l)}, l)
	case there.Serves() == "" && !replace:
		return &FileError{Path: p.Path, Key: key, Err: ErrTaken}
	case there.Serves() == "":
		return p.edit(edit{root: root, name: key, set: p.Client.essential(l), drop: append(p.Client.replaced(), p.Client.envKey()), setEnv: l.env()}, l)
	}
	return p.edit(edit{root: root, name: key, set: p.Client.essential(l), setEnv: l.env(), dropEnv: l.stale(there)}, l)
}

// Rewrite turns an entry of another kind into one of ours, in its place and
// under its name. dropEnv names the variables that go with what used them; the
// other keys of the entry that do not say how to reach a server stay.
func (p *Plan) Rewrite(e Entry, l Launch, dropEnv []string) error {
	return p.edit(edit{
		root: e.Root, name: e.Name, set: p.Client.essential(l), drop: p.Client.replaced(),
		setEnv: l.env(), dropEnv: dropEnv,
	}, l)
}

func (p *Plan) edit(e edit, l Launch) error {
	if err := l.check(); err != nil {
		return err
	}
	e.env = p.Client.envKey()
	after, err := e.run(editorOf(p.Client.Format), p.after)
	if err != nil {
		return inFile(p.Path, err)
	}
	p.after = after
	p.safe = append(p.safe, l.Command, quoteInner(l.Command))
	for _, v := range l.Env {
		if absolute(v.Value) {
			p.safe = append(p.safe, v.Value, quoteInner(v.Value))
		}
	}
	m, err := p.mark(e.root, e.name, l)
	if err != nil {
		return err
	}
	p.written = append(p.written, m)
	return nil
}

func quoteInner(s string) string {
	q := quoteJSON(s)
	return q[1 : len(q)-1]
}

// Remove takes out an entry that Marks says is ours. One that is not is
// ErrTaken, one that was changed since is ErrAltered; anyway takes out either.
func (p *Plan) Remove(ours *Marks, root []string, key string, anyway bool) error {
	doc, err := editorOf(p.Client.Format).decode(p.after)
	if err != nil {
		return inFile(p.Path, err)
	}
	value, err := entryOf(doc, root, key)
	if err != nil {
		return inFile(p.Path, err)
	}
	m, marked := ours.find(p.Client.ID, p.Path, root, key)
	switch {
	case value == nil:
		return &FileError{Path: p.Path, Key: key, Err: ErrNoEntry}
	case anyway:
	case !marked:
		return &FileError{Path: p.Path, Key: key, Err: ErrTaken}
	case m.Sum != sumOf(value):
		return &FileError{Path: p.Path, Key: key, Err: ErrAltered}
	}
	e := edit{root: root, name: key}
	after, err := e.run(editorOf(p.Client.Format), p.after)
	if err != nil {
		return inFile(p.Path, err)
	}
	p.after = after
	p.gone = append(p.gone, mark{Client: p.Client.ID, Path: p.Path, Root: root, Name: key})
	return nil
}

// mark describes the entry as the plan has it now.
func (p *Plan) mark(root []string, name string, l Launch) (mark, error) {
	doc, err := editorOf(p.Client.Format).decode(p.after)
	if err != nil {
		return mark{}, inFile(p.Path, err)
	}
	value, err := entryOf(doc, root, name)
	if err != nil || value == nil {
		return mark{}, fmt.Errorf("%s: %w", p.Path, ErrUnsure)
	}
	return mark{Client: p.Client.ID, Path: p.Path, Root: slices.Clone(root), Name: name, Server: l.Server, Env: l.Env, Sum: sumOf(value)}, nil
}

// Diff shows the change as a unified diff, without secrets: neither those that
// the caller names nor any that the file holds otherwise.
func (p *Plan) Diff(secrets ...string) string {
	var entries []Entry
	for _, text := range [][]byte{p.before, p.after} {
		if doc, err := editorOf(p.Client.Format).decode(text); err == nil {
			entries = append(entries, p.Client.everyEntry(doc)...)
		}
	}
	return diff(p.Path, p.before, p.after, newMasker(entries, secrets, p.safe).line)
}

// everyEntry lists what looks like entries in all tables of the file.
func (c *Client) everyEntry(doc map[string]any) (out []Entry) {
	for _, root := range c.roots(doc) {
		table, _ := below(doc, root)
		for _, v := range table {
			if value, ok := v.(map[string]any); ok {
				out = append(out, entryFrom(value))
			}
		}
	}
	return out
}

// Adopt marks an entry as ours that another program wrote for us.
func (p *Plan) Adopt(root []string, name string, l Launch) error {
	m, err := p.mark(root, name, l)
	if err != nil {
		return err
	}
	p.written = append(p.written, m)
	return nil
}
