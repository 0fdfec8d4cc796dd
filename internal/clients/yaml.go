package clients

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// yamlEditor edits YAML as text, in block style only: writing a tree of nodes
// back would indent the whole file anew. Flow style ({a: b}), anchors and
// aliases on the way are read and not edited; an empty {} is.
type yamlEditor struct{}

func (yamlEditor) decode(text []byte) (map[string]any, error) {
	_, text = splitBOM(text)
	doc := map[string]any{}
	if blank(text) {
		return doc, nil
	}
	top, err := readYAML(text)
	if err != nil || top == nil || top.null() { // comments only
		return doc, err
	}
	if top.kind != yamlMapping {
		return nil, &FileError{Line: top.line, Err: ErrShape}
	}
	left := maxYAMLValues
	v, err := top.plain(0, &left)
	if err != nil {
		return nil, err
	}
	doc, _ = v.(map[string]any)
	return doc, nil
}

// check has nothing to find: decode refuses keys given twice.
func (yamlEditor) check([]byte, []string, string) error { return nil }

// A yamlDoc is the text in lines with the tree that points into them.
type yamlDoc struct {
	lines []string // with their line ends
	top   *yamlNode
	eol   string
}

func parseYAML(text []byte) (*yamlDoc, error) {
	d := &yamlDoc{lines: strings.SplitAfter(string(text), "\n"), eol: lineEnd(text)}
	if d.lines[len(d.lines)-1] == "" {
		d.lines = d.lines[:len(d.lines)-1]
	}
	top, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	if top != nil && top.kind != yamlMapping {
		return nil, &FileError{Line: top.line, Err: ErrByHand}
	}
	d.top = top
	return d, nil
}

func (d *yamlDoc) text(mark []byte) []byte {
	return slices.Concat(mark, []byte(strings.Join(d.lines, "")))
}

// A yamlMap is a mapping found at a path.
type yamlMap struct {
	key  *yamlNode // nil for the top
	node *yamlNode // nil if absent
	// byHand: a mapping above is.
	byHand bool
}

func yamlFind(n *yamlNode, key string) (k, v *yamlNode) {
	if n == nil || n.kind != yamlMapping {
		return nil, nil
	}
	for i, k := range n.keys {
		if k.text == key {
			return k, n.items[i]
		}
	}
	return nil, nil
}

func (d *yamlDoc) at(path []string) (yamlMap, []string) {
	m := yamlMap{node: d.top}
	for len(path) > 0 {
		k, v := yamlFind(m.node, path[0])
		if k == nil {
			break
		}
		m, path = yamlMap{k, v, m.byHand || m.node.byHand}, path[1:]
	}
	return m, path
}

// ends returns the index of the line behind a key and all that is below it,
// comments and blank lines that follow left out.
func (d *yamlDoc) ends(key *yamlNode) int {
	last := key.line // 1-based, hence the line behind
	for i := key.line; i < len(d.lines); i++ {
		line := strings.TrimRight(d.lines[i], " \t\r\n")
		trimmed := strings.TrimLeft(line, " ")
		if trimmed == "" {
			continue
		}
		indent := len(line) - len(trimmed)
		if indent < key.column-1 || indent == key.column-1 && !strings.HasPrefix(trimmed, "- ") && trimmed != "-" {
			break
		}
		if strings.HasPrefix(trimmed, "#") && indent <= key.column-1 {
			break
		}
		last = i + 1
	}
	return last
}

func (yamlEditor) add(text []byte, root []string, name string, entry []member) ([]byte, error) {
	mark, text := splitBOM(text)
	d, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	m, rest := d.at(root)
	switch {
	case m.byHand:
		return nil, &FileError{Line: m.key.line, Key: name, Err: ErrByHand}
	case len(rest) > 0: // some of the way is missing
		if m.node != nil && (m.node.kind != yamlMapping || m.node.byHand) {
			return nil, &FileError{Key: name, Err: ErrByHand}
		}
		at, indent := len(d.lines), 0
		if m.key != nil {
			at, indent = d.ends(m.key), m.key.column+1
		} else if n := len(d.lines); n > 0 && strings.HasPrefix(d.lines[n-1], "...") {
			return nil, &FileError{Key: name, Err: ErrByHand}
		}
		if at == len(d.lines) && at > 0 && strings.Trim(d.lines[at-1], " \t") == "" { // which may be the last one of a block scalar
			return nil, &FileError{Key: name, Err: ErrByHand}
		}
		d.insert(at, renderYAML(append(slices.Clone(rest), name), entry, indent, d.eol))
	case m.node.null() || m.node.kind == yamlMapping && len(m.node.keys) == 0:
		line := d.lines[m.key.line-1]
		bare := regexp.MustCompile(`^(.*?:)[ \t]*(\{[ \t]*\}|null|~)?([ \t]*(?:#.*)?(?:\r?\n)?)$`).FindStringSubmatch(line)
		if bare == nil || m.node.anchor {
			return nil, &FileError{Line: m.key.line, Key: name, Err: ErrByHand}
		}
		d.lines[m.key.line-1] = bare[1] + bare[3]
		d.insert(m.key.line, renderYAML([]string{name}, entry, m.key.column+1, d.eol))
	case m.node.kind != yamlMapping || m.node.byHand:
		return nil, &FileError{Line: m.node.line, Key: name, Err: ErrByHand}
	default:
		last := m.node.keys[len(m.node.keys)-1]
		d.insert(d.ends(last), renderYAML([]string{name}, entry, last.column-1, d.eol))
	}
	return d.text(mark), nil
}

// insert puts lines before line at, the last one of the file ended if need be.
func (d *yamlDoc) insert(at int, lines []string) {
	if at > 0 && !strings.HasSuffix(d.lines[at-1], "\n") {
		d.lines[at-1] += d.eol
	}
	d.lines = slices.Insert(d.lines, at, lines...)
}

// renderYAML writes the entry below the keys of path, indented.
func renderYAML(path []string, entry []member, indent int, eol string) []string {
	var out []string
	for _, key := range path {
		out = append(out, strings.Repeat(" ", indent)+yamlKey(key)+":"+eol)
		indent += 2
	}
	for _, m := range entry {
		out = append(out, yamlLines(m, indent, eol)...)
	}
	return out
}

func yamlLines(m member, indent int, eol string) []string {
	pad := strings.Repeat(" ", indent)
	if table, ok := m.value.([]member); ok {
		out := []string{pad + m.key + ":" + eol}
		for _, inner := range table {
			out = append(out, yamlLines(member{yamlKey(inner.key), inner.value}, indent+2, eol)...)
		}
		return out
	}
	words, ok := m.value.([]string)
	if !ok {
		return []string{pad + m.key + ": " + yamlScalar(m.value) + eol}
	}
	out := []string{pad + m.key + ":" + eol}
	for _, w := range words {
		out = append(out, pad+"- "+yamlScalar(w)+eol)
	}
	return out
}

func yamlScalar(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprint(v)
	}
	if regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/._-]*$`).MatchString(s) && !yamlWord(s) {
		return s
	}
	return quoteJSON(s) // a double-quoted scalar of YAML reads JSON's escapes
}

// yamlWord reports words that YAML takes for something else than a string.
func yamlWord(s string) bool {
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

func yamlKey(s string) string { return yamlScalar(s) }

// entry finds an entry and its key.
func (d *yamlDoc) entry(root []string, name string) (k, v *yamlNode, err error) {
	m, rest := d.at(root)
	if len(rest) == 0 && m.node != nil && !m.node.byHand && !m.byHand {
		if k, v = yamlFind(m.node, name); k != nil && v.kind == yamlMapping && !v.byHand && !v.anchor {
			return k, v, nil
		}
	}
	return nil, nil, &FileError{Key: name, Err: ErrByHand}
}

func (yamlEditor) change(text []byte, root []string, name string, set []member, drop []string) ([]byte, error) {
	mark, text := splitBOM(text)
	for _, m := range set {
		d, err := parseYAML(text)
		if err != nil {
			return nil, err
		}
		k, v, err := d.entry(root, name)
		if err != nil {
			return nil, err
		}
		at := d.ends(k)
		indent := k.column + 1
		if len(v.keys) > 0 {
			indent = v.keys[0].column - 1
		}
		if old, value := yamlFind(v, m.key); old != nil {
			if sameYAML(value, m.value) {
				continue
			}
			at = old.line - 1
			d.lines = slices.Delete(d.lines, at, d.ends(old))
		}
		d.insert(at, yamlLines(m, indent, d.eol))
		text = d.text(nil)
	}
	for _, key := range drop {
		d, err := parseYAML(text)
		if err != nil {
			return nil, err
		}
		_, v, err := d.entry(root, name)
		if err != nil {
			return nil, err
		}
		if old, _ := yamlFind(v, key); old != nil {
			d.lines = slices.Delete(d.lines, old.line-1, d.ends(old))
			text = d.text(nil)
		}
	}
	return slices.Concat(mark, text), nil
}

func sameYAML(n *yamlNode, v any) bool {
	left := maxYAMLValues
	got, err := n.plain(0, &left)
	return err == nil && reflect.DeepEqual(got, decoded(v))
}

func (yamlEditor) remove(text []byte, root []string, name string) ([]byte, error) {
	mark, text := splitBOM(text)
	d, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	k, _, err := d.entry(root, name)
	if err != nil {
		return nil, err
	}
	m, _ := d.at(root)
	if len(m.node.keys) == 1 { // the last one: nothing is left but an empty table
		line := &d.lines[m.key.line-1]
		if parts := regexp.MustCompile(`^(.*?:)([ \t]*(?:#.*)?\r?\n)$`).FindStringSubmatch(*line); parts != nil {
			*line = parts[1] + " {}" + parts[2]
		}
	}
	d.lines = slices.Delete(d.lines, k.line-1, d.ends(k))
	return d.text(mark), nil
}
