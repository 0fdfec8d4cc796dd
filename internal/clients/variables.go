package clients

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// A Variable is one that an entry gives to bridge, so that the client's bridge
// finds what the person's finds: the environment of a desktop is not that of a
// shell.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// VariableNames are the variables that an entry may hold, and there are no
// others: each names a path or a choice. BRIDGE_PASSPHRASE, BRIDGE_TOKEN with
// its kin, and BRIDGE_CLIENT_SECRET are secrets and stay out.
func VariableNames() []string {
	return []string{"BRIDGE_HOME", "BRIDGE_KEYSTORE", "BRIDGE_PASSPHRASE_FILE", "BRIDGE_KEY_FILE", "BRIDGE_TOKEN_FILE", "BRIDGE_BROWSER", "BRIDGE_LANG"}
}

var errVariable = errors.New("a launch takes variables that name a path or a choice")

// Check refuses a variable that is none of those above, or whose value is not
// of its kind.
func (v Variable) Check() error {
	ok := false
	switch v.Name {
	case "BRIDGE_HOME", "BRIDGE_PASSPHRASE_FILE", "BRIDGE_KEY_FILE", "BRIDGE_TOKEN_FILE":
		ok = absolute(v.Value) && len(v.Value) <= 4096
	case "BRIDGE_BROWSER":
		ok = absolute(v.Value) && len(v.Value) <= 4096 || v.Value != "" && len(v.Value) <= 64 && strings.Trim(v.Value, wordLetters) == ""
	case "BRIDGE_KEYSTORE":
		ok = v.Value == "keychain" || v.Value == "file"
	case "BRIDGE_LANG":
		ok = v.Value == "en" || v.Value == "id"
	}
	if !ok {
		return errVariable
	}
	return nil
}

const wordLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// absolute reports an absolute path of either kind of system (so that those of
// Windows can be tested elsewhere) without control characters.
func absolute(path string) bool {
	windows := len(path) > 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') || strings.HasPrefix(path, `\\`)
	return (filepath.IsAbs(path) || windows) && !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// Variables are those of the entry that may be written again.
func (e Entry) Variables() (out []Variable) {
	for _, name := range VariableNames() {
		if v := (Variable{name, e.Env[name]}); v.Check() == nil {
			out = append(out, v)
		}
	}
	return out
}

// env is the table of a launch's variables.
func (l Launch) env() (out []member) {
	for _, v := range l.Env {
		out = append(out, member{v.Name, v.Value})
	}
	return out
}

// stale are the variables of an entry of ours that a new launch does not have.
func (l Launch) stale(e Entry) (names []string) {
	for _, v := range e.Variables() {
		if !slices.ContainsFunc(l.Env, func(now Variable) bool { return now.Name == v.Name }) {
			names = append(names, v.Name)
		}
	}
	return names
}
