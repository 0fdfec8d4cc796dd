package servers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sample = `# mine, do not sort
keystore = "file"

[servers.zeta]          # the old one
url = "https://zeta.example/mcp"   # moved in May
read_only = true
deny = [
  "update_*",   # dangerous
  'delete_*',
]

  [servers.zeta.headers]
  X-Team = "core"

# PaceCraft of the team
[servers.pacecraft]
workspace = "Tim Inti"
token_command = "op read op://Private/pacecraft/credential"
timeouts = { connect = "5s", response = "none" }
`

// home makes a BRIDGE_HOME with the given config.toml in it.
func home(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("BRIDGE_HOME", dir)
	path := filepath.Join(dir, "config.toml")
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func load(t *testing.T) *File {
	t.Helper()
	f, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLoad(t *testing.T) {
	home(t, sample)
	f := load(t)
	if f.Keystore() != "file" || len(f.Servers()) != 2 || f.Servers()[0].Name != "zeta" {
		t.Fatalf("got %q %+v", f.Keystore(), f.Servers())
	}
	want := Server{Name: "zeta", URL: "https://zeta.example/mcp", ReadOnly: true,
		Deny: []string{"update_*", "delete_*"}, Headers: map[string]string{"X-Team": "core"}}
	if s, _ := f.Entry("zeta"); !equal(s, want) {
		t.Errorf("zeta = %+v", s)
	}
	s, err := f.Lookup("pacecraft")
	if err != nil || s.URL != LookupPreset("pacecraft").URL || s.Workspace != "Tim Inti" ||
		len(s.TokenCommand) != 3 || s.Timeouts.Connect != 5*time.Second || s.Timeouts.Response >= 0 {
		t.Errorf("pacecraft = %+v, %v", s, err)
	}
}

func TestLookup(t *testing.T) {
	home(t, sample)
	f := load(t)
	if s, err := f.Lookup("nibomo"); err != nil || s.Auth != AuthOAuth {
		t.Errorf("a preset needs no entry: %+v, %v", s, err)
	}
	if s, err := f.Lookup("https://pacecraft.duckdns.org/api/mcp?workspace=Tim%20Inti"); err != nil || s.Name != "pacecraft" {
		t.Errorf("an entry is found by its URL: %+v, %v", s, err)
	}
	if s, err := f.Lookup("https://new.example/mcp"); err != nil || s.Name != "" || s.URL != "https://new.example/mcp" {
		t.Errorf("a URL is a server: %+v, %v", s, err)
	}
	var e *Error
	if _, err := f.Lookup("pacecarft"); !errors.Is(err, ErrUnknownServer) || !errors.As(err, &e) || e.Server != "" {
		t.Errorf("a slip: %v", err)
	}
	if _, err := f.Lookup("https://u:p@h.example/"); !errors.As(err, &e) || e.Problem != SecretInside {
		t.Errorf("a password in the URL: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	const token = "pc_0123456789abcdef0123"
	for _, tt := range []struct {
		name, text string
		problem    Problem
		line       int
	}{
		{"unknown key", "[servers.a]\nurl = \"https://a.example\"\nreadonly = true\n", UnknownKey, 3},
		{"unknown key in a list", "[servers.a]\nurl = \"https://a.example\"\nx = [{ y = 1 }]\n", UnknownKey, 3},
		{"unknown timeout", "[servers.a]\nurl = \"https://a.example\"\ntimeouts = { total = \"1s\" }\n", UnknownKey, 3},
		{"unknown table", "\n[server.a]\nurl = \"https://a.example\"\n", UnknownKey, 2},
		{"number for text", "[servers.a]\nurl = 1\n", BadValue, 2},
		{"text for bool", "[servers.a]\nurl = \"https://a.example\"\nread_only = \"yes\"\n", BadValue, 3},
		{"bad time", "[servers.a]\nurl = \"https://a.example\"\ntimeouts.connect = \"15\"\n", BadValue, 3},
		{"no url", "\n\n[servers.a]\nworkspace = \"x\"\n", BadValue, 3},
		{"bad name", "[servers.A]\nurl = \"https://a.example\"\n", BadValue, 1},
		{"array of tables", "[[servers]]\nname = \"a\"\n", BadValue, 1},
		{"shell in a command", "[servers.a]\nurl = \"https://a.example\"\ntoken_command = \"a | b\"\n", BadValue, 3},
		{"memory keystore", "keystore = \"memory\"\n", BadValue, 1},
		{"http", "[servers.a]\n# local?\nurl = \"http://a.example\"\n", BadValue, 3},
		{"cut short", sample[:strings.Index(sample, "op://")], NotTOML, 18},
		{"cut in a list", sample[:strings.Index(sample, "# dangerous")], NotTOML, 0},
		{"twice", "[servers.a]\nurl = \"https://a.example\"\nurl = \"https://b.example\"\n", NotTOML, 3},
		{"utf-16", "\xff\xfe[\x00s\x00", NotReadable, 1},
		{"nul", "a\x00", NotTOML, 1},
		{"not utf-8", "[servers.a]\nworkspace = \"\xff\xfe\"\n", NotTOML, 2},
		{"authorization header", "[servers.a]\nurl = \"https://a.example\"\n[servers.a.headers]\nAuthorization = \"Bearer " + token + "\"\n", SecretInside, 4},
		{"authorization header, short", "[servers.a]\nurl = \"https://a.example\"\nheaders = { authorization = \"x\" }\n", SecretInside, 3},
		{"long value in a header", "[servers.a]\nurl = \"https://a.example\"\nheaders = { X-Team = \"a81bc81bdead4e5dabff90865d1e13b1\" }\n", SecretInside, 3},
		{"token key", "[servers.a]\nurl = \"https://a.example\"\ntoken = \"hunter2\"\n", SecretInside, 3},
		{"token in a wrong place", "[servers.a]\nworkspace = \"" + token + "\"\n", SecretInside, 2},
		{"token without quotes", "[servers.a]\ntoken = " + token + "\n", SecretInside, 2},
		{"token in a comment", "# " + token + "\n", SecretInside, 1},
		{"token in a list", "[servers.a]\nurl = \"https://a.example\"\ntoken_command = [\"echo\", \"fca_ABCDEFGH_0123456789ABCDEFGHJKMNPQRS\"]\n", SecretInside, 3},
		{"password in the URL", "[servers.a]\nurl = \"https://me:hunter2@a.example\"\n", SecretInside, 2},
		{"token in the URL", "[servers.a]\nurl = \"https://a.example?access_token=hunter2\"\n", SecretInside, 2},
		{"variable", "[servers.a]\nurl = \"https://a.example\"\nheaders = { X-Team = \"${TEAM}\" }\n", Expansion, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := home(t, tt.text)
			_, err := Load()
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Load = %v", err)
			}
			if e.Problem != tt.problem || tt.line != 0 && e.Line != tt.line || e.Path != path {
				t.Errorf("got problem %d line %d path %q: %v", e.Problem, e.Line, e.Path, e)
			}
			if text := e.Error() + e.Hint(); strings.Contains(text, token) || strings.Contains(text, "hunter2") || strings.Contains(text, "\n") {
				t.Errorf("message holds a secret or a line break: %q", text)
			}
			if tt.problem == SecretInside && !strings.Contains(e.Hint(), "bridge login ") {
				t.Errorf("no command to use instead: %q", e.Hint())
			}
		})
	}
}

func TestSetKeepsWhatIsNotItsOwn(t *testing.T) {
	path := home(t, sample)
	f := load(t)
	s, _ := f.Entry("zeta")
	s.ReadOnly = false
	s.URL = "https://zeta.example/v2/mcp"
	s.Headers = map[string]string{"X-Team": "core", "X-Région": ""}
	if err := f.Set(s); err == nil {
		t.Fatal("a header name that HTTP does not allow was taken")
	}
	s.Headers = map[string]string{"X-Team": "core", "X-Env": `a"b\c`}
	s.Workspace = "Tim \"Inti\" 日本"
	if err := f.Set(s); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`url = "https://zeta.example/mcp"   # moved`, `url = "https://zeta.example/v2/mcp"   # moved`,
		"read_only = true\n", "",
		"]\n\n  [servers.zeta.headers]\n  X-Team = \"core\"\n\n", "]\nworkspace = \"Tim \\\"Inti\\\" 日本\"\nheaders = { X-Env = \"a\\\"b\\\\c\", X-Team = \"core\" }\n\n",
	).Replace(sample)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again, _ := load(t).Entry("zeta"); !equal(again, s) {
		t.Errorf("reads back as %+v", again)
	}
}

func TestSetAppends(t *testing.T) {
	for name, before := range map[string]string{
		"no file": "", "no newline at the end": strings.TrimSuffix(sample, "\n"),
		"crlf": strings.ReplaceAll(sample, "\n", "\r\n"), "bom": "\xef\xbb\xbf" + sample,
	} {
		t.Run(name, func(t *testing.T) {
			path := home(t, before)
			f := load(t)
			s := LookupPreset("nibomo").Server()
			s.TokenCommand = []string{"pass", "show", "a b"}
			s.Allow = []string{"sql_*"}
			if err := f.Set(s); err != nil {
				t.Fatal(err)
			}
			if err := f.Save(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(got), before) {
				t.Errorf("what was there changed:\n%s", got)
			}
			if name == "crlf" && strings.Contains(strings.ReplaceAll(string(got), "\r\n", ""), "\n") {
				t.Errorf("line endings are mixed: %q", got)
			}
			if again, _ := load(t).Entry("nibomo"); !equal(again, s) {
				t.Errorf("reads back as %+v", again)
			}
			if info, err := os.Stat(path); err != nil || before == "" && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	path := home(t, sample)
	f := load(t)
	if ok, err := f.Remove("nothing"); ok || err != nil {
		t.Errorf("Remove of what is not there = %v, %v", ok, err)
	}
	if ok, err := f.Remove("zeta"); !ok || err != nil {
		t.Fatalf("Remove = %v, %v", ok, err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	want := "# mine, do not sort\nkeystore = \"file\"\n\n" + sample[strings.Index(sample, "# PaceCraft"):]
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOtherForms(t *testing.T) {
	const dotted = "servers.a.url = \"https://a.example\"\nservers.a.read_only = true\n"
	const inlined = "[servers]\na = { url = \"https://a.example\", read_only = true }\n"
	for _, text := range []string{dotted, inlined} {
		home(t, text)
		f := load(t)
		s, ok := f.Entry("a")
		if !ok || !s.ReadOnly {
			t.Fatalf("%q is not read: %+v", text, s)
		}
		s.Workspace = "w"
		err := f.Set(s)
		var e *Error
		if !errors.As(err, &e) || e.Problem != ByHand || f.Text() != text {
			t.Errorf("%q: Set = %v", text, err)
		}
		if ok, err := f.Remove("a"); !ok || err != nil {
			t.Errorf("%q: Remove = %v, %v", text, ok, err)
		}
	}
}

func TestSaveLosesNothing(t *testing.T) {
	path := home(t, sample)
	mine := load(t)
	theirs := load(t)
	s := LookupPreset("nibomo").Server()
	if err := theirs.Set(s); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Save(); err != nil {
		t.Fatal(err)
	}
	if ok, err := mine.Remove("zeta"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := mine.Save(); !errors.Is(err, ErrChanged) {
		t.Fatalf("Save = %v, want ErrChanged", err)
	}
	if got, _ := os.ReadFile(path); string(got) != theirs.Text() {
		t.Errorf("the other's change is gone:\n%s", got)
	}

	// The same when the file came to be, and when it went.
	os.Remove(path)
	none := load(t)
	if err := none.Set(s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := none.Save(); !errors.Is(err, ErrChanged) {
		t.Errorf("Save over a new file = %v, want ErrChanged", err)
	}
	some := load(t)
	if err := some.Set(s); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := some.Save(); !errors.Is(err, ErrChanged) {
		t.Errorf("Save after removal = %v, want ErrChanged", err)
	}
}

// What an entry says of TLS reads back as it was written, and can be taken away.
func TestSecurityKeysRoundTrip(t *testing.T) {
	home(t, "")
	f := load(t)
	dir := t.TempDir()
	s := Server{
		Name: "team", URL: "https://mcp.team.example/mcp", CACert: filepath.Join(dir, "ca.pem"),
		ClientCert: filepath.Join(dir, "me.pem"), ClientCertKey: filepath.Join(dir, "me.key"), Insecure: true,
	}
	if err := f.Set(s); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	again, _ := load(t).Entry("team")
	if !equal(again, s) {
		t.Errorf("reads back as %+v", again)
	}
	for _, key := range []string{"ca_cert", "client_cert", "insecure"} {
		if again.Value(key) == "" || !again.Unset(key) {
			t.Errorf("%s is not there or stays", key)
		}
	}
	if !equal(again, Server{Name: s.Name, URL: s.URL}) {
		t.Errorf("is left as %+v", again)
	}
}
