package probe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestReadStream(t *testing.T) {
	const event = "event: message\ndata: {\"id\":1}\n\n"
	for _, tt := range []struct {
		name, raw string
		is        func(Stream) bool
		data      string
	}{
		{"plain", event, func(s Stream) bool { return !s.BOM && !s.CR && !s.CRLF && !s.Comments && !s.Multiline && !s.Twice }, `{"id":1}`},
		{"CR", strings.ReplaceAll(event, "\n", "\r"), func(s Stream) bool { return s.CR && !s.CRLF }, `{"id":1}`},
		{"CRLF", strings.ReplaceAll(event, "\n", "\r\n"), func(s Stream) bool { return s.CRLF && !s.CR }, `{"id":1}`},
		{"BOM", "\xef\xbb\xbf" + event, func(s Stream) bool { return s.BOM }, `{"id":1}`},
		{"comments", ": hi\n\n" + event, func(s Stream) bool { return s.Comments }, `{"id":1}`},
		{"several lines", "data: {\ndata: \"id\":1}\n\n", func(s Stream) bool { return s.Multiline }, "{\n\"id\":1}"},
		{"twice", event + event, func(s Stream) bool { return s.Twice }, `{"id":1} {"id":1}`},
		{"the same notification again", "data: {}\n\ndata: {}\n\n", func(s Stream) bool { return !s.Twice }, "{} {}"},
		{"a name", "event: endpoint\ndata: /x\n\n", func(s Stream) bool { return s.Events[0] == "endpoint" }, "/x"},
		{"an event without its end", "data: half", func(s Stream) bool { return len(s.Data) == 0 }, ""},
	} {
		s := readStream([]byte(tt.raw))
		if !tt.is(s) || strings.Join(s.Data, " ") != tt.data {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	for _, seed := range []string{"", "data: x\n\n", "\xef\xbb\xbfdata\r\rdata:\r\n\r\n", ":\n\nid: 1\nevent:\ndata: \x00\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := readStream(raw)
		if len(s.Events) != len(s.Data) {
			t.Fatalf("%d names for %d events of %q", len(s.Events), len(s.Data), raw)
		}
	})
}

// A stream that stays open behind the answer is not waited for.
func TestCallOnAnOpenStream(t *testing.T) {
	release := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true}}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer web.Close()
	defer close(release)
	p := New(Target{URL: web.URL, Timeout: 10 * time.Second})
	defer p.Close()
	began := time.Now()
	x := p.Call(t.Context(), "initialize", nil, nil)
	if x.Err != nil || x.Message == nil || string(x.Message.Result) != `{"ok":true}` || MediaType(x.Header) != "text/event-stream" {
		t.Errorf("%+v", x)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if ahead, ok := x.Skew(); !ok || ahead.Abs() > time.Minute {
		t.Errorf("ahead by %v, %v", ahead, ok)
	}
}

// What is beyond the bound is not read, and redirects are not followed.
func TestBounds(t *testing.T) {
	followed := false
	mux := http.NewServeMux()
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range 2 * maxBody >> 20 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	mux.Handle("/moved", http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect))
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { followed = true })
	web := httptest.NewServer(mux)
	defer web.Close()
	call := func(path string) Exchange {
		p := New(Target{URL: web.URL + path})
		defer p.Close()
		return p.Call(t.Context(), "ping", nil, nil)
	}
	if x := call("/big"); len(x.Body) > maxBody+64<<10 || x.Message != nil {
		t.Errorf("%d bytes were read", len(x.Body))
	}
	if x := call("/moved"); x.Status != http.StatusTemporaryRedirect || followed {
		t.Errorf("status %d, followed %v", x.Status, followed)
	}
}
