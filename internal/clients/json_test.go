package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func ours() Launch { return Launch{Command: "/usr/local/bin/bridge", Server: "pacecraft"} }

// install is one entry put into a text, in the plain shape below mcpServers.
func install(text string) (string, error) {
	c := Lookup("claude-desktop")
	out, err := edit{root: c.Root, name: "pacecraft", set: c.members(ours())}.run(jsonEditor{}, []byte(text))
	return string(out), err
}

func uninstall(text string) (string, error) {
	out, err := edit{root: []string{"mcpServers"}, name: "pacecraft"}.run(jsonEditor{}, []byte(text))
	return string(out), err
}

// TestJSONAdd shows how an entry looks in files as people have them. ⟦ and ⟧
// enclose what is new; without it, each text is what was there.
func TestJSONAdd(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"nothing", `⟦{
  "mcpServers": {
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }
  }
}
⟧`},
		{"an empty object", `{⟦
  "mcpServers": {
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }
  }
⟧}
`},
		{"other settings", `{
  "globalShortcut": "Ctrl+Space"⟦,
  "mcpServers": {
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }
  }⟧
}
`},
		{"other servers, four blanks", `{
    "mcpServers": {
        "files": {
            "command": "npx",
            "args": ["-y", "files"]
        }⟦,
        "pacecraft": {
            "command": "/usr/local/bin/bridge",
            "args": ["serve", "pacecraft"]
        }⟧
    },
    "theme": "dark"
}`},
		{"tabs, comments, trailing commas", `// my settings
{
	"mcpServers": {
		// files
		"files": {"command": "npx"}, /* the last */ // really⟦
		"pacecraft": {
			"command": "/usr/local/bin/bridge",
			"args": ["serve", "pacecraft"]
		},⟧
	}, // end
}
`},
		{"a comment behind the last one", `{
  "mcpServers": {
    "files": {"command": "npx"}⟦,⟧ // not a comma: ,⟦
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }⟧
  }
}`},
		{"an empty table with a comment", `{
  "mcpServers": {
    // none yet⟦
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }⟧
  }
}`},
		{"on one line", `{"mcpServers":{"files":{"command":"npx"}⟦,"pacecraft":{"command":"/usr/local/bin/bridge","args":["serve","pacecraft"]}⟧}}`},
		{"on one line, with blanks", `{ "mcpServers": { "files": { "command": "npx" }⟦, "pacecraft": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"]}⟧ } }`},
		{"servers on one line", `{
  "mcpServers": {"files": {"command": "npx"}⟦, "pacecraft": {"command": "/usr/local/bin/bridge", "args": ["serve", "pacecraft"]}⟧}
}`},
		{"escaped and odd names", `{
  "mcp\u0053ervers": {
    "a/b~c \" é": {"command": "x\/y"}⟦,
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }⟧
  }
}`},
		{"numbers and text that no decoder keeps", `{
  "big": 12345678901234567890.10, "tiny": 1e-400, "s": "\ud83d\ude00 \u00e9 <&>",
  "mcpServers": {
    "x": {"command": "c", "timeout": 60000}⟦,
    "pacecraft": {
      "command": "/usr/local/bin/bridge",
      "args": ["serve", "pacecraft"]
    }⟧
  }
}`},
	} {
		for _, variant := range []struct {
			name string
			of   func(string) string
		}{
			{"as it is", func(s string) string { return s }},
			{"CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
			{"BOM", func(s string) string { return bom + s }},
		} {
			if tt.name == "nothing" && variant.name == "CRLF" {
				continue // nothing there says so
			}
			t.Run(tt.name+"/"+variant.name, func(t *testing.T) {
				text := variant.of(tt.text)
				before, want := without(text), strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
				got, err := install(before)
				if err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				again, err := edit{root: []string{"mcpServers"}, name: "pacecraft", set: Lookup("cursor").members(ours())}.run(jsonEditor{}, []byte(got))
				if err != nil || string(again) != got {
					t.Errorf("a second time: %v\n%s", err, again)
				}
				if tt.name == "nothing" || tt.name == "an empty object" || tt.name == "other settings" {
					return // the table stays
				}
				back, err := uninstall(got)
				if err != nil || back != before {
					t.Errorf("taken out again: %v\n%s\nwant\n%s", err, back, before)
				}
			})
		}
	}
}

// without leaves out what stands between ⟦ and ⟧.
func without(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "⟦")
		if !ok {
			return text
		}
		_, after, _ := strings.Cut(rest, "⟧")
		text = before + after
	}
}

func TestJSONNull(t *testing.T) {
	got, err := install("{\n  \"mcpServers\": null, // later\n  \"a\": 1\n}\n")
	want := "{\n  \"mcpServers\": {\n    \"pacecraft\": {\n      \"command\": \"/usr/local/bin/bridge\",\n      \"args\": [\"serve\", \"pacecraft\"]\n    }\n  }, // later\n  \"a\": 1\n}\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestJSONRemove takes out what stands between the brackets.
func TestJSONRemove(t *testing.T) {
	for _, text := range []string{
		"{\n  \"mcpServers\": {⟦\n    \"pacecraft\": {\"command\": \"x\"},⟧\n    \"b\": {}\n  }\n}",
		"{\n  \"mcpServers\": {\n    \"a\": {},⟦\n    \"pacecraft\": {\"command\": \"x\"},⟧\n    \"b\": {}\n  }\n}",
		"{\n  \"mcpServers\": {\n    \"a\": {}⟦,⟧ // about a\n    ⟦\"pacecraft\": {\"command\": \"x\"}⟧ // about ours\n  }\n}",
		"{\n  \"mcpServers\": {\n    // about ours\n    ⟦\"pacecraft\": {\"command\": \"x\"}, ⟧// more\n    \"b\": {}\n  }\n}",
		"{\"mcpServers\":{⟦\"pacecraft\":{\"command\":\"x\"},⟧\"b\":{}}}",
		"{\"mcpServers\":{\"a\":{}⟦,\"pacecraft\":{\"command\":\"x\"}⟧}}",
		"{\"mcpServers\":{\"a\":{},⟦\"pacecraft\":{\"command\":\"x\"},⟧ \"b\":{}}}",
		"{ \"mcpServers\": { ⟦\"pacecraft\": {\"command\": \"x\"}, ⟧\"b\": {} } }",
		"{\"mcpServers\":{⟦\n \"pacecraft\":{\"command\":\"x\"}\n⟧}}",
		"{\"mcpServers\":{⟦\n \"pacecraft\":{\"command\":\"x\"},\n⟧}}",
		"{\"mcpServers\":{⟦\n \"pacecraft\":{\"command\":\"x\"}⟧/* why */⟦,⟧\n \"b\": {}}}",
	} {
		got, err := uninstall(strings.NewReplacer("⟦", "", "⟧", "").Replace(text))
		if err != nil || got != without(text) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, without(text))
		}
	}
	// A line comment before it must not swallow what follows.
	got, err := uninstall("{\"mcpServers\":{\"a\":{}, // a\n\"pacecraft\":{\"command\":\"x\"}}}")
	if err != nil || !strings.Contains(got, "// a\n") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestJSONRefused(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       error
		line       int
	}{
		{"cut short", "{\n  \"mcpServers\": {\n", ErrSyntax, 3},
		{"not JSON", "mcpServers:\n", ErrSyntax, 1},
		{"a list", "\n[]", ErrShape, 2},
		{"a string", `"mcpServers"`, ErrShape, 1},
		{"servers in a list", `{"mcpServers": []}`, ErrShape, 0},
		{"servers in a string", `{"mcpServers": "none"}`, ErrShape, 0},
		{"the entry is a string", `{"mcpServers": {"pacecraft": "x"}}`, ErrByHand, 0},
		{"the table twice", "{\"mcpServers\": {},\n \"mcpServers\": {}}", ErrDuplicate, 2},
		{"the table twice, once escaped", "{\"mcpServers\": {},\n\n \"mcp\\u0053ervers\": {}}", ErrDuplicate, 3},
		{"the entry twice", "{\"mcpServers\": {\"pacecraft\": {},\n \"pacecraft\": {}}}", ErrDuplicate, 2},
		{"a key of it twice", "{\"mcpServers\": {\"pacecraft\": {\"args\": [],\n \"args\": []}}}", ErrDuplicate, 2},
		{"too deep", strings.Repeat("[", 1<<20), ErrSyntax, 1},
		{"two values", "{}\n{}", ErrSyntax, 2},
		{"UTF-16", "\xff\xfe{\x00}\x00", ErrSyntax, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := install(tt.text)
			var e *FileError
			if !errors.Is(err, tt.want) || !errors.As(err, &e) || e.Line != tt.line {
				t.Errorf("%v, want %v in line %d", err, tt.want, tt.line)
			}
		})
	}
}

// TestJSONErrorsQuoteNothing: the parser's own message would.
func TestJSONErrorsQuoteNothing(t *testing.T) {
	_, err := install(`{"mcpServers": {"x": {"env": {"TOKEN": "pc_s3cret` + "\n" + `"}}}}`)
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

func TestJSONLarge(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("{\n  \"history\": [\n")
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "    {\"n\": %d, \"text\": \"%s\"},\n", i, strings.Repeat("word ", 20))
	}
	b.WriteString("    null\n  ]\n}\n")
	got, err := install(b.String())
	if err != nil {
		t.Fatal(err)
	}
	tail := "\n  ]\n}\n"
	head := strings.TrimSuffix(b.String(), "\n}\n")
	if !strings.HasPrefix(got, head+",\n  \"mcpServers\": {") || len(got)-b.Len() > 200 || !strings.Contains(head, tail[:4]) {
		t.Error("more than the entry has changed")
	}
}

// FuzzJSON: whatever the text, an entry is put in and taken out with every
// other byte kept, or the text is refused. What comes out can be read, and a
// second edit changes nothing.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\n}", bom + "{\r\n\"mcpServers\": {\"a\": {}}\r\n}", `{"mcpServers": null}`, `{"mcpServers": {"pacecraft": {"command": "npx", "env": {"A": "b"}}}}`,
		"{ // c\n \"mcpServers\" /* x */ : /* y */ { /* z */ } , }", "{\"mcpServers\":{\"a\":1,//c\n}}", "{\"mcpServers\":{\"a\":1/*c*/,}}//", "{\"a\":[1,2,],\"mcpServers\":{},}",
		"{\"mcpServers\":{\"a\":{} // b\n}}", "{\"mcpServers\":{// b\n\"a\":{}}}", "\t{\n\t\t\"mcpServers\": {}\n\t}", `{"mcpServers":{"pacecraft":1}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := install(text)
		if err != nil {
			return
		}
		doc, err := jsonEditor{}.decode([]byte(got))
		if err != nil {
			t.Fatalf("cannot be read: %v\n%q", err, got)
		}
		table, _ := below(doc, []string{"mcpServers"})
		if e, ok := table["pacecraft"].(map[string]any); !ok || e["command"] != ours().Command {
			t.Fatalf("no entry in %q", got)
		}
		if strictJSON([]byte(text)) && !strictJSON([]byte(got)) {
			t.Fatalf("strict JSON became %q", got)
		}
		if again, err := install(got); err != nil || again != got {
			t.Fatalf("a second time: %v\n%q\n%q", err, got, again)
		}
		old, _ := jsonEditor{}.decode([]byte(text))
		if e, _ := entryOf(old, []string{"mcpServers"}, "pacecraft"); e != nil {
			return // it was changed, not added
		}
		if v, there := old["mcpServers"]; (v != nil || !there) && !subsequence(text, got) {
			t.Fatalf("bytes are missing:\n%q\n%q", text, got)
		}
		back, err := uninstall(got)
		if err != nil {
			t.Fatalf("cannot be taken out of %q: %v", got, err)
		}
		if table, _ := below(old, []string{"mcpServers"}); table != nil && squeeze(back) != squeeze(text) {
			t.Fatalf("taken out again:\n%q\n%q", text, back)
		}
	})
}

// subsequence reports whether b is a with something put in, white space aside.
func subsequence(a, b string) bool {
	a, b = squeeze(a), squeeze(b)
	for _, c := range []byte(a) {
		i := strings.IndexByte(b, c)
		if i < 0 {
			return false
		}
		b = b[i+1:]
	}
	return true
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}
