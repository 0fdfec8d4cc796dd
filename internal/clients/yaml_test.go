package clients

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"bridge/internal/fsx"
)

// libyaml reads a text as Goose does: it reads with libyaml, of which yaml/v3
// is the translation, and the editor with another parser.
func libyaml(text string) (map[string]any, error) {
	doc := map[string]any{}
	err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, bom)), &doc)
	named, _ := byName(doc).(map[string]any)
	if named == nil {
		named = map[string]any{}
	}
	return named, err
}

// byName gives keys that are numbers and the like the names they are read by
// here.
func byName(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = byName(inner)
		}
	case map[any]any:
		named := map[string]any{}
		for key, inner := range v {
			named[fmt.Sprint(key)] = byName(inner)
		}
		return named
	case []any:
		for i, inner := range v {
			v[i] = byName(inner)
		}
	}
	return v
}

// goose is an edit of Goose's file.
func goose(set bool) edit {
	c := Lookup("goose")
	if !set {
		return edit{root: c.Root, name: "pacecraft"}
	}
	return edit{root: c.Root, name: "pacecraft", set: c.members(ours()), drop: c.replaced(), env: "envs"}
}

// sameForGoose fails if Goose would find more changed between two texts than
// the entry. What Goose cannot read to begin with is not looked at.
func sameForGoose(t *testing.T, before, after string, want map[string]any) {
	t.Helper()
	old, err := libyaml(before)
	if err != nil {
		return
	}
	now, err := libyaml(after)
	if err != nil {
		t.Fatalf("Goose cannot read %q, made of %q: %v", after, before, err)
	}
	e := goose(want != nil)
	if old["extensions"] == nil {
		old["extensions"] = map[string]any{}
	}
	if err := expect(old, e.root, e.name, want); err != nil {
		t.Fatalf("%q: %v", before, err)
	}
	if want != nil { // its other keys may be numbers, which have names of their own
		var a, b map[string]any
		a, _ = entryOf(old, e.root, e.name)
		b, _ = entryOf(now, e.root, e.name)
		if len(a) != len(b) || !reflect.DeepEqual(a["cmd"], b["cmd"]) || !reflect.DeepEqual(a["args"], b["args"]) {
			t.Fatalf("Goose reads the entry as %v, not %v", b, a)
		}
		if err := errors.Join(expect(old, e.root, e.name, nil), expect(now, e.root, e.name, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := fmt.Sprintf("%#v", old), fmt.Sprintf("%#v", now); a != b { // with NaN
		t.Fatalf("Goose reads\n%q as %s\n%q as %s", before, a, after, b)
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"", "extensions: {}\n", "extensions:\n", bom + "a: 1\r\nextensions:\r\n  b:\r\n    cmd: x # y\r\n", "extensions:\n  pacecraft:\n    cmd: x\n    args:\n      - y\n",
		"# a\n\na: |\n  extensions:\n    b\n\n\nextensions:\n  b: &b\n    c: \"x\\n\\\n      y\"\n  # z\nd: *b\n", "extensions: # x\n    b: {c: [d, e]}\n\n    # y\n", "---\na: >-\n\n  x\n   y\n...\n",
		"a: 'x\n\n  y'\nextensions:\n  <<: *x\n", "a: &x {b: 1}\nextensions:\n  c:\n    <<: *x\n", "extensions:\n  pacecraft:\n    envs:\n      A: b\n    args: []\n  z:\n    cmd: x", "? a\n: b\n", "a: x\n  y # z\n\"b\": !!str 1\n",
		"extensions:\n- a\n", "extensions: ~\n# x\n", "%YAML 1.1\n---\na: 1\n", "a: 1\n---\nb: 1\n", "extensions:\n  a: 0x1F\n  b: 2020-01-01\n  c: .nan\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { holdsYAML(t, text) })
}

// holdsYAML puts the entry into a text and takes it out again, if the editor
// does that: nothing else may differ, to either parser, and no byte be gone.
func holdsYAML(t *testing.T, text string) (edited bool) {
	t.Helper()
	made, err := goose(true).run(yamlEditor{}, []byte(text))
	if err != nil {
		return false
	}
	got := string(made)
	before, err := yamlEditor{}.decode([]byte(text))
	if err != nil {
		t.Fatalf("cannot be read, and was edited: %v\n%q", err, text)
	}
	old, _ := entryOf(before, []string{"extensions"}, "pacecraft")
	doc, err := yamlEditor{}.decode(made)
	if err != nil {
		t.Fatalf("cannot be read: %v\n%q", err, got)
	}
	entry, _ := entryOf(doc, []string{"extensions"}, "pacecraft")
	if e := entryFrom(entry); e.Command != ours().Command || e.Serves() != "pacecraft" {
		t.Fatalf("no entry in %q", got)
	}
	if old == nil || entry["timeout"] != nil {
		sameForGoose(t, text, got, entry)
	}
	if again, err := goose(true).run(yamlEditor{}, made); err != nil || string(again) != got {
		t.Fatalf("a second time: %v\n%q\n%q", err, got, again)
	}
	back, err := goose(false).run(yamlEditor{}, made)
	if err == nil {
		sameForGoose(t, got, string(back), nil)
	}
	if old != nil {
		return true // it was changed, not added
	}
	if before["extensions"] == nil || reflect.DeepEqual(before["extensions"], map[string]any{}) {
		return true // null and {} give way
	}
	if !subsequence(text, got) {
		t.Fatalf("bytes are missing:\n%q\n%q", text, got)
	}
	if err != nil || squeeze(string(back)) != squeeze(text) {
		t.Fatalf("taken out again: %v\n%q\n%q", err, text, back)
	}
	return true
}

// TestYAMLPieces puts texts together of what YAML is made of, which changing
// bytes at random seldom does.
func TestYAMLPieces(t *testing.T) {
	pieces := []string{
		"extensions:", "extensions: ", "pacecraft:", "a:", "b:", "- ", "-", "? ", ": ", "x", "y z", "\"q\"", "'s'", "\"m\n  n\"", "'m\n\n n'", "|", ">", "|-", "|+", ">2", "{}", "{a: b}", "[c, d]",
		"[", "]", "{", "}", ",", "# c", " # c", "&k", "*k", "!!str", "!t", "<<:", "~", "null", "true", "1", "0x1F", "1.5", "2020-01-01", "cmd:", "args:", "envs:", "timeout: 3", "---", "...", "%YAML 1.1", "\t", "\\",
		"\"", "'", "@", "`", "é", "\n", "\n", "\n", "\n", "\n  ", "\n  ", "\n    ", "\n    ", "\n   ", "\n      ", " ", " ", "\n  a:\n    cmd: x\n", "\nextensions:\n  ", "\n  pacecraft:\n    cmd: x\n    ",
		"\r\n", "|\n      text: y\n     \n    # t\n", "\n\n", "\n# e\n", "\n  # e\n", "\nz: 1\n",
	}
	r := rand.New(rand.NewPCG(1, 2))
	edited := 0
	for range 20000 {
		var b strings.Builder
		if r.IntN(2) == 0 {
			b.WriteString("extensions:\n  a:\n    cmd: x\n  ")
		}
		for range 1 + r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		if r.IntN(4) == 0 {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		}
		if holdsYAML(t, text) {
			edited++
		}
	}
	if edited < 1000 {
		t.Errorf("only %d of the texts were edited", edited)
	}
}

// TestYAMLHostile: files that are to take long, or much memory, or both.
func TestYAMLHostile(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 20; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	var stairs, keys strings.Builder
	for i := range 1000 {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	keys.WriteString("extensions:\n")
	for i := range 10000 {
		fmt.Fprintf(&keys, "  k%d:\n    cmd: x\n", i)
	}
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"aliases of aliases":          {bomb + "extensions:\n", ErrSyntax},
		"an alias of itself":          {"a: &a [*a]\nextensions:\n", ErrSyntax},
		"5 MB of one value":           {"a: " + strings.Repeat("x", 5<<20) + "\nextensions:\n", fsx.ErrTooLarge},
		"5 MB of comments":            {strings.Repeat("# c\n", 5<<18) + "extensions:\n", fsx.ErrTooLarge},
		"a million bytes in pieces":   {"a: [" + strings.Repeat("b,", 500000) + "]\nextensions:\n", fsx.ErrTooLarge},
		"10,000 keys":                 {keys.String(), fsx.ErrTooLarge},
		"brackets":                    {"a: " + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "\nextensions:\n", ErrSyntax},
		"brackets that stay open":     {"a: " + strings.Repeat("[", 20000), ErrSyntax},
		"braces":                      {"a: " + strings.Repeat("{a: ", 5000), ErrSyntax},
		"lists in lists":              {strings.Repeat("- ", 10000) + "x\n", ErrSyntax},
		"questions":                   {strings.Repeat("? ", 10000) + "x\n", ErrSyntax},
		"tables in tables":            {stairs.String(), ErrSyntax},
		"a control character":         {"a: \x01\nextensions:\n", ErrSyntax},
		"no text":                     {"a: \xff\nextensions:\n", ErrSyntax},
		"UTF-16":                      {"\xff\xfea\x00:\x00 \x001\x00", ErrSyntax},
		"ends of lines of old":        {"a: 1\rextensions:\r", ErrSyntax},
		"an end of lines of YAML 1.1": {"a: x\u2028b: 1\nextensions:\n", ErrSyntax},
		"a directive":                 {"%YAML 1.2\n---\nextensions:\n", ErrSyntax},
		"a tag that is lost":          {"extensions:\n  !x", ErrSyntax},
		"a key twice":                 {"extensions:\n  a: {b: 1, \"b\": 2}\n", ErrDuplicate},
		"a key twice by alias":        {"a: &k x\nextensions:\n  x: 1\n  *k : 2\n", ErrDuplicate},
		"a table as a key":            {"? {a: b}\n: c\nextensions:\n", ErrSyntax},
		"? before a key":              {"? extensions\n: a:\n    cmd: x\n", ErrByHand},
		"a key after ---":             {"--- {extensions: }\n", ErrByHand},
		"two documents":               {"a: 1\n---\nb: 1\n", ErrByHand},
	} {
		began := time.Now()
		_, err := goose(true).run(yamlEditor{}, []byte(tt.text))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		// A tenth of a second on a quiet machine; unbounded, it is minutes.
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		var e *FileError
		if errors.As(err, &e) && len(e.Error()) > 200 {
			t.Errorf("%s: the error quotes the file: %s", name, e)
		}
	}
}

// TestYAMLReads: what is read of an entry is what Goose reads.
func TestYAMLReads(t *testing.T) {
	const text = `base: &base
  envs: {A: "1", B: b}
  timeout: 300
extensions:
  pacecraft:
    <<: *base
    cmd: npx	# a tab
    args: [-y, 'it''s', "a\u00e9\tb", a	b, 8080, 1.5, true, ~, 0x1F, !!str 12]
    enabled: false
    note: |
      one # no comment
        two

    more: >-
      three
      four
`
	for _, text := range []string{text, bom + strings.ReplaceAll(text, "\n", "\r\n")} {
		got, err := yamlEditor{}.decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		want, err := libyaml(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %#v\nwant %#v", got, want)
		}
		holdsYAML(t, text)
	}
}
