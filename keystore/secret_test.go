package keystore

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretNeverPrintsItself(t *testing.T) {
	const planted = "tok-PLANTED-0123456789"
	s := NewSecret(planted)
	type outer struct {
		Public Secret
		hidden Secret // fmt does not ask the methods of unexported fields
		deep   *Secret
		list   []Secret
		keyed  map[string]Secret
	}
	o := outer{s, s, &s, []Secret{s}, map[string]Secret{"k": s}}

	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T", "%08.3f", "%!"} {
		for _, v := range []any{s, &s, o, &o, []any{s}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	fmt.Fprintln(&out, s, &s, fmt.Errorf("failed with %v: %w", s, errors.New("x")))
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "s", s, "p", &s, "o", o, slog.Group("g", "s", s))
	}
	for _, v := range []any{s, &s, struct{ S Secret }{s}, map[string]Secret{"k": s}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
	}
	data, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"x"`
		S       Secret
	}{S: s})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(data)

	text := out.String()
	hexed := fmt.Sprintf("%x", planted)
	for _, bad := range []string{"PLANTED", "0123456789", hexed, strings.ToUpper(hexed)} {
		if i := strings.Index(text, bad); i >= 0 {
			t.Errorf("printed %q near %q", bad, text[max(0, i-40):min(len(text), i+40)])
		}
	}
	if n := strings.Count(text, redacted); n < 40 {
		t.Errorf("only %d marks were printed", n)
	}
	if s.Reveal() != planted {
		t.Error("Reveal lost the text")
	}
}

func TestSecretValues(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "",
		"short":               "",
		"fifteen bytes..":     "",
		"sixteen bytes 16":    "s 16",
		"tok-0123456789-äöü€": "äöü€",
	} {
		if got := NewSecret(text).Last4(); got != want {
			t.Errorf("Last4(%q) = %q, want %q", text, got, want)
		}
	}
	var zero Secret
	if !zero.IsZero() || zero.Reveal() != "" || zero.Last4() != "" || !zero.Equal(NewSecret("")) {
		t.Error("the zero value is not the empty secret")
	}
	if !NewSecret("a").Equal(NewSecret("a")) || NewSecret("a").Equal(NewSecret("b")) {
		t.Error("Equal compares something else than the text")
	}
}
