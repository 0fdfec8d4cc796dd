package servers

import (
	"errors"
	"strings"
	"testing"
)

// FuzzLoad: no text makes the loader fail other than with an *Error, no token
// in it is repeated by the message, and whatever it accepts can be added to
// and taken from without changing the rest.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", sample, strings.ReplaceAll(sample, "\n", "\r\n"), "\xef\xbb\xbf" + sample, sample[:200],
		"servers.a.url = \"https://a.example\"\n", "[servers]\na = { url = \"https://a.example\" }",
		"[servers.\"a\"]\n'url' = '''https://a.example'''", "[ servers . a ]\nurl=\"https://a.example\"#c",
		"[[servers]]\n", "[servers.a]\nurl = \"https://a.example\"\nallow = [[{a=[1]}]]\n", "a = 1979-05-27T07:32:00Z",
		"x = pc_0123456789abcdef0123", "[servers.pacecraft]", "[servers.nibomo.headers]\nX-A=\"\"", "keystore='file'\n[servers]\n",
	} {
		f.Add(seed)
	}
	const token = "pc_0123456789abcdef0123"
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		file := &File{Path: "config.toml", read: []byte(text)}
		if err := file.parse(file.read); err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Path == "" || e.Problem == 0 {
				t.Fatalf("not an *Error of the file: %v", err)
			}
			if strings.Contains(e.Error()+e.Hint(), token) {
				t.Fatalf("the message repeats a token: %v", e)
			}
			return
		}
		if strings.Contains(text, token) {
			t.Fatalf("a token was accepted in %q", text)
		}
		before := file.Servers()
		added := Server{Name: "added-by-fuzz", URL: "https://fuzz.example/mcp", Workspace: "a \"b\""}
		if _, ok := file.Entry(added.Name); ok {
			return
		}
		if err := file.Set(added); err != nil {
			var e *Error
			if errors.As(err, &e) && e.Problem == ByHand {
				return // [servers] as an inline table cannot be added to
			}
			t.Fatalf("Set: %v", err)
		}
		added.ReadOnly, added.Workspace = true, ""
		if err := file.Set(added); err != nil {
			t.Fatalf("second Set: %v in %q", err, file.Text())
		}
		if ok, err := file.Remove(added.Name); !ok || err != nil {
			t.Fatalf("Remove = %v, %v in %q", ok, err, file.Text())
		}
		after := file.Servers()
		if len(after) != len(before) {
			t.Fatalf("%d entries became %d", len(before), len(after))
		}
		for i := range after {
			if !equal(before[i], after[i]) {
				t.Fatalf("entry %d changed: %+v, %+v", i, before[i], after[i])
			}
		}
	})
}
