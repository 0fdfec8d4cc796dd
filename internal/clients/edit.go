package clients

import (
	"bytes"
	"errors"
	"maps"
	"reflect"
	"slices"
)

// A Format is the syntax of a configuration file.
type Format int

// The formats there are.
const (
	JSON Format = iota // with or without comments, as the file has it
	TOML
	YAML
)

// A member is one key of an entry with its value: a string, a bool, an int, a
// []string, or a []member whose values are strings. Nothing else is ever
// written.
type member struct {
	key   string
	value any
}

// An editor reads and changes text of one format. Texts may begin with a byte
// order mark, have either kind of line ends, or be empty. Errors are
// *FileError without a path.
type editor interface {
	// decode returns the whole as maps, slices and scalars.
	decode(text []byte) (map[string]any, error)
	// check fails if a key on the way to the entry stands twice.
	check(text []byte, root []string, name string) error
	// add puts a new entry below root, which may be absent or null.
	add(text []byte, root []string, name string, entry []member) ([]byte, error)
	// change sets the members of an entry and drops others of its keys.
	change(text []byte, root []string, name string, set []member, drop []string) ([]byte, error)
	// remove takes an entry out.
	remove(text []byte, root []string, name string) ([]byte, error)
}

func editorOf(f Format) editor {
	switch f {
	case TOML:
		return tomlEditor{}
	case YAML:
		return yamlEditor{}
	}
	return jsonEditor{}
}

// below returns the table at root, or nil if it is absent or null.
func below(doc map[string]any, root []string) (map[string]any, error) {
	for _, key := range root {
		v, ok := doc[key]
		if !ok || v == nil {
			return nil, nil
		}
		next, ok := v.(map[string]any)
		if !ok {
			return nil, &FileError{Key: key, Err: ErrShape}
		}
		doc = next
	}
	return doc, nil
}

// entryOf returns the entry, or nil if there is none.
func entryOf(doc map[string]any, root []string, name string) (map[string]any, error) {
	table, err := below(doc, root)
	if err != nil {
		return nil, err
	}
	v, ok := table[name]
	if !ok {
		return nil, nil
	}
	entry, ok := v.(map[string]any)
	if !ok {
		return nil, &FileError{Key: name, Err: ErrByHand}
	}
	return entry, nil
}

// An edit is one change of one entry.
type edit struct {
	root []string
	name string
	// set makes the entry, or changes these members of it; nil removes it.
	set  []member
	drop []string
	// setEnv puts variables into the table env of an entry that exists, dropEnv
	// takes some out.
	env     string
	setEnv  []member
	dropEnv []string
}

// run applies the edit and proves that it did what it should and nothing else:
// both texts are decoded, and have to be equal but for the entry.
func (e edit) run(ed editor, text []byte) ([]byte, error) {
	before, err := ed.decode(text)
	if err != nil {
		return nil, err
	}
	if err := ed.check(text, e.root, e.name); err != nil {
		return nil, err
	}
	entry, err := entryOf(before, e.root, e.name)
	if err != nil {
		return nil, err
	}
	var after []byte
	var want map[string]any
	switch {
	case e.set == nil && entry == nil:
		return nil, &FileError{Key: e.name, Err: ErrNoEntry}
	case e.set == nil:
		after, err = ed.remove(text, e.root, e.name)
	case entry == nil:
		want = merged(nil, e.set, nil)
		after, err = ed.add(text, e.root, e.name, e.set)
	default:
		set, drop := slices.Clone(e.set), slices.Clone(e.drop)
		want = merged(entry, e.set, drop)
		if text, err = e.variables(ed, text, want, &set, &drop); err != nil {
			return nil, err
		}
		after, err = ed.change(text, e.root, e.name, set, drop)
	}
	if err != nil {
		return nil, err
	}
	got, err := ed.decode(after)
	if err != nil {
		return nil, &FileError{Key: e.name, Err: ErrByHand}
	}
	if err := expect(before, e.root, e.name, want); err != nil {
		return nil, err
	}
	if e.set == nil && !tableThere(got, e.root) {
		pruneEmpty(before, e.root) // some editors drop a table with its last entry
	}
	if !reflect.DeepEqual(got, before) {
		return nil, &FileError{Key: e.name, Err: ErrByHand}
	}
	if after == nil {
		after = []byte{} // empty, which is not absent
	}
	return after, nil
}

// variables changes the table of variables: one by one if it is written in a
// form that can be, so that the rest of it stays as it is, else as a whole, by
// way of set and drop. want is the entry after the edit, and learns of it.
func (e edit) variables(ed editor, text []byte, want map[string]any, set *[]member, drop *[]string) ([]byte, error) {
	there, ok := want[e.env].(map[string]any)
	if !ok && want[e.env] != nil && len(e.setEnv) > 0 {
		return nil, &FileError{Key: e.name, Err: ErrByHand}
	}
	rest := maps.Clone(there)
	if rest == nil {
		rest = map[string]any{}
	}
	var gone []string
	for _, name := range e.dropEnv {
		if _, ok := rest[name]; ok {
			gone = append(gone, name)
			delete(rest, name)
		}
	}
	for _, m := range e.setEnv {
		rest[m.key] = m.value
	}
	if reflect.DeepEqual(rest, there) || len(e.setEnv) == 0 && len(gone) == 0 {
		return text, nil
	}
	if want[e.env] = rest; len(rest) == 0 {
		delete(want, e.env)
		*drop = append(*drop, e.env)
		return text, nil
	}
	if len(there) > 0 {
		path := append(slices.Clone(e.root), e.name)
		changed, err := ed.change(text, path, e.env, e.setEnv, gone)
		var by *FileError
		if err == nil || !errors.As(err, &by) || !errors.Is(by, ErrByHand) {
			return changed, err
		}
	}
	whole := slices.Clone(e.setEnv)
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		value, isText := rest[name].(string)
		if !isText {
			return nil, &FileError{Key: e.name, Err: ErrByHand}
		}
		if !slices.ContainsFunc(whole, func(m member) bool { return m.key == name }) {
			whole = append(whole, member{name, value})
		}
	}
	*set = append(*set, member{e.env, whole})
	*drop = slices.DeleteFunc(*drop, func(key string) bool { return key == e.env })
	return text, nil
}

// merged is an entry after an edit.
func merged(entry map[string]any, set []member, drop []string) map[string]any {
	out := maps.Clone(entry)
	if out == nil {
		out = map[string]any{}
	}
	for _, key := range drop {
		delete(out, key)
	}
	for _, m := range set {
		out[m.key] = decoded(m.value)
	}
	return out
}

// decoded is a value as every decoder here returns it.
func decoded(v any) any {
	switch v := v.(type) {
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []member:
		return merged(nil, v, nil)
	}
	return v
}

// expect changes doc to what it should be after the edit.
func expect(doc map[string]any, root []string, name string, want map[string]any) error {
	for _, key := range root {
		next, ok := doc[key].(map[string]any)
		if !ok {
			if doc[key] != nil {
				return &FileError{Key: key, Err: ErrShape}
			}
			next = map[string]any{}
			doc[key] = next
		}
		doc = next
	}
	if want == nil {
		delete(doc, name)
	} else {
		doc[name] = want
	}
	return nil
}

func tableThere(doc map[string]any, root []string) bool {
	for _, key := range root {
		next, ok := doc[key].(map[string]any)
		if !ok {
			return false
		}
		doc = next
	}
	return true
}

func pruneEmpty(doc map[string]any, root []string) {
	if len(root) == 0 {
		return
	}
	if inner, ok := doc[root[0]].(map[string]any); ok {
		if pruneEmpty(inner, root[1:]); len(inner) == 0 {
			delete(doc, root[0])
		}
	}
}

// bom is the byte order mark of UTF-8, which some editors write.
const bom = "\xef\xbb\xbf"

func splitBOM(text []byte) (mark, rest []byte) {
	if bytes.HasPrefix(text, []byte(bom)) {
		return text[:len(bom)], text[len(bom):]
	}
	return nil, text
}

// lineEnd is the line end that most lines of the text have.
func lineEnd(text []byte) string {
	crlf := bytes.Count(text, []byte("\r\n"))
	if crlf > 0 && 2*crlf >= bytes.Count(text, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// splice replaces text[from:to].
func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}
