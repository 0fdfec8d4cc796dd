package servers

import (
	"bytes"
	"errors"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A document is the text of config.toml with the place of everything in it.
//
// The places come from go-toml's own parser (its package is called unstable
// because its API may change between versions, and the version is pinned), so
// that reading and editing agree about what the text means. A table header or
// a key with its value is a statement; comments and blank lines lie between
// the statements and belong to nobody.
type document struct {
	text  []byte
	ends  []int // offsets of the line breaks
	bom   int   // length of the byte order mark that some editors write
	stmts []statement
	leafs []leaf
}

// A statement is one table header or one key with its value.
type statement struct {
	table      bool
	path       []string // with the table it stands in
	start, end int      // of its bytes, without a comment after it
	value      int      // where the value begins; 0 for a table header
	line       int
}

// A leaf is a value with its full path, inline tables resolved.
type leaf struct {
	path []string
	line int
	kind unstable.Kind // String, Bool, Array, …; Table for a table's own mention
	text string        // of a String or a Bool
	list []string      // of an Array of strings; nil if it holds anything else
}

// parseDocument reads text, or says in which line it stops being TOML.
func parseDocument(text []byte) (*document, error) {
	d := &document{text: text}
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		d.bom = 3
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return nil, &Error{Problem: NotReadable, Line: 1, Detail: "it is UTF-16, and must be UTF-8", Advice: "save it again as UTF-8"}
	}
	for i, c := range text {
		if c == '\n' {
			d.ends = append(d.ends, i)
		}
	}
	body := text[d.bom:]
	// Comments are searched too, and before anything else: a token pasted
	// without its quotes is no TOML, but that is not what has to be said.
	server := ""
	for i, line := range strings.Split(string(body), "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "[servers."); ok {
			server, _, _ = strings.Cut(rest, "]")
			server, _, _ = strings.Cut(server, ".")
			if !ValidName(server) {
				server = ""
			}
		}
		if holdsToken(line) {
			return nil, secretError(server, "", i+1, "this line holds a secret")
		}
	}
	// The decoder finds what the parser alone does not: keys given twice,
	// tables that contradict each other, dates and numbers that are none.
	var whole map[string]any
	if err := toml.Unmarshal(body, &whole); err != nil {
		return nil, syntaxError(err)
	}
	var p unstable.Parser
	p.Reset(body)
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, start, end := d.key(node.Key())
			// The node covers its key only; the brackets stand around it.
			start = bytes.LastIndexByte(text[:start], '[')
			if node.Kind == unstable.ArrayTable && start > 0 {
				start--
			}
			end += bytes.IndexByte(text[end:], ']') + 1
			if node.Kind == unstable.ArrayTable {
				end++
			}
			table = path
			line := d.line(start)
			d.stmts = append(d.stmts, statement{table: true, path: path, start: start, end: end, line: line})
			d.leafs = append(d.leafs, leaf{path: path, line: line, kind: node.Kind})
		case unstable.KeyValue:
			key, start, keyEnd := d.key(node.Key())
			path := join(table, key)
			end := d.bom + int(node.Raw.Offset) + int(node.Raw.Length)
			end = start + len(bytes.TrimRight(text[start:end], " \t\r\n"))
			value := keyEnd + bytes.IndexByte(text[keyEnd:], '=') + 1
			for value < end && (text[value] == ' ' || text[value] == '\t') {
				value++
			}
			d.stmts = append(d.stmts, statement{path: path, start: start, end: end, value: value, line: d.line(start)})
			d.collect(path, node.Value(), d.line(start))
		}
	}
	if err := p.Error(); err != nil {
		return nil, &Error{Problem: NotTOML, Detail: "it is not TOML", Err: err}
	}
	return d, nil
}

// key returns the parts of a key and where it begins and ends.
func (d *document) key(it unstable.Iterator) (path []string, start, end int) {
	start = -1
	for it.Next() {
		n := it.Node()
		path = append(path, string(n.Data))
		if start < 0 {
			start = d.bom + int(n.Raw.Offset)
		}
		end = d.bom + int(n.Raw.Offset) + int(n.Raw.Length)
	}
	return path, start, end
}

func (d *document) collect(path []string, v *unstable.Node, line int) {
	// A value that has a place of its own is reported there.
	if v.Raw.Length > 0 {
		line = d.line(d.bom + int(v.Raw.Offset))
	}
	l := leaf{path: path, line: line, kind: v.Kind}
	switch v.Kind {
	case unstable.InlineTable:
		l.kind = unstable.Table
		d.leafs = append(d.leafs, l)
		for it := v.Children(); it.Next(); {
			n := it.Node()
			key, start, _ := d.key(n.Key())
			d.collect(join(path, key), n.Value(), d.line(start))
		}
		return
	case unstable.Array:
		l.list = []string{}
		for it := v.Children(); it.Next(); {
			if n := it.Node(); n.Kind == unstable.String && l.list != nil {
				l.list = append(l.list, string(n.Data))
			} else if n.Kind != unstable.Comment {
				l.list = nil
				d.collectStrings(path, n)
			}
		}
	default:
		l.text = string(v.Data)
	}
	d.leafs = append(d.leafs, l)
}

// collectStrings makes leafs of what an array should not hold, so that a
// secret in it is reported as one.
func (d *document) collectStrings(path []string, v *unstable.Node) {
	if v.Kind == unstable.InlineTable || v.Kind == unstable.Array {
		d.collect(path, v, d.line(d.bom+int(v.Raw.Offset)))
	}
}

// line returns the 1-based line of an offset.
func (d *document) line(offset int) int {
	return 1 + sort.SearchInts(d.ends, offset)
}

func join(a, b []string) []string {
	return append(append(make([]string, 0, len(a)+len(b)), a...), b...)
}

// hasPrefix reports whether path is prefix or lies below it.
func hasPrefix(path, prefix []string) bool {
	if len(path) < len(prefix) {
		return false
	}
	for i := range prefix {
		if path[i] != prefix[i] {
			return false
		}
	}
	return true
}

// syntaxError makes an Error of the decoder's, whose message is cut before any
// quotation of the text.
func syntaxError(err error) *Error {
	e := &Error{Problem: NotTOML, Detail: "it is not TOML", Advice: "a file cut short looks like this; mend it, or move it away and sign in again"}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		e.Line, _ = de.Position()
		why := strings.TrimPrefix(de.Error(), "toml: ")
		if cut := strings.IndexAny(why, "\"`:"); cut >= 0 {
			why = strings.TrimSpace(why[:cut])
		}
		if why != "" {
			e.Detail += ": " + why
		}
	}
	return e
}
