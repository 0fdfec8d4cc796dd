package faults

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"latency=500ms", "cut=20,on=nibomo,method=tools/call", "status=503,times=3", "busy=2,times=always", "empty=202,after=4", "sse=cr", "twice", "restart,on=/mcp",
		"type=text/plain; charset=utf-8",
	} {
		f, err := Parse(text)
		if err != nil || f.String() != text {
			t.Errorf("%q: %q %v", text, f, err)
		}
	}
	if f, err := Parse("refresh=503,times=2"); err != nil || f.String() != "status=503,on=/token,method=refresh_token,times=2" {
		t.Errorf("refresh: %v %v", f, err)
	}
	for _, text := range []string{"", "nope", "latency", "latency=soon", "latency=1h", "cut=-1", "status=99", "busy=x", "empty=500", "sse=loud", "twice=2", "status=500,times=0", "status=500,when=now", "status=500,", "type="} {
		if _, err := Parse(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// service answers an event stream for /sse and JSON elsewhere, and counts.
func service(t *testing.T, set *Set) (url string, served *atomic.Int32) {
	t.Helper()
	served = new(atomic.Int32)
	h := httptest.NewServer(set.Wrap("svc", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		body, _ := io.ReadAll(r.Body)
		if strings.HasPrefix(r.URL.Path, "/sse") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"n\":1}\n")
			_, _ = io.WriteString(w, "\ndata: {\"n\":2}\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})))
	t.Cleanup(h.Close)
	return h.URL, served
}

func post(t *testing.T, url, contentType, body string) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.Post(url, contentType, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		fault, header, value, body string
		status                     int
	}{
		{"status=502", "Content-Type", "text/html; charset=utf-8", "<h1>Bad Gateway</h1>", 502},
		{"busy=7", "Retry-After", "7", "Too Many Requests", 429},
		{"unavailable=1", "Retry-After", "1", "SERVICE_UNAVAILABLE", 503},
		{"empty=200", "Content-Length", "0", "", 200},
		{"empty=202", "Content-Length", "0", "", 202},
	} {
		t.Run(c.fault, func(t *testing.T) {
			set := NewSet(Hooks{})
			url, served := service(t, set)
			arm(t, set, c.fault)
			resp, body, err := post(t, url, "application/json", call)
			if err != nil || resp.StatusCode != c.status || resp.Header.Get(c.header) != c.value || !strings.Contains(body, c.body) {
				t.Errorf("%v %v %q", err, resp, body)
			}
			if served.Load() != 0 {
				t.Error("the request was served all the same")
			}
			if resp, body, _ := post(t, url, "application/json", call); resp.StatusCode != http.StatusOK || body != call {
				t.Errorf("afterwards: %d %q", resp.StatusCode, body)
			}
		})
	}
}

func arm(t *testing.T, set *Set, text string) {
	t.Helper()
	f, err := Parse(text)
	if err == nil {
		err = set.Add(f)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestScope(t *testing.T) {
	set := NewSet(Hooks{})
	url, _ := service(t, set)
	arm(t, set, "status=500,on=/mcp,method=tools/call,times=2,after=1")
	arm(t, set, "refresh=503")
	arm(t, set, "status=500,on=elsewhere,times=always")
	for i, c := range []struct {
		path, media, body string
		want              int
	}{
		{"/mcp", "application/json", call, 200}, // after=1
		{"/other", "application/json", call, 200},
		{"/mcp", "application/json", `{"method":"tools/list"}`, 200},
		{"/mcp", "application/json", call, 500},
		{"/mcp", "application/json", call, 500},
		{"/mcp", "application/json", call, 200},
		{"/token", "application/x-www-form-urlencoded", "grant_type=authorization_code", 200},
		{"/token", "application/x-www-form-urlencoded", "grant_type=refresh_token", 503},
		{"/token", "application/x-www-form-urlencoded", "grant_type=refresh_token", 200},
	} {
		if resp, _, err := post(t, url+c.path, c.media, c.body); err != nil || resp.StatusCode != c.want {
			t.Errorf("request %d: %v %v, want %d", i, resp.StatusCode, err, c.want)
		}
	}
	if l := set.List(); len(l) != 1 || l[0].On != "elsewhere" {
		t.Errorf("left: %v", l)
	}
}

func TestBending(t *testing.T) {
	for fault, want := range map[string]string{
		"sse=cr":          "data: {\"n\":1}\r\rdata: {\"n\":2}\r\r",
		"sse=crlf":        "data: {\"n\":1}\r\n\r\ndata: {\"n\":2}\r\n\r\n",
		"sse=bom":         "\xef\xbb\xbfdata: {\"n\":1}\n\ndata: {\"n\":2}\n\n",
		"sse=split":       "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n",
		"sse=comments":    ": still here\n:\n\ndata: {\"n\":1}\n\n: still here\n:\n\ndata: {\"n\":2}\n\n",
		"sse=multiline":   "data: {\ndata: \"n\":1}\n\ndata: {\ndata: \"n\":2}\n\n",
		"duplicate":       "data: {\"n\":1}\n\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: {\"n\":2}\n\n",
		"type=text/plain": "data: {\"n\":1}\n\ndata: {\"n\":2}\n\n",
	} {
		set := NewSet(Hooks{})
		url, _ := service(t, set)
		arm(t, set, fault)
		resp, body, err := post(t, url+"/sse", "application/json", call)
		if err != nil || body != want {
			t.Errorf("%s: %q %v", fault, body, err)
		}
		if media := resp.Header.Get("Content-Type"); (media == "text/plain") != (fault == "type=text/plain") {
			t.Errorf("%s: Content-Type %s", fault, media)
		}
	}
}

func TestCut(t *testing.T) {
	for fault, want := range map[string]string{"cut=0": "", "cut=5": call[:5], "cut=1000": call} {
		set := NewSet(Hooks{})
		url, served := service(t, set)
		arm(t, set, fault)
		_, body, err := post(t, url, "application/json", call)
		if !errors.Is(err, io.ErrUnexpectedEOF) || body != want {
			t.Errorf("%s: %q %v", fault, body, err)
		}
		if served.Load() != 1 {
			t.Errorf("%s: served %d times", fault, served.Load())
		}
	}
}

func TestTwiceAndHooks(t *testing.T) {
	var called []string
	hook := func(name string) func() { return func() { called = append(called, name) } }
	set := NewSet(Hooks{Forget: hook("forget"), Expire: hook("expire"), Revoke: hook("revoke"), Restart: hook("restart")})
	url, served := service(t, set)
	for _, f := range []string{"twice", "forget", "expire", "revoke", "latency=1ms"} {
		arm(t, set, f)
	}
	if _, body, err := post(t, url, "application/json", call); err != nil || body != call || served.Load() != 2 {
		t.Errorf("twice: %q %v, served %d times", body, err, served.Load())
	}
	arm(t, set, "restart")
	if _, _, err := post(t, url, "application/json", call); err == nil {
		t.Error("a restart answered")
	}
	if got := strings.Join(called, " "); got != "forget expire revoke restart" {
		t.Errorf("hooks: %s", got)
	}
}

func TestAdmin(t *testing.T) {
	set := NewSet(Hooks{})
	h := httptest.NewServer(set.Admin("secret"))
	defer h.Close()
	do := func(method, token, body string) (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), method, h.URL+"/faults", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	for _, c := range []struct {
		method, token, body, want string
		status                    int
	}{
		{"POST", "wrong", "twice", "required", 401},
		{"POST", "secret", "twice", `{"faults":["twice"]}`, 201},
		{"POST", "secret", `{"fault":"status=500,times=2"}`, `{"faults":["twice","status=500,times=2"]}`, 201},
		{"POST", "secret", "nonsense", "unknown kind", 400},
		{"GET", "secret", "", `{"faults":["twice","status=500,times=2"]}`, 200},
		{"DELETE", "secret", "", `{"faults":[]}`, 200},
		{"PUT", "secret", "", "", 405},
	} {
		if status, body := do(c.method, c.token, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.body, status, body)
		}
	}
}
