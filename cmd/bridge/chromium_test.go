//go:build browser && linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridge/internal/sandbox"
)

// The whole sign-in in a real browser: what the pages allow, where the redirect
// goes and what the person sees at the end is Chromium's to say.
func TestSignInWithChromium(t *testing.T) {
	t.Setenv("BRIDGE_LANG", "en")
	s, err := sandbox.Start(t.Context(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, tt := range []struct {
		name   string
		do     func(c *chromium)
		title  string
		status int
	}{
		{"one click", func(c *chromium) { c.click("button.go") }, "You are signed in", 0},
		{"code by e-mail", func(c *chromium) {
			c.eval(`document.querySelector('input[name=email]').value = ` + quoted(s.Info().Nibomo.Email))
			c.eval(`document.querySelector('input[name=email]').form.requestSubmit()`)
			c.until(`!!document.querySelector('input[name=code]')`)
			c.eval(`document.querySelector('input[name=code]').value = '00000000'`)
			c.click("button.go")
		}, "You are signed in", 0},
		{"no", func(c *chromium) {
			c.eval(`document.querySelector('input[value=deny]').form.requestSubmit()`)
		}, "Not signed in", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			page := filepath.Join(home, "page")
			program := filepath.Join(home, "open")
			if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf %s \"$1\" >'"+page+".new' && mv '"+page+".new' '"+page+"'\n"), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			for name, value := range map[string]string{"BRIDGE_HOME": home, "BRIDGE_KEYSTORE": "memory", "BRIDGE_BROWSER": program} {
				t.Setenv(name, value)
			}
			c := startChromium(t)
			out, err := os.Create(filepath.Join(home, "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			ended := make(chan int, 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				ended <- run(ctx, []string{"login", s.Info().Nibomo.URL, "--name", "cards"}, newStreams(nil, out, out))
			}()
			c.open(waitForFile(ctx, t, page))
			c.until(`document.title == 'Sign in to the sandbox'`)
			tt.do(c)
			c.until(`document.title == ` + quoted(tt.title))
			if address := c.eval(`location.search`); tt.status == 0 && !strings.Contains(address, "code=") {
				t.Errorf("the browser ended at %s", address)
			}
			if status := <-ended; status != tt.status {
				text, _ := os.ReadFile(out.Name())
				t.Errorf("status %d: %s", status, text)
			}
			for _, complaint := range c.complaints {
				t.Errorf("the browser complained: %s", complaint)
			}
		})
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

func waitForFile(ctx context.Context, t *testing.T, path string) string {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if text, err := os.ReadFile(path); err == nil {
			return string(text)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			t.Fatal("no page was opened")
		}
	}
}

// A chromium is a headless browser on a pipe of its DevTools protocol: JSON
// messages, each ended by a zero byte.
type chromium struct {
	t          *testing.T
	in         io.Writer
	out        *bufio.Reader
	last       int
	session    string
	complaints []string // about security
}

func startChromium(t *testing.T) *chromium {
	t.Helper()
	fromUs, toIt, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromIt, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "chromium", "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	cmd.WaitDelay = 2 * time.Second
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	c := &chromium{t: t, in: toIt, out: bufio.NewReader(fromIt)}
	late := time.AfterFunc(time.Minute, func() { fromIt.Close() })
	t.Cleanup(func() {
		late.Stop()
		c.send("", "Browser.close", nil)
		_, _ = io.Copy(io.Discard, c.out) // until it has ended
		_ = cmd.Wait()
		toIt.Close()
		fromIt.Close()
		if t.Failed() {
			t.Logf("chromium said: %s", log.String())
		}
	})
	var target struct{ TargetID string }
	c.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	c.session = attached.SessionID
	c.call("Page.enable", nil, nil)
	c.call("Log.enable", nil, nil)
	return c
}

func (c *chromium) send(session, method string, params any) int {
	c.last++
	m := map[string]any{"id": c.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	b, _ := json.Marshal(m) // maps of strings always marshal
	_, _ = c.in.Write(append(b, 0))
	return c.last
}

// call sends a command and waits for its answer.
func (c *chromium) call(method string, params, result any) {
	c.t.Helper()
	id := c.send(c.session, method, params)
	for {
		text, err := c.out.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Params struct {
				Entry struct{ Source, Text string }
			}
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
		switch {
		case m.Method == "Log.entryAdded" && m.Params.Entry.Source == "security":
			c.complaints = append(c.complaints, m.Params.Entry.Text)
		case m.ID != id:
		case m.Error != nil:
			c.t.Fatalf("%s: %s", method, m.Error.Message)
		default:
			if result != nil {
				if err := json.Unmarshal(m.Result, result); err != nil {
					c.t.Fatalf("%s: %v", method, err)
				}
			}
			return
		}
	}
}

func (c *chromium) open(page string) { c.call("Page.navigate", map[string]any{"url": page}, nil) }

// eval returns the value of an expression as text.
func (c *chromium) eval(expression string) string {
	c.t.Helper()
	var out struct {
		Result struct{ Value any }
	}
	c.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "userGesture": true}, &out)
	return fmt.Sprint(out.Result.Value)
}

func (c *chromium) click(selector string) {
	c.until(`!!document.querySelector(` + quoted(selector) + `)`)
	c.eval(`document.querySelector(` + quoted(selector) + `).click()`)
}

// until waits until an expression is true, whatever pages come and go.
func (c *chromium) until(expression string) {
	c.t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for c.eval(expression) != "true" {
		select {
		case <-look.C:
		case <-late.C:
			c.t.Fatalf("never true: %s, at %s: %s", expression, c.eval("location.href"), c.eval("document.body.innerText"))
		}
	}
}
