// Package say holds what bridge says to people. The English text stands where
// it is used, as the argument of T; the Indonesian one stands beside it here,
// one file an area, and a test walks the callers and fails for a text without
// its translation.
//
// It refuses to translate what programs read: JSON keys, flags, exit codes,
// names of commands and of environment variables are the same in every
// language. The tables are switch statements, so that they cost nothing at
// start and a lookup allocates nothing.
package say

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Lang is a language that bridge speaks.
type Lang string

// The languages there are.
const (
	English    Lang = "en"
	Indonesian Lang = "id"
)

// T returns the text for people that format and args make, in the user's
// language. format is the English text and has to be a literal, so that the
// test finds it; a text without a translation stays English. Verbs are those of
// package fmt, and a translation that needs another order numbers them (%[2]s).
func T(format string, args ...any) string {
	return In(Language(), format, args...)
}

// In is T for a language given by the caller.
func In(lang Lang, format string, args ...any) string {
	if lang == Indonesian {
		if s := indonesian(format); s != "" {
			format = s
		}
	}
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return format
	}
	if lang == Indonesian {
		args = withCommas(args)
	}
	return fmt.Sprintf(format, args...)
}

// Number writes one number for people, as T does: in Indonesian the decimal mark
// is a comma. format holds one verb of package fmt, such as %.1f. It is not for
// what a program reads, nor for what is to be typed back.
func Number(format string, n float64) string {
	return In(Language(), format, n)
}

// A commaFloat is a number in Indonesian text.
type commaFloat float64

// Format implements fmt.Formatter.
func (n commaFloat) Format(f fmt.State, verb rune) {
	text := fmt.Sprintf(fmt.FormatString(f, verb), float64(n))
	_, _ = io.WriteString(f, strings.Replace(text, ".", ",", 1)) // of a buffer of package fmt
}

// withCommas has the fractions among args written with a comma. args, which are
// the caller's, stay as they are.
func withCommas(args []any) []any {
	isFraction := func(arg any) bool { _, ok := arg.(float64); return ok }
	if !slices.ContainsFunc(args, isFraction) {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if n, ok := arg.(float64); ok {
			args[i] = commaFloat(n)
		}
	}
	return args
}

// language is asked for once: the environment does not change under us.
var language = sync.OnceValue(func() Lang { return Detect(os.Getenv) })

// Language is the user's language: BRIDGE_LANG, else the locale as POSIX
// orders it (LC_ALL, LC_MESSAGES, LANG), else English.
func Language() Lang { return language() }

// Detect finds the language in an environment. The first variable that is set
// decides, as in POSIX, also when it names a language that we do not speak.
func Detect(getenv func(string) string) Lang {
	for _, name := range [...]string{"BRIDGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			return parse(v)
		}
	}
	return English
}

// parse reads a locale such as id_ID.UTF-8. "in" is what Java still calls
// Indonesian, following ISO 639 as it was before 1989.
func parse(locale string) Lang {
	tag := strings.ToLower(locale)
	if i := strings.IndexAny(tag, "_-.@"); i >= 0 {
		tag = tag[:i]
	}
	switch tag {
	case "id", "in", "ind":
		return Indonesian
	}
	return English
}

// indonesian returns the translation of an English text, or "".
func indonesian(en string) string {
	for _, area := range [...]func(string) string{
		idRoot,
		idHelp,
		idMan,
		idRelay,
		idServe,
		idDemo,
		idSignIn,
		idOAuth,
		idServers,
		idCall,
		idAsk,
		idTools,
		idDoctor,
		idPatient,
		idSandbox,
		idClients,
		idReview,
		idCards,
	} {
		if s := area(en); s != "" {
			return s
		}
	}
	return ""
}
