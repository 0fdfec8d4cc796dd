package clients

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlEditor edits TOML as text. No writer of TOML keeps comments and order,
// so the parser says where tables and keys begin and end, and what else there
// is stays as it is. An entry has to be a table of its own; inline tables and
// dotted keys are read and not edited.
type tomlEditor struct{}

// A tomlStatement is a table header or a key with its value.
type tomlStatement struct {
	table      bool
	path       []string // with the table it stands in
	start, end int
}

func (tomlEditor) decode(text []byte) (map[string]any, error) {
	_, text = splitBOM(text)
	doc := map[string]any{}
	if err := toml.Unmarshal(text, &doc); err != nil {
		e := &FileError{Err: ErrSyntax}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			e.Line, _ = de.Position()
		}
		return nil, e
	}
	return doc, nil
}

// check has nothing to find: TOML forbids keys given twice, and decode says so.
func (tomlEditor) check([]byte, []string, string) error { return nil }

func tomlStatements(text []byte) ([]tomlStatement, error) {
	var out []tomlStatement
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		var path []string
		start, end := -1, 0
		for it := node.Key(); it.Next(); {
			n := it.Node()
			path = append(path, string(n.Data))
			if start < 0 {
				start = int(n.Raw.Offset)
			}
			end = int(n.Raw.Offset) + int(n.Raw.Length)
		}
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			// The node covers the key; the brackets stand around it.
			start = bytes.LastIndexByte(text[:start], '[')
			if node.Kind == unstable.ArrayTable && start > 0 {
				start--
			}
			if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
				end += i + 1
			} else {
				end = len(text)
			}
			table = path
			out = append(out, tomlStatement{table: true, path: path, start: start, end: end})
		case unstable.KeyValue:
			end = int(node.Raw.Offset) + int(node.Raw.Length)
			end = start + len(bytes.TrimRight(text[start:end], " \t\r\n"))
			out = append(out, tomlStatement{path: slices.Concat(table, path), start: start, end: end})
		}
	}
	if p.Error() != nil {
		return nil, &FileError{Err: ErrSyntax}
	}
	return out, nil
}

// A tomlBlock is an entry's table: its header and keys, and those of the
// tables below it, as far as they stand together.
type tomlBlock struct {
	header tomlStatement
	keys   []tomlStatement
	subs   []tomlStatement // headers below
	end    int             // where the next foreign statement begins, comments before it left out
}

func findTOML(text []byte, path []string) (*tomlBlock, error) {
	all, err := tomlStatements(text)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(s tomlStatement) bool { return s.table && slices.Equal(s.path, path) })
	if at < 0 {
		return nil, &FileError{Key: path[len(path)-1], Err: ErrByHand}
	}
	b := &tomlBlock{header: all[at], end: all[at].end}
	for _, s := range all[at+1:] {
		if len(s.path) < len(path) || !slices.Equal(s.path[:len(path)], path) {
			break
		}
		if s.table {
			b.subs = append(b.subs, s)
		} else {
			b.keys = append(b.keys, s)
		}
		b.end = s.end
	}
	if i := bytes.IndexByte(text[b.end:], '\n'); b.end > 0 && text[b.end-1] != '\n' {
		if i < 0 {
			b.end = len(text)
		} else {
			b.end += i + 1
		}
	}
	return b, nil
}

func (tomlEditor) add(text []byte, root []string, name string, entry []member) ([]byte, error) {
	mark, text := splitBOM(text)
	eol := lineEnd(text)
	var b strings.Builder
	if len(text) > 0 {
		if text[len(text)-1] != '\n' {
			b.WriteString(eol)
		}
		if !bytes.HasSuffix(text, []byte(eol+eol)) {
			b.WriteString(eol)
		}
	}
	b.WriteString("[" + tomlKey(append(slices.Clone(root), name)) + "]" + eol)
	for _, m := range entry {
		b.WriteString(m.key + " = " + tomlValue(m.value) + eol)
	}
	return slices.Concat(mark, text, []byte(b.String())), nil
}

func (tomlEditor) change(text []byte, root []string, name string, set []member, drop []string) ([]byte, error) {
	mark, text := splitBOM(text)
	path := append(slices.Clone(root), name)
	eol := lineEnd(text)
	for _, m := range set {
		b, err := findTOML(text, path)
		if err != nil {
			return nil, err
		}
		line := m.key + " = " + tomlValue(m.value)
		if i := b.key(path, m.key); i >= 0 {
			text = splice(text, b.keys[i].start, b.keys[i].end, line)
			continue
		}
		// Behind the last key of the table itself.
		pos := b.header.end
		for _, k := range b.keys {
			if len(b.subs) == 0 || k.start < b.subs[0].start {
				pos = k.end
			}
		}
		if pos > 0 && text[pos-1] != '\n' {
			if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
				pos += i + 1
			} else {
				text = append(slices.Clone(text), eol...)
				pos = len(text)
			}
		}
		text = splice(text, pos, pos, line+eol)
	}
	for _, key := range drop {
		b, err := findTOML(text, path)
		if err != nil {
			return nil, err
		}
		if i := b.key(path, key); i >= 0 {
			text = cutLine(text, b.keys[i].start, b.keys[i].end)
			continue
		}
		below := append(slices.Clone(path), key)
		if slices.ContainsFunc(b.subs, func(s tomlStatement) bool { return slices.Equal(s.path, below) }) {
			sub, err := findTOML(text, below)
			if err != nil {
				return nil, err
			}
			text = splice(text, sub.header.start, sub.end, "")
		}
	}
	return slices.Concat(mark, text), nil
}

// key returns the place of a key of the table itself, or -1.
func (b *tomlBlock) key(path []string, key string) int {
	return slices.IndexFunc(b.keys, func(s tomlStatement) bool {
		return len(s.path) == len(path)+1 && s.path[len(path)] == key
	})
}

func (tomlEditor) remove(text []byte, root []string, name string) ([]byte, error) {
	mark, text := splitBOM(text)
	b, err := findTOML(text, append(slices.Clone(root), name))
	if err != nil {
		return nil, err
	}
	from := b.header.start
	// The blank line that set it off goes with it.
	if head := bytes.TrimRight(text[:from], " \t\r\n"); blank(text[b.end:]) && len(head) > 0 {
		if i := bytes.IndexByte(text[len(head):], '\n'); i >= 0 {
			from = len(head) + i + 1
		}
	}
	return slices.Concat(mark, splice(text, from, b.end, "")), nil
}

// cutLine takes out text[start:end] with the rest of its line.
func cutLine(text []byte, start, end int) []byte {
	start -= len(text[:start]) - len(bytes.TrimRight(text[:start], " \t"))
	if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(text)
	}
	return splice(text, start, end, "")
}

func tomlKey(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = p
		if p == "" || strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			parts[i] = quoteJSON(p) // a basic string of TOML reads JSON's escapes
		}
	}
	return strings.Join(parts, ".")
}

func tomlValue(v any) string {
	if table, ok := v.([]member); ok {
		pairs := make([]string, len(table))
		for i, m := range table {
			pairs[i] = tomlKey([]string{m.key}) + " = " + tomlValue(m.value)
		}
		return "{ " + strings.Join(pairs, ", ") + " }"
	}
	return layout{comma: ", "}.render(v, "")
}
