package servers

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"bridge/internal/fsx"
)

const fileHeader = "# The MCP servers that bridge knows. Secrets do not belong here: `bridge login NAME` keeps them.\n"

// Set makes or changes the entry of s.Name, in memory; Save writes it. Only
// the keys whose values differ are touched: comments, order, blank lines and
// everything else in the file stay byte for byte.
func (f *File) Set(s Server) error {
	if err := s.Validate(); err != nil {
		return err
	}
	old, exists := f.Entry(s.Name)
	text := f.text
	var err error
	if exists {
		text, err = editEntry(text, old, s)
	} else {
		text, err = appendEntry(text, s), nil
	}
	if err != nil {
		return f.atPath(err)
	}
	want := f.Servers()
	if exists {
		want[slices.IndexFunc(want, func(o Server) bool { return o.Name == s.Name })] = s
	} else {
		want = append(want, s)
	}
	return f.accept(text, want, s.Name)
}

// Remove deletes the entry of that name, in memory; Save writes it. It reports
// whether there was one.
func (f *File) Remove(name string) (bool, error) {
	if _, ok := f.Entry(name); !ok {
		return false, nil
	}
	d, err := parseDocument(f.text)
	if err != nil {
		return false, f.atPath(err)
	}
	text := d.cut([]string{"servers", name})
	want := slices.DeleteFunc(f.Servers(), func(s Server) bool { return s.Name == name })
	return true, f.accept(text, want, name)
}

// accept takes an edited text only if it means exactly what was wanted.
// Whoever wrote the file may have used a form that the edit did not foresee.
func (f *File) accept(text []byte, want []Server, name string) error {
	got, set, err := decodeText(text)
	if err != nil || set != f.set || !slices.EqualFunc(got, want, equal) || len(text) > MaxFile {
		return f.atPath(&Error{
			Problem: ByHand, Server: name, Err: err,
			Detail: "the entry " + name + " is written in a form that bridge reads but does not edit",
			Advice: "change it by hand, or write it as a table [servers." + name + "]",
		})
	}
	f.text, f.servers = text, got
	return nil
}

func (f *File) atPath(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Path == "" {
		e.Path = f.Path
	}
	return err
}

// Save writes the changes made since the file was read. If somebody else
// changed it in the meantime, nothing is written and the error is ErrChanged;
// if another bridge holds the lock too long, it is ErrBusy. Without changes it
// does nothing.
func (f *File) Save() error {
	if f.text == nil || f.read != nil && bytes.Equal(f.text, f.read) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("make the folder of config.toml: %w", err)
	}
	switch err := fsx.Swap(f.Path, f.read, f.text); {
	case errors.Is(err, fsx.ErrChanged):
		return fmt.Errorf("%s: %w", f.Path, ErrChanged)
	case errors.Is(err, fsx.ErrLocked):
		return fmt.Errorf("%s: %w", f.Path, ErrBusy)
	case err != nil:
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	f.read = f.text
	return nil
}

// Text returns the file's text with the changes made so far.
func (f *File) Text() string { return string(f.text) }

func equal(a, b Server) bool {
	return a.Name == b.Name && a.Preset == b.Preset && a.URL == b.URL && a.Workspace == b.Workspace &&
		a.Auth == b.Auth && maps.Equal(a.Headers, b.Headers) && slices.Equal(a.Allow, b.Allow) &&
		slices.Equal(a.Deny, b.Deny) && a.ReadOnly == b.ReadOnly && slices.Equal(a.TokenCommand, b.TokenCommand) &&
		a.Transport == b.Transport && a.Protocol == b.Protocol && a.AllowHTTP == b.AllowHTTP && a.CACert == b.CACert &&
		a.ClientCert == b.ClientCert && a.ClientCertKey == b.ClientCertKey && a.Insecure == b.Insecure && a.Timeouts == b.Timeouts
}

// Keys returns the keys an entry can have, in the order in which they are
// written.
func Keys() []string { return entryKeys() }

// Value returns the value of one key as config.toml writes it, or "" for one
// that is not set.
func (s Server) Value(key string) string { return s.encode(key) }

// Unset takes one key away, by its name in config.toml. It reports whether
// there is such a key and an entry can be without it.
func (s *Server) Unset(key string) bool {
	switch key {
	case "preset":
		s.Preset = ""
	case "workspace":
		s.Workspace = ""
	case "auth":
		s.Auth = AuthAuto
	case "headers":
		s.Headers = nil
	case "allow":
		s.Allow = nil
	case "deny":
		s.Deny = nil
	case "read_only":
		s.ReadOnly = false
	case "token_command":
		s.TokenCommand = nil
	case "transport":
		s.Transport = TransportAuto
	case "protocol":
		s.Protocol = ProtocolAuto
	case "allow_http":
		s.AllowHTTP = false
	case "ca_cert":
		s.CACert = ""
	case "client_cert", "client_cert_key": // one is nothing without the other
		s.ClientCert, s.ClientCertKey = "", ""
	case "insecure":
		s.Insecure = false
	case "timeouts":
		s.Timeouts = Timeouts{}
	default:
		return false
	}
	return true
}

// encode returns the TOML value of one key of an entry, or "" to leave it out.
func (s Server) encode(key string) string {
	switch key {
	case "preset":
		return optional(s.Preset)
	case "url":
		return optional(s.URL)
	case "workspace":
		return optional(s.Workspace)
	case "auth":
		return optional(string(s.Auth))
	case "transport":
		return optional(s.Transport)
	case "protocol":
		return optional(s.Protocol)
	case "ca_cert":
		return optional(s.CACert)
	case "client_cert":
		return optional(s.ClientCert)
	case "client_cert_key":
		return optional(s.ClientCertKey)
	case "allow":
		return list(s.Allow)
	case "deny":
		return list(s.Deny)
	case "token_command":
		return list(s.TokenCommand)
	case "read_only":
		return truth(s.ReadOnly)
	case "allow_http":
		return truth(s.AllowHTTP)
	case "insecure":
		return truth(s.Insecure)
	case "headers":
		names := slices.Collect(maps.Keys(s.Headers))
		sort.Strings(names)
		for i, name := range names {
			names[i] = bareOrQuoted(name) + " = " + quote(s.Headers[name])
		}
		return inline(names)
	case "timeouts":
		var pairs []string
		for _, k := range timeoutKeys() {
			switch d := *s.Timeouts.field(k); {
			case d < 0:
				pairs = append(pairs, k+` = "none"`)
			case d > 0:
				pairs = append(pairs, k+" = "+quote(FormatTimeout(d)))
			}
		}
		return inline(pairs)
	}
	return ""
}

// FormatTimeout writes a time as ParseTimeout reads it, short: 2m, not 2m0s.
func FormatTimeout(d time.Duration) string {
	if d < 0 {
		return "none"
	}
	v := d.String()
	if strings.HasSuffix(v, "m0s") {
		v = strings.TrimSuffix(v, "0s")
	}
	if strings.HasSuffix(v, "h0m") {
		v = strings.TrimSuffix(v, "0m")
	}
	return v
}

func optional(v string) string {
	if v == "" {
		return ""
	}
	return quote(v)
}

func truth(v bool) string {
	if v {
		return "true"
	}
	return ""
}

func list(items []string) string {
	if len(items) == 0 {
		return ""
	}
	quoted := make([]string, len(items))
	for i, v := range items {
		quoted[i] = quote(v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func inline(pairs []string) string {
	if len(pairs) == 0 {
		return ""
	}
	return "{ " + strings.Join(pairs, ", ") + " }"
}

// quote writes a TOML basic string.
func quote(v string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range v {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func bareOrQuoted(key string) string {
	for i := range len(key) {
		if c := key[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return quote(key)
		}
	}
	return key
}

func appendEntry(text []byte, s Server) []byte {
	nl := lineEnd(text)
	var b bytes.Buffer
	b.Write(text)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		b.Reset()
		b.WriteString(strings.ReplaceAll(fileHeader, "\n", nl) + nl)
	case bytes.HasSuffix(text, []byte("\n")):
		b.WriteString(nl)
	default:
		b.WriteString(nl + nl)
	}
	b.WriteString("[servers." + s.Name + "]" + nl)
	for _, key := range entryKeys() {
		if v := s.encode(key); v != "" {
			b.WriteString(key + " = " + v + nl)
		}
	}
	return b.Bytes()
}

// editEntry changes in text the keys in which the two entries differ.
func editEntry(text []byte, old, s Server) ([]byte, error) {
	for _, key := range entryKeys() {
		value := s.encode(key)
		if value == old.encode(key) {
			continue
		}
		d, err := parseDocument(text)
		if err != nil {
			return nil, err
		}
		text, err = d.setKey(s.Name, key, value)
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// setKey gives one key of an entry another value; "" removes it.
func (d *document) setKey(name, key, value string) ([]byte, error) {
	table := []string{"servers", name}
	path := join(table, []string{key})
	for _, st := range d.stmts {
		if !st.table && value != "" && slices.Equal(st.path, path) {
			return splice(d.text, st.value, st.end, value), nil
		}
	}
	// Not there as one statement: take away whatever form it has (a table of
	// its own, dotted keys) and write it anew after the entry's other keys.
	text := d.cut(path)
	if value == "" {
		return text, nil
	}
	d, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	at := -1
	for i, st := range d.stmts {
		if !st.table || !slices.Equal(st.path, table) {
			continue
		}
		at = st.end
		for _, next := range d.stmts[i+1:] {
			if next.table {
				break
			}
			at = next.end
		}
	}
	if at < 0 {
		return nil, &Error{
			Problem: ByHand, Server: name, Key: key,
			Detail: "the entry " + name + " is written in a form that bridge reads but does not edit",
			Advice: "change it by hand, or write it as a table [servers." + name + "]",
		}
	}
	line := key + " = " + value
	nl := lineEnd(text)
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return splice(text, at+end+1, at+end+1, line+nl), nil
	}
	return append(append([]byte(nil), text...), nl+line+nl...), nil
}

// cut returns the text without the statements at or below path: whole lines,
// with the comments that stand between them.
func (d *document) cut(path []string) []byte {
	var out []byte
	kept := 0
	for i := 0; i < len(d.stmts); i++ {
		if !hasPrefix(d.stmts[i].path, path) {
			continue
		}
		from := lineStart(d.text, d.stmts[i].start)
		for i+1 < len(d.stmts) && hasPrefix(d.stmts[i+1].path, path) {
			i++
		}
		to := len(d.text)
		if end := bytes.IndexByte(d.text[d.stmts[i].end:], '\n'); end >= 0 {
			to = d.stmts[i].end + end + 1
		}
		// One of the two blank lines that would now meet goes along.
		if from == d.bom || bytes.HasSuffix(d.text[:from], []byte("\n\n")) || bytes.HasSuffix(d.text[:from], []byte("\n\r\n")) {
			rest := d.text[to:]
			if bytes.HasPrefix(rest, []byte("\n")) {
				to++
			} else if bytes.HasPrefix(rest, []byte("\r\n")) {
				to += 2
			}
		}
		out = append(out, d.text[kept:max(from, d.bom)]...)
		kept = to
	}
	return append(out, d.text[kept:]...)
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// lineEnd returns the line ending the text uses.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func splice(text []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:from]...)
	out = append(out, with...)
	return append(out, text[to:]...)
}
