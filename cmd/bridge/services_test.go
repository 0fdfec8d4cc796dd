package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
)

// cmdSandbox is `sandbox [ttl=TIME] [FAULT…]`: it starts the sandbox for the
// script, with faults armed as faults.Parse reads them and access tokens that
// live so long. $PACECRAFT, $NIBOMO and $LAB are the
// addresses (a form of the transport is $LAB/lab/FORM), $PACECRAFT_TOKEN and
// $NIBOMO_KEY what opens the first two, $EMAIL the account of the sample data.
func cmdSandbox(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: sandbox [ttl=TIME] [FAULT…]")
	}
	var opt sandbox.Options
	for _, arg := range args {
		if ttl, ok := strings.CutPrefix(arg, "ttl="); ok {
			var err error
			opt.AccessTTL, err = time.ParseDuration(ttl)
			ts.Check(err)
			continue
		}
		f, err := faults.Parse(arg)
		ts.Check(err)
		opt.Faults = append(opt.Faults, f)
	}
	s, err := sandbox.Start(context.Background(), opt)
	ts.Check(err)
	ts.Defer(func() { ts.Check(s.Close()) })
	info := s.Info()
	sandboxes.Store(info.Nibomo.URL, s)
	ts.Setenv("PACECRAFT", info.PaceCraft.URL)
	ts.Setenv("PACECRAFT_TOKEN", info.PaceCraft.Token)
	ts.Setenv("NIBOMO", info.Nibomo.URL)
	ts.Setenv("NIBOMO_KEY", info.Nibomo.Key)
	ts.Setenv("EMAIL", info.Nibomo.Email)
	ts.Setenv("LAB", info.Lab.URL)
}

// A recorder stands before a server and writes down which messages pass.
type recorder struct {
	next http.Handler

	mu      sync.Mutex
	methods []string
	changed chan struct{}
}

// cmdRecord is `record NAME URL`: $NAME is an address behind which URL is, and
// `[!] saw NAME METHOD` says whether such a message passed (waiting for it).
func cmdRecord(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: record NAME URL")
	}
	target, err := url.Parse(args[1])
	ts.Check(err)
	path := target.Path
	target.Path = ""
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	r := &recorder{next: proxy, changed: make(chan struct{}, 1)}
	web := httptest.NewServer(r)
	ts.Defer(func() {
		web.CloseClientConnections()
		web.Close()
	})
	ts.Setenv(args[0], web.URL+path)
	started.Store("record "+web.URL+path, r)
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &m) == nil {
		r.mu.Lock()
		r.methods = append(r.methods, m.Method)
		r.mu.Unlock()
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
	r.next.ServeHTTP(w, req)
}

func cmdSaw(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := started.Load("record " + ts.Getenv(args[0]))
	if !ok || len(args) != 2 {
		ts.Fatalf("usage: [!] saw NAME METHOD")
	}
	r := v.(*recorder)
	deadline := time.After(5 * time.Second)
	for {
		r.mu.Lock()
		seen := slices.Contains(r.methods, args[1])
		all := strings.Join(r.methods, " ")
		r.mu.Unlock()
		if seen != neg {
			return
		}
		if neg {
			ts.Fatalf("%s saw %s", args[0], all)
		}
		select {
		case <-r.changed:
		case <-deadline:
			ts.Fatalf("%s saw only %s", args[0], all)
		}
	}
}
