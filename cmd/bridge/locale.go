package main

import (
	"runtime"
	"strings"
)

// unicodeTerminal says whether signs and blocks beyond ASCII are shown. No
// locale at all is common in containers, whose terminals show them. Windows'
// terminals do whatever the locale says.
func unicodeTerminal(getenv func(string) string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	if getenv("TERM") == "linux" {
		return false // the console's font
	}
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
