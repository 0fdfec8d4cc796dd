package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A layer is a row of the table in docs/architecture.md, with its reason. It
// holds for the package and for those below it.
type layer struct {
	pkg   string
	may   []string // of ours, what it may import; "*" is everything
	never []string // what must not be linked into it, by whatever way; a trailing slash means all below
	why   string
}

const (
	charm    = "charm.land/"
	lipgloss = "charm.land/lipgloss/"
	keyring  = "github.com/zalando/go-keyring/"
	goSDK    = "github.com/modelcontextprotocol/go-sdk/"
	oauth2   = "golang.org/x/oauth2/"
	sqlite   = "github.com/ncruces/go-sqlite3/"
	urfave   = "github.com/urfave/cli/"
)

func layers() []layer {
	return []layer{
		{"bridge/bridge", nil, []string{charm, sqlite, urfave, keyring, goSDK, oauth2},
			"the relay is the product: what it needs of others it asks through small interfaces of its own, and a relay must not decode what it carries"},
		{"bridge/keystore", []string{"bridge/internal/fsx"}, []string{"net/http", charm, oauth2, sqlite, urfave, goSDK},
			"what can read every secret must have no way to send one"},
		{"bridge/tui", []string{"bridge/internal/cards", "bridge/internal/fsrs", "bridge/internal/say", "bridge/internal/termsafe"}, []string{"net/http", goSDK, keyring, "bridge/keystore", "bridge/bridge"},
			"the review knows cards, not servers, so that it can be tried without one"},
		{"bridge/internal/servers", []string{"bridge/internal/fsx"}, []string{"bridge/keystore", keyring},
			"an entry of the config cannot hold a secret"},
		{"bridge/internal/auth", []string{"bridge/keystore", "bridge/internal/servers", "bridge/internal/fsx"}, []string{"bridge/bridge", "bridge/tui", charm},
			"signing in works for whoever asks, the relay or a command"},
		{"bridge/internal/cards", []string{"bridge/internal/fsrs", "bridge/internal/fsx"}, []string{"bridge/bridge", goSDK, charm, "net/http"},
			"cards speak to whatever can call a tool"},
		{"bridge/internal/clients", []string{"bridge/internal/fsx"}, []string{"bridge/keystore", keyring, "net/http"},
			"an installer must not be able to write a secret into another program's config"},
		{"bridge/internal/guard", []string{"bridge/internal/fsx"}, []string{"net/http", "bridge/keystore", keyring},
			"who judges and records calls has no business on the network"},
		{"bridge/internal/sandbox", []string{"bridge/internal/fsrs"}, []string{"bridge/bridge", "bridge/keystore", "bridge/tui", keyring, charm},
			"a server that shares code with its client proves nothing"},
		{"bridge/internal/fsrs", nil, []string{"net/http", "os/exec", charm, sqlite},
			"pure functions"},
		{"bridge/internal/fsx", nil, []string{"net/http", charm, sqlite},
			"a leaf: files and nothing else"},
		{"bridge/internal/say", nil, []string{"net/http", charm, sqlite},
			"a leaf: text and nothing else"},
		{"bridge/internal/probe", nil, []string{charm, sqlite, urfave, keyring, goSDK},
			"it looks at a server without what the relay and the SDK would hide"},
		{"bridge/internal/session", nil, []string{"net/http", charm, sqlite, urfave, keyring, goSDK},
			"the command line's own client: it speaks to a pair of streams, and what is on the other end of them is not its business"},
		{"bridge/internal/termsafe", nil, []string{"net/http", "os", charm, sqlite},
			"a leaf: pure functions on text"},
		{"bridge/internal/peers", nil, []string{charm, sqlite, urfave, keyring},
			"tests drive the built binary from outside, as a host does"},
		{"bridge/internal/perf", nil, []string{charm, sqlite, urfave, keyring},
			"measurements drive the built binary from outside, as a host does"},
		{"bridge/internal/release", nil, []string{charm, sqlite, urfave, keyring},
			"what is released is made and checked from the built binaries, as those see them who install them"},
		{"bridge/cmd/bridge", []string{"*"}, []string{goSDK, "encoding/gob", "github.com/google/jsonschema-go/", "modernc.org/", "go.yaml.in/", lipgloss},
			"the only place that knows every other package; what costs a client's start and is not needed for it stays out"},
	}
}

// A pkg is what `go list` says of a package.
type pkg struct {
	ImportPath string
	Imports    []string // direct, without those of tests
	Deps       []string // all that is linked
}

// TestLayers holds the table against the code. Rows of packages that do not
// exist yet are passed over.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "bridge/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if !slices.ContainsFunc(pkgs, func(p pkg) bool { return p.ImportPath == "bridge/cmd/bridge" }) {
		t.Fatalf("go list knows %d packages, and this one is not among them", len(pkgs))
	}
	for _, complaint := range breaches(layers(), pkgs) {
		t.Error(complaint)
	}
}

// breaches lists what breaks the table.
func breaches(table []layer, pkgs []pkg) (complaints []string) {
	for _, p := range pkgs {
		i := slices.IndexFunc(table, func(l layer) bool { return within(p.ImportPath, l.pkg) })
		if i < 0 {
			complaints = append(complaints, p.ImportPath+" is in no row of the table: say what it may import, and why")
			continue
		}
		l := table[i]
		for _, imported := range p.Imports {
			if !within(imported, "bridge") || within(imported, l.pkg) || slices.Contains(l.may, "*") {
				continue
			}
			if !slices.ContainsFunc(l.may, func(m string) bool { return within(imported, m) }) {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: %s", p.ImportPath, imported, l.why))
			}
		}
		for _, linked := range p.Deps {
			for _, never := range l.never {
				if linked == strings.TrimSuffix(never, "/") || strings.HasSuffix(never, "/") && strings.HasPrefix(linked, never) ||
					within(never, "bridge") && within(linked, never) {
					complaints = append(complaints, fmt.Sprintf("%s links %s: %s", p.ImportPath, linked, l.why))
				}
			}
		}
	}
	return complaints
}

// within says whether a package is another one or below it.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// TestLayersCheckItself proves that a breach of each kind is noticed, and that
// nothing else is.
func TestLayersCheckItself(t *testing.T) {
	for _, tt := range []struct {
		name string
		pkg  pkg
		want string // part of the only complaint; empty for none
	}{
		{"the relay imports text", pkg{"bridge/bridge", []string{"bridge/internal/say"}, nil}, "bridge/bridge imports bridge/internal/say"},
		{"the relay imports the command", pkg{"bridge/bridge", []string{"bridge/cmd/bridge"}, nil}, "imports bridge/cmd/bridge"},
		{"the relay links the SDK", pkg{"bridge/bridge", nil, []string{"github.com/modelcontextprotocol/go-sdk/mcp"}}, "links github.com/modelcontextprotocol/go-sdk/mcp"},
		{"a package of the relay's links a UI", pkg{"bridge/bridge/internal/x", nil, []string{"charm.land/bubbletea/v2"}}, "bridge/bridge/internal/x links charm.land"},
		{"the keystore links HTTP", pkg{"bridge/keystore", nil, []string{"net/http"}}, "bridge/keystore links net/http"},
		{"the review reaches the relay by a detour", pkg{"bridge/tui", []string{"bridge/internal/cards"}, []string{"bridge/bridge"}}, "bridge/tui links bridge/bridge"},
		{"the sandbox's inside imports the keystore", pkg{"bridge/internal/sandbox/deep", []string{"bridge/keystore"}, nil}, "imports bridge/keystore"},
		{"a package without a row", pkg{"bridge/internal/utils", nil, nil}, "in no row"},
		{"a name that only begins alike", pkg{"bridge/internal/sayings", nil, nil}, "in no row"},

		{"the relay and its own package", pkg{"bridge/bridge", []string{"bridge/bridge/internal/x", "net/http"}, []string{"net/http", "bridge/bridge/internal/x"}}, ""},
		{"a package below an allowed one", pkg{"bridge/internal/auth", []string{"bridge/keystore/seal"}, nil}, ""},
		{"the sandbox's packages among themselves", pkg{"bridge/internal/sandbox", []string{"bridge/internal/sandbox/nibomo"}, []string{"github.com/ncruces/go-sqlite3/driver"}}, ""},
		{"the command and everything", pkg{"bridge/cmd/bridge", []string{"bridge/bridge", "bridge/tui"}, []string{"net/http", "charm.land/bubbletea/v2"}}, ""},
		{"net/http/httptrace is not net/http", pkg{"bridge/keystore", nil, []string{"net/http/internal"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := breaches(layers(), []pkg{tt.pkg})
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("false alarm: %q", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("got %q, want one with %q", got, tt.want)
			}
		})
	}
}
