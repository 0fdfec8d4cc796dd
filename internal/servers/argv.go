package servers

import (
	"errors"
	"strings"
)

// SplitCommand splits a command line into a program and its arguments the way
// a shell would, without being one: words are separated by blanks, '…' is
// literal, in "…" a backslash stands before " and \ only. Outside quotes a
// backslash is itself, so that Windows paths read as they are written.
//
// What only a shell can do (pipes, redirections, $VAR, globs, ~) is an error
// rather than a surprise.
func SplitCommand(line string) ([]string, error) {
	var argv []string
	var word strings.Builder
	var quote rune
	inWord := false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == 0 || r == '\n' || r == '\r':
			return nil, errors.New("it holds a line break")
		case quote != 0:
			switch {
			case r == quote:
				quote = 0
			case r == '\\' && quote == '"' && i+1 < len(runes) && (runes[i+1] == '"' || runes[i+1] == '\\'):
				i++
				word.WriteRune(runes[i])
			default:
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				argv = append(argv, word.String())
				word.Reset()
				inWord = false
			}
		case strings.ContainsRune("|&;<>()$`*?", r), r == '~' && !inWord:
			return nil, errors.New("it needs a shell for " + string(r) + ", and none is started; put it into a script, or in quotes if it is meant literally")
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		argv = append(argv, word.String())
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("it names no program")
	}
	return argv, nil
}
