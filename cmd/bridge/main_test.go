package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"bridge/internal/clients"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// personCmd is cmdPerson where there are pseudo-terminals to be had; scripts
// that need it ask for [linux].
var personCmd = func(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no terminal on this system") }

// TestMain lets the test binary stand for the program: scripts that run
// `bridge` run main above.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bridge": scripted, packageName: scripted, "asker": asker, "visitor": visitor})
}

// scripted is main on a machine where only those clients run that the script
// names in RUNNING.
func scripted() {
	clientRuns = func(c *clients.Client) bool { return os.Getenv("RUNNING") == c.ID }
	main()
}

// TestScripts runs the scripts in testdata/script, which read like the
// manual. Beside testscript's own commands they have those of script_test.go.
func TestScripts(t *testing.T) {
	testscript.Run(t, scriptParams(filepath.FromSlash("testdata/script")))
}

// scriptParams is how the scripts in dir are run.
func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               quietHome,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"server": cmdServer,
			"sent":   cmdSent,
			"closed": cmdClosed,
			"era":    cmdEra,
			"posted": cmdPosted,
			"host":   cmdHost,
			"secret": cmdSecret,

			"fill":      cmdFill,
			"pacecraft": cmdPaceCraft,
			"faults":    cmdFaults,
			"listens":   cmdListens,
			"worked":    cmdWorked,
			"person":    personCmd,

			"sandbox":  cmdSandbox,
			"record":   cmdRecord,
			"saw":      cmdSaw,
			"mcpauth":  cmdMCPAuth,
			"hostile":  cmdHostile,
			"harmless": cmdHarmless,
		},
	}
}

// quietHome gives a script a home of its own and nothing of the environment
// that could change what it sees.
func quietHome(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	kept := e.Vars[:0]
	for _, v := range e.Vars {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "BRIDGE_"), strings.HasSuffix(strings.ToUpper(name), "_PROXY"):
		default:
			kept = append(kept, v)
		}
	}
	kept = append(kept,
		"HOME="+home, "USERPROFILE="+home, "BRIDGE_HOME="+filepath.Join(home, "bridge"),
		"LC_ALL=C", "TERM=dumb", "NO_COLOR=1", "COLUMNS=80")
	e.Vars = kept
	return os.MkdirAll(home, 0o700)
}
