package say

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want Lang
	}{
		{nil, English},
		{map[string]string{"LANG": "id_ID.UTF-8"}, Indonesian},
		{map[string]string{"LANG": "id"}, Indonesian},
		{map[string]string{"LANG": "in_ID"}, Indonesian},
		{map[string]string{"LANG": "C.UTF-8"}, English},
		{map[string]string{"LANG": "is_IS.UTF-8"}, English},
		{map[string]string{"BRIDGE_LANG": "id", "LC_ALL": "en_US.UTF-8"}, Indonesian},
		{map[string]string{"BRIDGE_LANG": "en", "LC_ALL": "id_ID.UTF-8"}, English},
		{map[string]string{"BRIDGE_LANG": "", "LANG": "id_ID"}, Indonesian},
		{map[string]string{"LC_ALL": "de_DE", "LANG": "id_ID"}, English},
		{map[string]string{"LC_MESSAGES": "id-ID", "LANG": "en_US"}, Indonesian},
	} {
		if got := Detect(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("Detect(%v) = %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestIn(t *testing.T) {
	for _, tt := range []struct {
		lang Lang
		want string
	}{
		{English, `unknown flag "--x"`},
		{Indonesian, `flag "--x" tidak dikenal`},
		{"de", `unknown flag "--x"`},
	} {
		if got := In(tt.lang, "unknown flag %q", "--x"); got != tt.want {
			t.Errorf("In(%q) = %q, want %q", tt.lang, got, tt.want)
		}
	}
	// A decimal mark is a comma, in a translation and without one, and in no word.
	for format, want := range map[string]string{
		"%s: the server is slow: %.1f s": "v1.5: server lambat: 2,5 dtk",
		"%s waited %6.1f ms":             "v1.5 waited    2,5 ms",
	} {
		args := []any{"v1.5", 2.5}
		if got := In(Indonesian, format, args...); got != want || args[1] != 2.5 {
			t.Errorf("%q, and %v is left", got, args)
		}
	}
	if got := In(English, "%.1f", 2.5); got != "2.5" {
		t.Error(got)
	}
	if got := In(Indonesian, "100%% new, %d times", 2); got != "100% new, 2 times" {
		t.Errorf("a text without translation reads %q", got)
	}
}

func TestLookupAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { In(Indonesian, "show this help") }); n != 0 {
		t.Errorf("%v allocations a lookup", n)
	}
}

// callers are the packages whose texts for people are translated. Those that
// do not exist are passed over.
var callers = []string{"../../cmd/bridge", "../../tui", "../../bridge"}

// englishLeft finds what stands for something and was not translated. NAME in
// BRIDGE_TOKEN_NAME and ${KEY} are no such words.
var englishLeft = regexp.MustCompile(`(?:^|[^\w{])(?:NAME|NAMES|HOW|GLOB|KEY|CLIENT|VALUE|TOOL|FILE|TEXT|NUMBER|DIR|TIME|WHEN|WHO|COMMAND|ADDRESS|DURATION|SCOPES|SECRET)(?:$|\W)`)

// TestTranslations holds the callers against the tables, both ways.
func TestTranslations(t *testing.T) {
	var texts []text
	for _, dir := range callers {
		found, complaints := spoken(t, os.DirFS(filepath.FromSlash(dir)))
		texts = append(texts, found...)
		for _, c := range complaints {
			t.Errorf("%s/%s", dir, c)
		}
	}
	if len(texts) < 50 {
		t.Fatalf("only %d texts found; the walk is broken", len(texts))
	}
	for _, c := range compare(texts, entries(t, os.DirFS(".")), indonesian) {
		t.Error(c)
	}
}

// TestTranslationsChecksItself proves that the test above can fail.
func TestTranslationsChecksItself(t *testing.T) {
	source := `package x
import "bridge/internal/say"
type C struct { Usage string }
func f(name string) {
	say.T("fine %s", name)
	say.T("missing")
	say.T("other verbs %d", 1)
	say.T("swapped %s %d", name, 1)
	say.T("at %s", name)
	say.T(name)
	fail(exitUsage, "raw text")
	_ = C{Usage: "Raw usage"}
}`
	texts, complaints := spoken(t, fstest.MapFS{"x.go": {Data: []byte(source)}})
	table := map[string]string{
		"fine %s":          "baik %s",
		"other verbs %d":   "lain %s",
		"swapped %s %d":    "tukar %[2]d %[1]s",
		"at %s":            "di https://%s",
		"nobody says this": "tak terpakai",
	}
	complaints = append(complaints, compare(texts, []string{"fine %s", "other verbs %d", "swapped %s %d", "at %s", "nobody says this"}, func(en string) string { return table[en] })...)
	got := strings.Join(complaints, "\n")
	for _, want := range []string{`"missing": no translation`, `"other verbs %d": verbs`, `"at %s": what is to be typed`, `not a literal`, `"nobody says this": no longer said`, `raw text`, `Raw usage`} {
		if !strings.Contains(got, want) {
			t.Errorf("not noticed: %s\n%s", want, got)
		}
	}
	if strings.Contains(got, "fine") || strings.Contains(got, "swapped") {
		t.Errorf("false alarm:\n%s", got)
	}
}

type text struct{ where, en string }

// spoken finds the literals that say.T is called with, and the places that
// have a literal where there should be a call.
func spoken(t *testing.T, dir fs.FS) (texts []text, complaints []string) {
	t.Helper()
	names, err := fs.Glob(dir, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(set, name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				where := set.Position(n.Pos()).String()
				if isSay(n.Fun) {
					arg := n.Args[0]
					if len(n.Args) > 1 && isSelector(n.Fun, "In") {
						arg = n.Args[1]
					}
					if en, ok := literal(arg); ok {
						texts = append(texts, text{where, en})
					} else {
						complaints = append(complaints, where+": the text is not a literal")
					}
				}
				if id, ok := n.Fun.(*ast.Ident); ok {
					for _, arg := range shown(id.Name, n.Args) {
						if raw, ok := literal(arg); ok && isProse(raw) {
							complaints = append(complaints, where+": not translated: "+raw)
						}
					}
				}
			case *ast.CompositeLit:
				for _, raw := range untranslatedFields(n) {
					complaints = append(complaints, set.Position(n.Pos()).String()+": not translated: "+raw)
				}
			}
			return true
		})
	}
	return texts, complaints
}

// shown returns the arguments of our own functions that people will read.
func shown(function string, args []ast.Expr) []ast.Expr {
	switch {
	case function == "fail" && len(args) == 2:
		return args[1:]
	case function == "usage" && len(args) == 1:
		return args
	}
	return nil
}

// untranslatedFields are the prose of a command or a flag. The descriptions of
// an MCP tool are for models, and English.
func untranslatedFields(c *ast.CompositeLit) (raws []string) {
	if sel, ok := c.Type.(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "mcp" {
			return nil
		}
	}
	for _, e := range c.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok || !slices.Contains([]string{"Usage", "Description", "Category"}, key.Name) {
			continue
		}
		if raw, ok := literal(kv.Value); ok && isProse(raw) {
			raws = append(raws, raw)
		}
	}
	return raws
}

// isProse leaves out what is the same in every language: commands and names.
func isProse(s string) bool {
	return regexp.MustCompile(`[A-Za-z]`).MatchString(s) && !strings.HasPrefix(s, "`")
}

func isSay(fun ast.Expr) bool {
	return isSelector(fun, "T") || isSelector(fun, "In") || isConfigured(fun)
}

// isConfigured finds calls of bridge.Config.Say, by which the relay, which
// knows no language, has its words translated.
func isConfigured(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Say" {
		return false
	}
	of, ok := sel.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "cfg"
}

func isSelector(fun ast.Expr, name string) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "say"
}

func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		x, ok1 := literal(e.X)
		y, ok2 := literal(e.Y)
		return x + y, e.Op == token.ADD && ok1 && ok2
	}
	return "", false
}

// entries are the English sides of the tables.
func entries(t *testing.T, dir fs.FS) (all []string) {
	t.Helper()
	names, err := fs.Glob(dir, "id_*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for _, name := range names {
		source, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok {
				for _, e := range c.List {
					if en, ok := literal(e); ok {
						all = append(all, en)
					}
				}
			}
			return true
		})
	}
	return all
}

func compare(texts []text, table []string, translate func(string) string) (complaints []string) {
	said := map[string]bool{}
	for _, x := range texts {
		if said[x.en] {
			continue
		}
		said[x.en] = true
		id := translate(x.en)
		switch {
		case id == "":
			complaints = append(complaints, x.where+": "+strconv.Quote(x.en)+": no translation")
		case !slices.Equal(verbs(x.en), verbs(id)):
			complaints = append(complaints, x.where+": "+strconv.Quote(x.en)+": verbs "+strings.Join(verbs(x.en), " ")+" became "+strings.Join(verbs(id), " "))
		case strings.HasPrefix(x.en, "`") != strings.HasPrefix(id, "`"):
			complaints = append(complaints, x.where+": "+strconv.Quote(x.en)+": the placeholder of the flag got lost")
		case englishLeft.MatchString(id):
			complaints = append(complaints, x.where+": "+strconv.Quote(id)+": a placeholder is still English")
		case !slices.Equal(typed(x.en), typed(id)):
			complaints = append(complaints, x.where+": "+strconv.Quote(x.en)+": what is to be typed was "+strings.Join(typed(x.en), " ")+" and became "+strings.Join(typed(id), " "))
		}
	}
	slices.Sort(table)
	for i, en := range table {
		if !said[en] {
			complaints = append(complaints, strconv.Quote(en)+": no longer said")
		}
		if i > 0 && table[i-1] == en {
			complaints = append(complaints, strconv.Quote(en)+": translated twice")
		}
	}
	return complaints
}

// toType finds what is the same in every language: the beginning of an address,
// flags, and variables.
var toType = regexp.MustCompile(`https?://|(?:^|[^\w-])--[a-z][a-z-]*|\b[A-Z][A-Z0-9]*_[A-Z_]+\b`)

// typed lists what a text says to type, each as often as it is said.
func typed(text string) []string {
	list := toType.FindAllString(strings.ReplaceAll(text, "BRIDGE_TOKEN_NAMA", "BRIDGE_TOKEN_NAME"), -1)
	for i, word := range list {
		list[i] = word[max(0, strings.Index(word, "--")):]
	}
	slices.Sort(list)
	return list
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\[(\d+)\])?[\d.*]*([a-zA-Z%])`)

// verbs lists the verbs of a format in the order of its arguments.
func verbs(format string) []string {
	var list []string
	n := 0
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			list = append(list, "%")
			continue
		}
		n++
		if m[1] != "" {
			n, _ = strconv.Atoi(m[1])
		}
		list = append(list, strconv.Itoa(n)+m[2])
	}
	slices.Sort(list)
	return list
}
