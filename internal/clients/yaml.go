package clients

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, yamlSyntax(err)
	}
	if len(n.Content) == 0 || n.Content[0].Tag == "!!null" { // comments only
		return doc, nil
	}
	if n.Content[0].Kind != yaml.MappingNode {
		return nil, &FileError{Line: n.Content[0].Line, Err: ErrShape}
	}
	if err := n.Decode(&doc); err != nil {
		return nil, yamlSyntax(err) // keys given twice among them
	}
	return doc, nil
}

// yamlSyntax keeps of the parser's message the line, because the rest may
// quote the file.
func yamlSyntax(err error) error {
	e := &FileError{Err: ErrSyntax}
	if i := strings.Index(err.Error(), "line "); i >= 0 {
		_, _ = fmt.Sscanf(err.Error()[i:], "line %d", &e.Line)
	}
	if strings.Contains(err.Error(), "already defined") {
		e.Err = ErrDuplicate
	}
	return e
}

// check has nothing to find: decode refuses keys given twice.
func (yamlEditor) check([]byte, []string, string) error { return nil }

// A yamlDoc is the text in lines with the tree that points into them.
type yamlDoc struct {
	lines []string // with their line ends
	top   *yaml.Node
	eol   string
}

func parseYAML(text []byte) (*yamlDoc, error) {
	d := &yamlDoc{lines: strings.SplitAfter(string(text), "\n"), eol: lineEnd(text)}
	if d.lines[len(d.lines)-1] == "" {
		d.lines = d.lines[:len(d.lines)-1]
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, yamlSyntax(err)
	}
	if len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
		d.top = n.Content[0]
	}
	return d, nil
}

func (d *yamlDoc) text(mark []byte) []byte {
	return slices.Concat(mark, []byte(strings.Join(d.lines, "")))
}

// A yamlMap is a mapping found at a path.
type yamlMap struct {
	key  *yaml.Node // nil for the top
	node *yaml.Node // nil if absent
}

func yamlFind(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i], n.Content[i+1]
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
		m, path = yamlMap{k, v}, path[1:]
	}
	return m, path
}

// ends returns the index of the line behind a key and all that is below it,
// comments and blank lines that follow left out.
func (d *yamlDoc) ends(key *yaml.Node) int {
	last := key.Line // 1-based, hence the line behind
	for i := key.Line; i < len(d.lines); i++ {
		line := strings.TrimRight(d.lines[i], " \t\r\n")
		trimmed := strings.TrimLeft(line, " ")
		if trimmed == "" {
			continue
		}
		indent := len(line) - len(trimmed)
		if indent < key.Column-1 || indent == key.Column-1 && !strings.HasPrefix(trimmed, "- ") && trimmed != "-" {
			break
		}
		if strings.HasPrefix(trimmed, "#") && indent <= key.Column-1 {
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
	if n := len(d.lines); n > 0 && !strings.HasSuffix(d.lines[n-1], "\n") {
		d.lines[n-1] += d.eol
	}
	m, rest := d.at(root)
	switch {
	case len(rest) > 0: // some of the way is missing
		if m.node != nil && (m.node.Kind != yaml.MappingNode || m.node.Style&yaml.FlowStyle != 0) {
			return nil, &FileError{Key: name, Err: ErrByHand}
		}
		at, indent := len(d.lines), 0
		if m.key != nil {
			at, indent = d.ends(m.key), m.key.Column+1
		} else if n := len(d.lines); n > 0 && strings.HasPrefix(d.lines[n-1], "...") {
			return nil, &FileError{Key: name, Err: ErrByHand}
		}
		d.insert(at, renderYAML(append(slices.Clone(rest), name), entry, indent, d.eol))
	case m.node.Tag == "!!null" || m.node.Kind == yaml.MappingNode && len(m.node.Content) == 0:
		line := d.lines[m.key.Line-1]
		bare := regexp.MustCompile(`^(.*?:)[ \t]*(\{[ \t]*\}|null|~)?([ \t]*(?:#.*)?\r?\n)$`).FindStringSubmatch(line)
		if bare == nil || m.node.Anchor != "" {
			return nil, &FileError{Line: m.key.Line, Key: name, Err: ErrByHand}
		}
		d.lines[m.key.Line-1] = bare[1] + bare[3]
		d.insert(m.key.Line, renderYAML([]string{name}, entry, m.key.Column+1, d.eol))
	case m.node.Kind != yaml.MappingNode || m.node.Style&yaml.FlowStyle != 0:
		return nil, &FileError{Line: m.node.Line, Key: name, Err: ErrByHand}
	default:
		last := m.node.Content[len(m.node.Content)-2]
		d.insert(d.ends(last), renderYAML([]string{name}, entry, last.Column-1, d.eol))
	}
	return d.text(mark), nil
}

func (d *yamlDoc) insert(at int, lines []string) { d.lines = slices.Insert(d.lines, at, lines...) }

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
func (d *yamlDoc) entry(root []string, name string) (k, v *yaml.Node, err error) {
	m, rest := d.at(root)
	if len(rest) == 0 && m.node != nil && m.node.Style&yaml.FlowStyle == 0 {
		if k, v = yamlFind(m.node, name); k != nil && v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0 && v.Anchor == "" {
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
		if n := len(d.lines); !strings.HasSuffix(d.lines[n-1], "\n") {
			d.lines[n-1] += d.eol
		}
		at := d.ends(k)
		indent := k.Column + 1
		if len(v.Content) > 0 {
			indent = v.Content[0].Column - 1
		}
		if old, value := yamlFind(v, m.key); old != nil {
			if sameYAML(value, m.value) {
				continue
			}
			at = old.Line - 1
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
			d.lines = slices.Delete(d.lines, old.Line-1, d.ends(old))
			text = d.text(nil)
		}
	}
	return slices.Concat(mark, text), nil
}

func sameYAML(n *yaml.Node, v any) bool {
	var got any
	if n.Decode(&got) != nil {
		return false
	}
	a, errA := yaml.Marshal(got)
	b, errB := yaml.Marshal(decoded(v))
	return errA == nil && errB == nil && bytes.Equal(a, b)
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
	if len(m.node.Content) == 2 { // the last one: nothing is left but an empty table
		line := &d.lines[m.key.Line-1]
		if parts := regexp.MustCompile(`^(.*?:)([ \t]*(?:#.*)?\r?\n)$`).FindStringSubmatch(*line); parts != nil {
			*line = parts[1] + " {}" + parts[2]
		}
	}
	d.lines = slices.Delete(d.lines, k.Line-1, d.ends(k))
	return d.text(mark), nil
}
