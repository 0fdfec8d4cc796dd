package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bridge/internal/say"
)

// reworded are the texts of package servers that configProblem, lookup or load
// word anew by the kind of fault, and those that are commands.
var reworded = []string{
	"it is not TOML", "a file cut short", "unknown key", "${…} is not expanded", "for a token, set the variable",
	"no server of this name", "other users of this machine", "chmod 600", "delete it from the file",
	"x, and this file is no place",
	"token_command: x", // which inWords takes apart
	": x",              // the TOML parser's own words
	"timeouts.x x",     // is "timeouts.x must be a time …"
	"x",                // of an error from here
}

// TestServersFaultsAreTranslated holds inWords against what package servers
// says, found in its source. The language is chosen once a process, so that it
// runs itself again in Indonesian.
func TestServersFaultsAreTranslated(t *testing.T) {
	if say.Language() != say.Indonesian {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServersFaultsAreTranslated$", "-test.v") //nolint:gosec // this test
		c.Env = append(os.Environ(), "BRIDGE_LANG=id")
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	texts := serversTexts(t)
	if len(texts) < 40 {
		t.Fatalf("only %d texts found; the walk is broken: %q", len(texts), texts)
	}
	for _, text := range texts {
		if strings.HasPrefix(text, "must be a time") {
			text = "timeouts.x " + text
		}
		known := slices.ContainsFunc(reworded, func(r string) bool { return text == r || len(r) > 1 && strings.HasPrefix(text, r) })
		if !known && inWords(text) == text {
			t.Errorf("%q is English in Indonesian", text)
		}
	}
	// And the other way: what inWords knows whole is still said.
	for _, text := range wholeTexts(t) {
		if !slices.Contains(texts, text) {
			t.Errorf("%q is no longer said", text)
		}
	}
}

// serversTexts are the details, the advice and the errors in the source of
// package servers, an x standing for what is not a literal.
func serversTexts(t *testing.T) (texts []string) {
	t.Helper()
	add := func(e ast.Expr) {
		if text := sample(e); text != "" {
			texts = append(texts, text)
		}
	}
	walkSource(t, filepath.FromSlash("../../internal/servers/*.go"), func(n ast.Node) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && (id.Name == "Detail" || id.Name == "Advice") {
				add(n.Value)
			}
		case *ast.AssignStmt:
			if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok && (sel.Sel.Name == "Detail" || sel.Sel.Name == "Advice") {
				add(n.Rhs[0])
			}
		case *ast.FuncDecl:
			if n.Name.Name == "nameDetail" {
				ast.Inspect(n, func(n ast.Node) bool {
					if r, ok := n.(*ast.ReturnStmt); ok {
						add(r.Results[0])
					}
					return true
				})
			}
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			switch {
			case name == "bad" && len(n.Args) > 1:
				add(n.Args[1])
			case (name == "New" || name == "Errorf") && len(n.Args) == 1:
				add(n.Args[0])
			}
		}
	})
	return slices.DeleteFunc(texts, func(text string) bool {
		return text == "the file was changed by another program" || text == "another bridge is writing the file" // sentinels
	})
}

// wholeTexts are the cases of inWords that are one literal.
func wholeTexts(t *testing.T) (texts []string) {
	t.Helper()
	walkSource(t, "entries_words.go", func(n ast.Node) {
		if c, ok := n.(*ast.CaseClause); ok && len(c.List) == 1 {
			if lit, ok := c.List[0].(*ast.BasicLit); ok {
				texts = append(texts, sample(lit))
			}
		}
	})
	return texts
}

func walkSource(t *testing.T, pattern string, visit func(ast.Node)) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no source: %v", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool { visit(n); return true })
	}
}

var formatVerb = regexp.MustCompile(`%[a-z]`)

// sample is what an expression may say.
func sample(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return formatVerb.ReplaceAllString(text, "x")
	case *ast.BinaryExpr:
		return sample(e.X) + sample(e.Y)
	case *ast.CallExpr:
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sprintf" {
			return sample(e.Args[0])
		}
	}
	return "x"
}
