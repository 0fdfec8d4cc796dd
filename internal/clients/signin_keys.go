package clients

import (
	"bytes"
	"crypto/md5" //nolint:gosec // it is how mcp-remote names its files, and protects nothing
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bridge/internal/fsx"
)

// mcp-remote names the files of a sign-in by an MD5 sum of what it was started
// with, as it stands in the arguments and before variables are filled in. What
// goes into the sum has grown:
//
//	until 0.1.29   the address
//	from 0.1.30    the address, --resource, the headers
//	mcp-remote-v1  those, and --authorize-param before the headers,
//	               --client-metadata-url and --token-endpoint after them
//
// The parts are joined by a bar; the headers, and the parameters, are one JSON
// object with sorted keys. A part that is not given is left out.
type signInKeys struct{ now, middle, old string }

// keysOf are the keys for arguments of mcp-remote; none of them is set if the
// arguments name no server.
func keysOf(args []string) signInKeys {
	headers, fromFiles, rest := remoteHeaders(args)
	if len(rest) == 0 || rest[0] == "" || strings.HasPrefix(rest[0], "-") {
		return signInKeys{} // with a flag there it never ran
	}
	value := func(flag string) string {
		if i := slices.Index(rest, flag); i >= 0 && i+1 < len(rest) {
			return rest[i+1]
		}
		return ""
	}
	address := rest[0]
	resource := strings.TrimSpace(value("--resource"))
	now := []string{address}
	if resource != "" && !slices.Contains(rest, "--disable-resource-parameter") {
		now = append(now, resource)
	}
	params := map[string]string{}
	for i, word := range rest {
		if word == "--authorize-param" && i+1 < len(rest) {
			if name, v, ok := strings.Cut(rest[i+1], "="); ok && name != "" {
				params[strings.TrimSpace(name)] = v
			}
		}
	}
	for _, object := range []map[string]string{params, fromFiles} {
		if len(object) > 0 {
			now = append(now, jsObject(object))
		}
	}
	for _, v := range []string{value("--client-metadata-url"), value("--token-endpoint")} {
		if v != "" {
			now = append(now, v)
		}
	}
	middle := []string{address}
	if resource != "" {
		middle = append(middle, resource)
	}
	if len(headers) > 0 {
		middle = append(middle, jsObject(headers))
	}
	return signInKeys{md5Of(now), md5Of(middle), md5Of([]string{address})}
}

func md5Of(parts []string) string {
	sum := md5.Sum([]byte(strings.Join(parts, "|"))) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// remoteHeaders takes the headers out of the arguments as mcp-remote does: those
// of --header alone, those with the ones of --header-file, and the arguments
// that are left.
func remoteHeaders(args []string) (given, all map[string]string, rest []string) {
	given, all = map[string]string{}, map[string]string{}
	for i := 0; i < len(args); i++ {
		if i+1 == len(args) || args[i] != "--header" && args[i] != "--header-file" {
			rest = append(rest, args[i])
			continue
		}
		if args[i] == "--header" {
			if name, value, ok := remoteHeader(args[i+1]); ok {
				given[name], all[name] = value, value
			}
		} else if text, err := fsx.ReadFile(args[i+1], maxHeaderFile); err == nil {
			for line := range bytes.SplitSeq(text, []byte("\n")) {
				if name, value, ok := remoteHeader(strings.TrimSpace(string(line))); ok {
					all[name] = value
				}
			}
		}
		i++
	}
	return given, all, rest
}

// maxHeaderFile bounds what is read of a file that --header-file names, in
// bytes.
const maxHeaderFile = 64 << 10

// remoteHeader reads a header as mcp-remote does; others it ignores.
func remoteHeader(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, ":")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) {
		return "", "", false
	}
	value = strings.TrimLeftFunc(value, unicode.IsSpace)
	return name, value, !strings.ContainsAny(value, "\n\r\u2028\u2029")
}

// jsObject is what JSON.stringify makes of an object with sorted keys.
// encoding/json escapes more than that.
func jsObject(object map[string]string) string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(jsString(name) + ":" + jsString(object[name]))
	}
	b.WriteByte('}')
	return b.String()
}

func jsString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			b.WriteString(`\` + `"\bfnrt`[i:i+1])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// A release is a folder's name as a version of mcp-remote. The folder that is
// named by the version of the store, mcp-remote-v1, comes after all that are
// named by a release; files right in the base folder are of before there were
// any.
type release [4]int

func releaseOf(folder string) (r release, ok bool) {
	text, ok := strings.CutPrefix(folder, "mcp-remote-")
	if !ok {
		return r, false
	}
	if n, isStore := strings.CutPrefix(text, "v"); isStore {
		r[0], ok = number(n)
		return r, ok && r[0] > 0
	}
	text, _, _ = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return r, false
	}
	for i, part := range parts {
		if r[i+1], ok = number(part); !ok {
			return r, false
		}
	}
	return r, true
}

func number(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil
}

// keys are the names that the release gave to files of those arguments, the
// likeliest first.
func (r release) keys(k signInKeys) []string {
	switch {
	case r[0] > 0:
		return []string{k.now}
	case slices.Compare(r[:], []int{0, 0, 1, 30}) < 0:
		return []string{k.old}
	case k.now == k.middle:
		return []string{k.now}
	}
	return []string{k.now, k.middle}
}
