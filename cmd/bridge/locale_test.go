package main

import (
	"runtime"
	"testing"
)

// doctor and stats draw by one rule. Terminals of Windows show everything.
func TestUnicodeTerminal(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "id_ID.UTF-8"}, true},
		{map[string]string{"LANG": "id_ID.utf8", "TERM": "dumb"}, true},
		{map[string]string{"LANG": "id_ID.UTF-8", "LC_ALL": "C"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.UTF-8", "TERM": "linux"}, false},
	} {
		if got := unicodeTerminal(func(name string) string { return tt.env[name] }); got != (tt.want || runtime.GOOS == "windows") {
			t.Errorf("%v: %v", tt.env, got)
		}
	}
}
