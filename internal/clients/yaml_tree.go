package clients

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A yamlKind is what a node is.
type yamlKind int

const (
	yamlScalarNode yamlKind = iota
	yamlMapping
	yamlSequence
	yamlAlias
)

// A yamlNode is a part of a document that knows where it stands. It is our own
// because the parser's tree has a type for each way to write a value.
type yamlNode struct {
	kind   yamlKind
	line   int         // from 1
	column int         // from 1, in characters; of a key it is the indentation + 1
	text   string      // of a scalar, as it was read
	value  any         // of a scalar: nil, bool, int, float64, string
	keys   []*yamlNode // of a mapping
	items  []*yamlNode // of a mapping, one a key, or of a sequence
	target *yamlNode   // of an alias
	anchor bool
	absent bool // nothing is written there, which is null
	// byHand: it is in flow style, or one of its keys does not stand alone at the
	// beginning of its line, so that lines are not what it is made of.
	byHand bool
}

func (n *yamlNode) null() bool { return n.kind == yamlScalarNode && n.value == nil }

// A yamlReader makes nodes of the parser's tree.
type yamlReader struct {
	lines   []string
	anchors map[string]*yamlNode
}

// readYAML reads the first document of a text; nil is one without content. It
// is stricter than the parser where Goose's is: libyaml takes no control
// characters and nothing but UTF-8, and breaks lines where YAML 1.2 does not.
func readYAML(text []byte) (top *yamlNode, err error) {
	if err := checkYAML(text); err != nil {
		return nil, err
	}
	// The parser counts lines twice that end with \r\n after a comment.
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	defer func() {
		if recover() != nil { // whatever a hostile text can do to the parser
			top, err = nil, &FileError{Err: ErrSyntax}
		}
	}()
	lines := strings.Split(plain, "\n")
	for i, line := range lines {
		mark := len(line) > 3 && (line[:3] == "---" || line[:3] == "...") && line[3] != ' ' && line[3] != '\t'
		if mark || strings.HasPrefix(line, "\t") {
			return nil, &FileError{Line: i + 1, Err: ErrSyntax}
		}
	}
	if last := lines[len(lines)-1]; strings.HasPrefix(strings.TrimLeft(last, " "), "!") {
		return nil, &FileError{Line: len(lines), Err: ErrSyntax} // a tag that the parser forgets
	}
	tokens := lexer.Tokenize(plain)
	if err := measureYAML(tokens); err != nil {
		return nil, err
	}
	// Keys given twice are found below, by name and not by message.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, yamlSyntax(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		for _, t := range tokens {
			if t.Type != token.CommentType && t.Type != token.DocumentHeaderType && t.Type != token.DocumentEndType {
				return nil, &FileError{Line: t.Position.Line, Err: ErrSyntax} // an anchor or a tag of nothing
			}
		}
		return nil, nil
	}
	r := yamlReader{lines, map[string]*yamlNode{}}
	return r.node(file.Docs[0].Body)
}

// yamlSyntax keeps of the parser's message the line, because the rest quotes
// the file.
func yamlSyntax(err error) error {
	e := &FileError{Err: ErrSyntax}
	var at interface{ GetToken() *token.Token }
	if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position != nil {
		e.Line = at.GetToken().Position.Line
	}
	return e
}

func (r *yamlReader) node(n ast.Node) (*yamlNode, error) {
	out := &yamlNode{}
	if n == nil { // what a tag or an anchor without a value has
		out.absent = true
		return out, nil
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line, out.column, out.text = t.Position.Line, t.Position.Column, t.Value
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 { // its token is the colon
			at := n.Values[0].Key.GetToken().Position
			out.line, out.column = at.Line, at.Column
		}
		return out, r.mapping(out, n.IsFlowStyle, n.Values...)
	case *ast.MappingValueNode: // one pair in a sequence of flow style
		return out, r.mapping(out, true, n)
	case *ast.SequenceNode:
		out.kind, out.byHand = yamlSequence, n.IsFlowStyle
		for _, v := range n.Values {
			item, err := r.node(v)
			if err != nil {
				return nil, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	case *ast.AnchorNode:
		inner, err := r.node(n.Value)
		if err != nil {
			return nil, err
		}
		inner.anchor = true
		r.anchors[n.Name.GetToken().Value] = inner // afterwards: none contains itself
		return inner, nil
	case *ast.AliasNode:
		out.kind, out.target = yamlAlias, r.anchors[n.Value.GetToken().Value]
		if out.target == nil {
			return nil, &FileError{Line: out.line, Err: ErrSyntax}
		}
		return out, nil
	case *ast.TagNode:
		inner, err := r.node(n.Value)
		if err == nil && inner.kind == yamlScalarNode && (n.Start.Value == "!!str" || n.Start.Value == "!") {
			inner.value = inner.text
		}
		return inner, err
	}
	if !r.scalar(out, n) {
		return nil, &FileError{Line: out.line, Err: ErrSyntax}
	}
	return out, nil
}

func (r *yamlReader) scalar(out *yamlNode, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NullNode:
		if n.Token.Type == token.ImplicitNullType {
			out.text, out.absent = "", true
		}
	case *ast.BoolNode:
		out.value = n.Value
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			out.value = int(v)
		case uint64:
			if out.value = v; v <= 1<<62 {
				out.value = int(v) //nolint:gosec // it fits
			}
		default:
			out.value = out.text
		}
	case *ast.FloatNode:
		out.value = n.Value
	case *ast.InfinityNode, *ast.NanNode:
		out.value = out.text // a float that is not equal to itself is of no use here
	case *ast.StringNode:
		out.text = n.Value
		if n.Token.Type == token.StringType && strings.Contains(n.Token.Origin, "\t") { // the parser loses it
			out.text = strings.Trim(n.Token.Origin, " \t\n")
			if strings.Contains(out.text, "\n") {
				return false
			}
		}
		out.value = out.text
	case *ast.LiteralNode:
		out.text, out.value = n.Value.Value, n.Value.Value
	case *ast.MergeKeyNode:
		out.text, out.value = "<<", "<<"
	default:
		return false
	}
	return true
}

func (r *yamlReader) mapping(out *yamlNode, flow bool, pairs ...*ast.MappingValueNode) error {
	out.kind, out.byHand = yamlMapping, flow
	seen := make(map[string]bool, len(pairs))
	for _, pair := range pairs {
		var written ast.Node = pair.Key
		at, colon := written.GetToken().Position, pair.Start.Position
		asked, isAsked := written.(*ast.MappingKeyNode)
		if isAsked { // ? key
			written, out.byHand = asked.Value, true
		}
		key, err := r.node(written)
		if err != nil {
			return err
		}
		if !flow && (at.Column != pairs[0].Key.GetToken().Position.Column || key.line != at.Line || !isAsked && at.Line != colon.Line) {
			return &FileError{Line: at.Line, Err: ErrSyntax}
		}
		for key.kind == yamlAlias {
			key = key.target
			out.byHand = true
		}
		if key.kind != yamlScalarNode {
			return &FileError{Line: key.line, Err: ErrSyntax}
		}
		if seen[key.text] {
			return &FileError{Line: key.line, Err: ErrDuplicate}
		}
		seen[key.text] = true
		out.byHand = out.byHand || !r.stands(key)
		item, err := r.node(pair.Value)
		if err != nil {
			return err
		}
		if !flow && item.line > key.line && item.column <= at.Column && !item.absent && (item.kind != yamlSequence || item.byHand || item.column < at.Column) {
			return &FileError{Line: item.line, Err: ErrSyntax} // as deep as its key, or less
		}
		out.keys, out.items = append(out.keys, key), append(out.items, item)
	}
	return nil
}

// stands reports whether a key is the first thing in the line it is said to
// be in. What is edited as lines depends on it.
func (r *yamlReader) stands(key *yamlNode) bool {
	if key.line < 1 || key.line > len(r.lines) || key.column < 1 {
		return false
	}
	line := r.lines[key.line-1]
	bare := strings.TrimLeft(line, " ")
	return len(line)-len(bare) == key.column-1 && bare != "" &&
		(bare[0] == '"' || bare[0] == '\'' || key.text != "" && strings.HasPrefix(bare, key.text))
}
