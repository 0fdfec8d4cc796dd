package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonEditor edits JSON with or without comments and trailing commas. hujson's
// parser says where everything is; the text itself is cut and filled in here,
// so that what is not the entry cannot change. What was strict JSON stays
// strict.
type jsonEditor struct{}

// maxDepth bounds nesting: the parser is recursive, and a file of brackets
// must not be able to end the process.
const maxDepth = 500

func parseJSON(text []byte) (hujson.Value, error) {
	if line := tooDeep(text); line > 0 {
		return hujson.Value{}, &FileError{Line: line, Err: ErrSyntax}
	}
	v, err := hujson.Parse(text)
	if err != nil {
		e := &FileError{Err: ErrSyntax}
		// The rest of its text quotes the file.
		var column int
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &column)
		return v, e
	}
	if v.Value.Kind() != '{' {
		return v, &FileError{Line: lineOf(text, v.StartOffset), Err: ErrShape}
	}
	return v, nil
}

// tooDeep returns the line in which brackets nest too deeply, or 0.
func tooDeep(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			if end := bytes.IndexByte(text[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(text)
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			if end := bytes.Index(text[i+2:], []byte("*/")); end >= 0 {
				i += end + 3
			} else {
				i = len(text)
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return lineOf(text, i)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return 0
}

// blank reports whether there is nothing but what JSON takes for white space
// (RFC 8259, section 2): a form feed, say, is somebody's byte.
func blank(text []byte) bool { return len(trimSpace(text)) == 0 }

func (jsonEditor) decode(text []byte) (map[string]any, error) {
	_, text = splitBOM(text)
	if blank(text) {
		return map[string]any{}, nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	v = v.Clone() // it points into text
	v.Standardize()
	dec := json.NewDecoder(bytes.NewReader(v.Pack()))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, &FileError{Err: ErrSyntax}
	}
	return doc, nil
}

func (jsonEditor) check(text []byte, root []string, name string) error {
	_, text = splitBOM(text)
	if blank(text) {
		return nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return err
	}
	for _, key := range append(slices.Clone(root), name) {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if err := duplicates(text, o); err != nil {
			return err
		}
		i := find(o, key)
		if i < 0 {
			return nil
		}
		v = o.Members[i].Value
	}
	for inner := range v.All() {
		if o, ok := inner.Value.(*hujson.Object); ok {
			if err := duplicates(text, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func duplicates(text []byte, o *hujson.Object) error {
	seen := make(map[string]bool, len(o.Members))
	for _, m := range o.Members {
		key := nameOf(m)
		if seen[key] {
			return &FileError{Line: lineOf(text, m.Name.StartOffset), Key: key, Err: ErrDuplicate}
		}
		seen[key] = true
	}
	return nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// find returns the place of the member of that name, or -1.
func find(o *hujson.Object, name string) int {
	return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
}

// reach goes down the path as far as it exists and returns the last value on
// it and what is left of the path.
func reach(v hujson.Value, path []string) (hujson.Value, []string) {
	for len(path) > 0 {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			break
		}
		i := find(o, path[0])
		if i < 0 {
			break
		}
		v, path = o.Members[i].Value, path[1:]
	}
	return v, path
}

func (jsonEditor) add(text []byte, root []string, name string, entry []member) ([]byte, error) {
	mark, text := splitBOM(text)
	path := append(slices.Clone(root), name)
	if blank(text) {
		lay := layout{eol: lineEnd(text), step: "  ", colon: ": "}
		return slices.Concat(mark, []byte(lay.render(nest(path, entry), "")+lay.eol)), nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	lay := layoutOf(text, v)
	at, rest := reach(v, path)
	if at.Value.Kind() == 'n' { // null stands for an empty table
		lay.compact = false
		value := lay.render(nest(rest, entry), indentAt(text, at.StartOffset))
		return slices.Concat(mark, splice(text, at.StartOffset, at.EndOffset, value)), nil
	}
	if at.Value.Kind() != '{' || len(rest) == 0 {
		return nil, &FileError{Line: lineOf(text, at.StartOffset), Key: name, Err: ErrShape}
	}
	out := lay.insert(text, at, rest[0], nest(rest[1:], entry))
	return slices.Concat(mark, out), nil
}

// nest wraps an entry into the tables of a path.
func nest(path []string, entry any) any {
	for _, key := range slices.Backward(path) {
		entry = []member{{key, entry}}
	}
	return entry
}

func (jsonEditor) change(text []byte, root []string, name string, set []member, drop []string) ([]byte, error) {
	mark, text := splitBOM(text)
	path := append(slices.Clone(root), name)
	entry := func() (hujson.Value, *hujson.Object, error) {
		v, err := parseJSON(text)
		if err != nil {
			return v, nil, err
		}
		at, rest := reach(v, path)
		o, ok := at.Value.(*hujson.Object)
		if !ok || len(rest) > 0 {
			return v, nil, &FileError{Key: name, Err: ErrByHand}
		}
		return at, o, nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	lay := layoutOf(text, v)
	for _, m := range set {
		at, o, err := entry()
		if err != nil {
			return nil, err
		}
		i := find(o, m.key)
		if i < 0 {
			text = lay.insert(text, at, m.key, m.value)
			continue
		}
		old := o.Members[i].Value
		if value := lay.render(m.value, indentAt(text, o.Members[i].Name.StartOffset)); !sameJSON(text[old.StartOffset:old.EndOffset], value) {
			text = splice(text, old.StartOffset, old.EndOffset, value)
		}
	}
	for _, key := range drop {
		at, o, err := entry()
		if err != nil {
			return nil, err
		}
		if i := find(o, key); i >= 0 {
			text = cut(text, at, o, i)
		}
	}
	return slices.Concat(mark, text), nil
}

// sameJSON reports whether two values, the first perhaps with comments, mean
// the same. An array of words is what it is for.
func sameJSON(a []byte, b string) bool {
	plain, err := hujson.Standardize(slices.Clone(a))
	if err != nil {
		return false
	}
	var x, y bytes.Buffer
	return json.Compact(&x, plain) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func (jsonEditor) remove(text []byte, root []string, name string) ([]byte, error) {
	mark, text := splitBOM(text)
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	at, rest := reach(v, root)
	o, ok := at.Value.(*hujson.Object)
	if !ok || len(rest) > 0 || find(o, name) < 0 {
		return nil, &FileError{Key: name, Err: ErrNoEntry}
	}
	return slices.Concat(mark, cut(text, at, o, find(o, name))), nil
}

// cut takes member i out of an object, with its comma, its line and nothing
// else: comments around it stay.
func cut(text []byte, at hujson.Value, o *hujson.Object, i int) []byte {
	m := o.Members[i]
	from, to := m.Name.StartOffset, m.Value.EndOffset
	from -= len(m.Name.BeforeExtra) - len(trimSpace(m.Name.BeforeExtra))
	last := i == len(o.Members)-1
	comma := -1
	switch {
	case !last || m.Value.AfterExtra != nil: // its own comma goes
		to += len(m.Value.AfterExtra)
		if extra := text[m.Value.EndOffset:to]; !blank(extra) {
			// A comment between the value and its comma stays.
			return cutAround(text, from, m.Value.EndOffset, to)
		}
		to++
	case i > 0: // the one before it goes
		prev := o.Members[i-1].Value
		comma = prev.EndOffset + len(prev.AfterExtra)
	}
	if len(o.Members) == 1 && blank(text[at.StartOffset+1:from]) && blank(text[to:at.EndOffset-1]) {
		return splice(text, at.StartOffset, at.EndOffset, "{}")
	}
	after := text[to:]
	// What follows on the same line must not end up in a line comment, and
	// the first member of a line keeps the line's beginning.
	if rest := bytes.TrimLeft(after, " \t"); len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		if i == 0 || bytes.IndexByte(text[from:m.Name.StartOffset], '\n') >= 0 && !last {
			from = m.Name.StartOffset
			to += len(after) - len(rest)
		} else if last && endsInComment(text[at.StartOffset:from]) {
			from = m.Name.StartOffset
		}
	}
	out := splice(text, from, to, "")
	if comma >= 0 {
		out = splice(out, comma, comma+1, "")
	}
	return out
}

// cutAround takes out a member and its comma but not the comment between.
func cutAround(text []byte, from, valueEnd, comma int) []byte {
	return slices.Concat(text[:from], text[valueEnd:comma], text[comma+1:])
}

// endsInComment reports whether the last line holds the beginning of a line
// comment, seen roughly: a false alarm costs a line break.
func endsInComment(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return bytes.Contains(line, []byte("//"))
}

func trimSpace(extra []byte) []byte { return bytes.TrimRight(extra, " \t\r\n") }

// A layout is how a file is written, so that what is added looks like it.
type layout struct {
	eol     string
	step    string // one level of indentation
	colon   string
	comma   string // between members on one line
	compact bool   // all on one line
}

func layoutOf(text []byte, root hujson.Value) layout {
	lay := layout{eol: lineEnd(text), step: "  ", colon: ": ", comma: ", "}
	o := root.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		return lay
	}
	first := o.Members[0]
	if !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) {
		lay.compact = true
		if len(first.Value.BeforeExtra) == 0 {
			lay.colon, lay.comma = ":", ","
		}
	}
	if own, ok := ownLine(first.Name.BeforeExtra); ok {
		lay.step = strings.TrimPrefix(own, indentAt(text, root.StartOffset))
	}
	return lay
}

// ownLine returns the indentation of a member that begins a line.
func ownLine(before []byte) (string, bool) {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 || !blank(before[i:]) {
		return "", false
	}
	return string(before[i+1:]), true
}

// indentAt is the white space that begins the line of an offset.
func indentAt(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// insert puts a member behind the last one of an object.
func (lay layout) insert(text []byte, at hujson.Value, name string, value any) []byte {
	o := at.Value.(*hujson.Object)
	extra := trimSpace(o.AfterExtra)
	outer := indentAt(text, at.StartOffset)
	if len(o.Members) == 0 {
		pos := at.StartOffset + 1 + len(extra)
		if lay.compact && !endsInComment(extra) {
			return splice(text, pos, at.EndOffset-1, lay.pair(name, value, ""))
		}
		lay.compact = false
		inner := outer + lay.step
		return splice(text, pos, at.EndOffset-1, lay.eol+inner+lay.pair(name, value, inner)+lay.eol+outer)
	}
	last := o.Members[len(o.Members)-1]
	end := last.Value.EndOffset
	inner, ownLines := ownLine(last.Name.BeforeExtra)
	sep := lay.eol + inner
	if !ownLines {
		lay.compact = true
		sep = lay.comma[1:]
		if len(o.Members) > 1 && blank(last.Name.BeforeExtra) {
			sep = string(last.Name.BeforeExtra)
		}
		if endsInComment(extra) {
			sep = lay.eol + outer + lay.step
		}
	}
	added := sep + lay.pair(name, value, inner)
	if last.Value.AfterExtra != nil { // a trailing comma, which the new member takes over
		pos := end + len(last.Value.AfterExtra) + 1 + len(extra)
		return splice(text, pos, pos, added+",")
	}
	pos := end + len(extra)
	out := splice(text, pos, pos, added)
	return splice(out, end, end, ",")
}

func (lay layout) pair(name string, value any, indent string) string {
	return quoteJSON(name) + lay.colon + lay.render(value, indent)
}

// render writes a value whose line is indented by indent.
func (lay layout) render(v any, indent string) string {
	switch v := v.(type) {
	case []member:
		open, sep, end := "{"+lay.eol+indent+lay.step, ","+lay.eol+indent+lay.step, lay.eol+indent+"}"
		if lay.compact {
			open, sep, end = "{", lay.comma, "}"
		}
		pairs := make([]string, len(v))
		for i, m := range v {
			pairs[i] = lay.pair(m.key, m.value, indent+lay.step)
		}
		return open + strings.Join(pairs, sep) + end
	case []string:
		words := make([]string, len(v))
		for i, s := range v {
			words[i] = quoteJSON(s)
		}
		sep := lay.comma
		if sep == "" {
			sep = ", "
		}
		return "[" + strings.Join(words, sep) + "]"
	case string:
		return quoteJSON(v)
	case bool, int:
		return fmt.Sprint(v)
	}
	panic(fmt.Sprintf("clients: a %T is never written", v))
}

// quoteJSON writes a string without escaping it for HTML.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// strictJSON reports whether a text is JSON without extensions. An empty one
// counts: every client takes it for no servers.
func strictJSON(text []byte) bool {
	_, text = splitBOM(text)
	return blank(text) || json.Valid(text)
}
