package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRelayWords holds relayWords to the texts that the relay makes of a
// server's faults: one that is reworded there must not fall back to English.
func TestRelayWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "bridge", "cause.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	formats := 0
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Sprintf" {
			return true
		}
		lit, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		format, err := strconv.Unquote(lit.Value)
		if err != nil || strings.Count(format, " ") < 2 {
			return true // a part of a text
		}
		formats++
		text := strings.NewReplacer("%s", "mcp.example.com:443", "%d", "503", "%q", `"x"`).Replace(format)
		words, known := relayWords(text)
		if !known {
			t.Errorf("relayWords does not know %q", format)
		}
		if words != text {
			t.Errorf("in English %q became %q", text, words)
		}
		return true
	})
	if formats < 12 {
		t.Errorf("found only %d texts in cause.go", formats)
	}
	for _, text := range []string{"mcp.example.com does not allow this (403)", "mcp.example.com is asked too often (429); try again later",
		"the proxy wants a user name and password (put them into HTTPS_PROXY)"} {
		if words, known := relayWords(text); !known || words != text {
			t.Errorf("relayWords(%q) = %q, %t", text, words, known)
		}
	}
	if _, known := relayWords("something else"); known {
		t.Error("relayWords knows what the relay never says")
	}
}
