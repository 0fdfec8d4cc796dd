package clients

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"bridge/internal/fsx"
)

// What is refused of YAML before the parser sees it: more than it does in good
// time, and what it reads otherwise than libyaml does.

// What is read of YAML at most. The parser's time grows with the square of the
// keys of a table and of the depth, so that both are counted before it runs;
// these bounds keep it below a second, and are ten times what people have.
const (
	maxYAML       = 1 << 20 // bytes
	maxYAMLTokens = 1 << 15
	maxYAMLDepth  = 100
	maxYAMLValues = 1 << 17 // with aliases written out
)

// checkYAML refuses characters that are no text, and those that one parser
// takes for the end of a line and another does not.
func checkYAML(text []byte) error {
	if len(text) > maxYAML {
		return &FileError{Err: fsx.ErrTooLarge}
	}
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == '\t' || c == '\n' || c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029' || c == '\ufeff':
			return &FileError{Line: lineOf(text, i), Err: ErrSyntax}
		case c == utf8.RuneError && size == 1 || c < ' ' || c >= 0x7f && c < 0xa0 || c == '\ufffe' || c == '\uffff':
			return &FileError{Line: lineOf(text, i), Err: ErrSyntax}
		}
		i += size
	}
	return nil
}

// measureYAML counts what the parser would have to work on.
func measureYAML(tokens token.Tokens) error {
	if len(tokens) > maxYAMLTokens {
		return &FileError{Err: fsx.ErrTooLarge}
	}
	flow := 0
	var columns []int // of the block collections around
	for i, t := range tokens {
		column := t.Position.Column
		if (t.Type == token.TagType || t.Type == token.AnchorType) && (i == 0 || tokens[i-1].Position.Line < t.Position.Line) {
			return &FileError{Line: t.Position.Line, Err: ErrSyntax} // the parser forgets some that begin a line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
			column = 0
		case token.SequenceEndType, token.MappingEndType:
			flow--
			column = 0
		case token.DirectiveType:
			return &FileError{Line: t.Position.Line, Err: ErrSyntax}
		case token.AnchorType, token.AliasType:
			column = 0
			if i+1 == len(tokens) || strings.Trim(tokens[i+1].Value, wordBytes) != "" {
				return &FileError{Line: t.Position.Line, Err: ErrSyntax}
			}
		case token.TagType:
			column = 0
			if strings.Trim(t.Value, "!:/."+wordBytes) != "" {
				return &FileError{Line: t.Position.Line, Err: ErrSyntax}
			}
		case token.StringType:
			column = 0
			if !plainYAML(t.Value) {
				return &FileError{Line: t.Position.Line, Err: ErrSyntax}
			}
		case token.MappingValueType:
			if i > 0 {
				column = tokens[i-1].Position.Column
			}
		case token.SequenceEntryType, token.MappingKeyType:
		default:
			column = 0
		}
		if column > 0 && flow <= 0 {
			for len(columns) > 0 && columns[len(columns)-1] > column {
				columns = columns[:len(columns)-1]
			}
			if len(columns) == 0 || columns[len(columns)-1] < column {
				columns = append(columns, column)
			}
		}
		if flow+len(columns) > maxYAMLDepth {
			return &FileError{Line: t.Position.Line, Err: ErrSyntax}
		}
	}
	return nil
}

// wordBytes are what names of anchors consist of.
const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// plainYAML reports whether a text may stand without quotes.
func plainYAML(text string) bool {
	if text == "" || strings.Contains(text, ": ") {
		return text == ""
	}
	if strings.IndexByte("-?:", text[0]) >= 0 {
		return len(text) > 1 && strings.IndexByte(" \t\n", text[1]) < 0
	}
	return strings.IndexByte(",[]{}#&*!|>'\"%@`", text[0]) < 0
}
