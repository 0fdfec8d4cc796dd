package servers

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestEndpointEncodesTheWorkspace(t *testing.T) {
	for _, tt := range []struct{ url, workspace, want string }{
		{"https://h/mcp", "", "https://h/mcp"},
		{"https://h/mcp", "alfagift", "https://h/mcp?workspace=alfagift"},
		{"https://h/mcp", "Tim Inti & Co+1", "https://h/mcp?workspace=Tim%20Inti%20%26%20Co%2B1"},
		{"https://h/mcp", "日本", "https://h/mcp?workspace=%E6%97%A5%E6%9C%AC"},
		{"https://h/mcp?z=1&a=2", "x", "https://h/mcp?z=1&a=2&workspace=x"},
		{"https://h/mcp?", "x", "https://h/mcp?workspace=x"},
	} {
		got := Server{URL: tt.url, Workspace: tt.workspace}.Endpoint()
		if got != tt.want {
			t.Errorf("Endpoint(%q, %q) = %q, want %q", tt.url, tt.workspace, got, tt.want)
		}
		u, err := url.Parse(got)
		if err != nil || u.Query().Get("workspace") != tt.workspace {
			t.Errorf("%q reads back as workspace %q, %v", got, u.Query().Get("workspace"), err)
		}
	}
}

func TestOriginAndCredentialName(t *testing.T) {
	for in, want := range map[string]string{
		"https://H.example:443/x?y":  "https://h.example",
		"http://127.0.0.1:3000/mcp":  "http://127.0.0.1:3000",
		"http://[::1]:80/mcp":        "http://[::1]",
		"https://[2001:db8::1]:8/":   "https://[2001:db8::1]:8",
		"HTTPS://h.example:8443/mcp": "https://h.example:8443",
		"no url":                     "",
	} {
		if got := (Server{URL: in}).Origin(); got != want {
			t.Errorf("Origin(%q) = %q, want %q", in, got, want)
		}
	}
	a := Server{Name: "x", URL: "https://a.example/mcp", Workspace: "one"}
	b := Server{Name: "x", URL: "https://b.example/mcp"}
	if a.CredentialName() == b.CredentialName() {
		t.Error("a token would follow the entry to another host")
	}
	b.URL = "https://a.example/other"
	if a.CredentialName() != b.CredentialName() {
		t.Error("another path of the same host asks for a new sign-in")
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"pacecraft": true, "a": true, "a-b-9": true, strings.Repeat("x", 32): true,
		"": false, strings.Repeat("x", 33): false, "A": false, "a_b": false, "-a": false, "a-": false, "ä": false, "a.b": false,
		"file": false,
	} {
		if ValidName(name) != ok {
			t.Errorf("ValidName(%q) = %v", name, !ok)
		}
	}
	if got := EnvName("my-team"); got != "BRIDGE_TOKEN_MY_TEAM" {
		t.Errorf("EnvName = %q", got)
	}
	for raw, want := range map[string]string{
		"https://pacecraft.duckdns.org/api/mcp?workspace=x": "pacecraft",
		"https://mcp.nibomo.com/mcp":                        "nibomo",
		"https://mcp.linear.app/mcp":                        "linear",
		"https://api.example.co.uk/mcp":                     "example",
		"http://127.0.0.1:3000/api/mcp":                     "local-3000",
		"https://file.example/":                             "server",
		"https://" + strings.Repeat("x", 60) + ".com/":      strings.Repeat("x", 32),
		"https://münchen.example/mcp":                       "m-nchen",
	} {
		if got := SuggestName(raw); got != want || !ValidName(got) {
			t.Errorf("SuggestName(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestPresetsAreValidEntries(t *testing.T) {
	for _, name := range PresetNames() {
		p := LookupPreset(name)
		if p == nil || p.Name != name {
			t.Fatalf("LookupPreset(%q) = %v", name, p)
		}
		s := p.Server()
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if k := s.Kind(); k == nil || k.Name != name {
			t.Errorf("%s: Kind = %v", name, k)
		}
	}
	if LookupPreset("other") != nil {
		t.Error("a preset that does not exist was found")
	}
	local := Server{Name: "work", URL: "http://localhost:3000/api/mcp"}
	if local.Kind() != nil {
		t.Error("a local server was taken for a known one")
	}
	local.Preset = "pacecraft"
	if k := local.Kind(); k == nil || !k.Workspaces {
		t.Error("the preset key is not heard")
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		`op read op://Private/pacecraft/credential`: {"op", "read", "op://Private/pacecraft/credential"},
		`"C:\Program Files\op.exe" read 'a b'`:      {`C:\Program Files\op.exe`, "read", "a b"},
		`a "x\"y\\z" ''`:                            {"a", `x"y\z`, ""},
		`C:\bin\op.exe x`:                           {`C:\bin\op.exe`, "x"},
		"  pass\t show   x ":                        {"pass", "show", "x"},
		`a'b'"c"`:                                   {"abc"},
	} {
		got, err := SplitCommand(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("SplitCommand(%q) = %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"", "  ", `"open`, "a | b", "a > f", "a; b", "$TOKEN", "echo ${X}", "a `b`", "cat ~/x", "cat *", "a\nb", "a && b", `""`} {
		if got, err := SplitCommand(line); err == nil {
			t.Errorf("SplitCommand(%q) = %q, want an error", line, got)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	good := Server{Name: "x", URL: "https://h.example/mcp"}
	for name, change := range map[string]func(*Server){
		"BadValue url":           func(s *Server) { s.URL = "ftp://h.example" },
		"BadValue url 2":         func(s *Server) { s.URL = "https:///mcp" },
		"BadValue url 3":         func(s *Server) { s.URL = "http://h.example/mcp" },
		"BadValue url 4":         func(s *Server) { s.URL = "https://h.example/mcp#x" },
		"BadValue url 5":         func(s *Server) { s.URL = "https://h.example/a b" },
		"BadValue url 6":         func(s *Server) { s.URL = "" },
		"SecretInside url":       func(s *Server) { s.URL = "https://u:p@h.example/mcp" },
		"SecretInside url 2":     func(s *Server) { s.URL = "https://h.example/mcp?access_token=abc" },
		"SecretInside url 3":     func(s *Server) { s.URL = "https://h.example/mcp?x=a81bc81bdead4e5dabff90865d1e13b1" },
		"SecretInside url 4":     func(s *Server) { s.URL = "https://h.example/pc_0123456789abcdef" },
		"BadValue workspace":     func(s *Server) { s.Workspace = "a\nb" },
		"BadValue workspace 2":   func(s *Server) { s.Workspace = "a"; s.URL += "?workspace=b" },
		"SecretInside workspace": func(s *Server) { s.Workspace = "pc_0123456789abcdef" },
		"BadValue auth":          func(s *Server) { s.Auth = "magic" },
		"BadValue transport":     func(s *Server) { s.Transport = "carrier-pigeon" },
		"SecretInside headers":   func(s *Server) { s.Headers = map[string]string{"authorization": "x"} },
		"SecretInside headers 2": func(s *Server) { s.Headers = map[string]string{"X-Api-Key": "x"} },
		"SecretInside headers 3": func(s *Server) { s.Headers = map[string]string{"X-Team": "Bearer abc"} },
		"SecretInside headers 4": func(s *Server) {
			s.Headers = map[string]string{"X-Team": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln"}
		},
		"BadValue headers":        func(s *Server) { s.Headers = map[string]string{"X Team": "x"} },
		"BadValue headers 2":      func(s *Server) { s.Headers = map[string]string{"X-Team": "a\r\nB: c"} },
		"BadValue headers 3":      func(s *Server) { s.Headers = map[string]string{"Mcp-Session-Id": "x"} },
		"BadValue deny":           func(s *Server) { s.Deny = []string{""} },
		"SecretInside command":    func(s *Server) { s.TokenCommand = []string{"echo", "fca_ABCDEFGH_0123456789ABCDEFGHJKMNPQRS"} },
		"BadValue token_command":  func(s *Server) { s.TokenCommand = []string{""} },
		"BadValue preset":         func(s *Server) { s.Preset = "other" },
		"BadValue insecure":       func(s *Server) { s.Insecure = true; s.URL = LookupPreset("nibomo").URL },
		"BadValue insecure 2":     func(s *Server) { s.Insecure = true; s.URL = "https://PaceCraft.duckdns.org.:443/x" },
		"BadValue client_cert":    func(s *Server) { s.ClientCert = "/etc/me.pem" },
		"BadValue client_cert 2":  func(s *Server) { s.ClientCert, s.ClientCertKey = "/etc/me.pem", "me.key" },
		"BadValue client_cert 3":  func(s *Server) { s.ClientCertKey = "/etc/me.key" },
		"BadValue name":           func(s *Server) { s.Name = "Other" },
		"BadValue allow_http url": func(s *Server) { s.AllowHTTP = true; s.URL = "http:mcp" },
	} {
		s := good
		change(&s)
		err := s.Validate()
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: Validate = %v", name, err)
			continue
		}
		want := BadValue
		if strings.HasPrefix(name, "SecretInside") {
			want = SecretInside
		}
		if e.Problem != want {
			t.Errorf("%s: problem %v (%v)", name, e.Problem, e)
		}
		for _, secret := range []string{"0123456789abcdef", "a81bc81b", "u:p", "=abc", "0123456789ABC", "eyJ"} {
			if strings.Contains(e.Error()+e.Hint(), secret) {
				t.Errorf("%s: the message repeats the value: %v", name, e)
			}
		}
	}
	for name, change := range map[string]func(*Server){
		"uuid workspace":  func(s *Server) { s.Workspace = "a81bc81b-dead-4e5d-abff-90865d1e13b1" },
		"words workspace": func(s *Server) { s.Workspace = "Tim Pengembangan Aplikasi Alfagift 日本" },
		"uuid header":     func(s *Server) { s.Headers = map[string]string{"X-Tenant": "a81bc81b-dead-4e5d-abff-90865d1e13b1"} },
		"nix path": func(s *Server) {
			s.TokenCommand = []string{"/nix/store/3v7q5c1l0sbhx8ylr2f3p9aw4zj6kdgm-pass/bin/pass", "show", "x"}
		},
		"local http":    func(s *Server) { s.URL = "http://localhost:3000/api/mcp" },
		"local http v6": func(s *Server) { s.URL = "http://[::1]:3000/api/mcp" },
		// As bridge serve URL takes them, which the file refused.
		"local http by a name of its own": func(s *Server) { s.URL = "http://app.localhost:3000/api/mcp" },
		"local http with a dot":           func(s *Server) { s.URL = "http://localhost.:3000/api/mcp" },
		"allowed http":                    func(s *Server) { s.URL = "http://h.example/mcp"; s.AllowHTTP = true },
		"insecure":                        func(s *Server) { s.Insecure = true; s.URL = "https://h.example/mcp" },
		"deny all write":                  func(s *Server) { s.Deny = []string{"update_*", "*delete*"} },
	} {
		s := good
		change(&s)
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
