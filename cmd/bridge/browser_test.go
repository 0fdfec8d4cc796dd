package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridge/internal/sandbox"
	"bridge/internal/sandbox/faults"
)

// visitor is the browser of a script: the program `visitor`, which BRIDGE_BROWSER
// names. It opens the page it is given, presses the button that $VISIT names
// (sample, deny; none only looks) and follows the redirects to their end. Each
// page it opened, and what it saw last, are lines in $VISITS.
func visitor() {
	if err := visit(os.Getenv("VISIT"), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "visitor:", err)
		os.Exit(1)
	}
}

func visit(button string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments", len(args))
	}
	if err := logVisit("opened " + args[0]); err != nil {
		return err
	}
	if button == "none" {
		return nil
	}
	last, err := press(context.Background(), args[0], button)
	if err != nil {
		return err
	}
	return logVisit("saw " + last)
}

func logVisit(line string) error {
	f, err := os.OpenFile(os.Getenv("VISITS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

// press opens a sign-in page of the sandbox and presses a button of it. It
// returns the title of the page at the end.
func press(ctx context.Context, page, button string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Jar: jar}
	text, err := fetch(ctx, client, http.MethodGet, page, nil)
	if err != nil {
		return "", err
	}
	request := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(text)
	if request == nil {
		return "", errors.New("no form on the page: " + text)
	}
	u, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	u.RawQuery = ""
	text, err = fetch(ctx, client, http.MethodPost, u.String(), url.Values{"request": {request[1]}, "step": {button}})
	if err != nil {
		return "", err
	}
	if title := regexp.MustCompile(`<title>(.*)</title>`).FindStringSubmatch(text); title != nil {
		return title[1], nil
	}
	return "no title", nil
}

func fetch(ctx context.Context, client *http.Client, method, target string, form url.Values) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

var sandboxes sync.Map // address of the flashcards → *sandbox.Sandbox

// cmdFaults is `faults FAULT…`: it arms faults in the sandbox of the script.
// `clear` disarms what there is.
func cmdFaults(ts *testscript.TestScript, neg bool, args []string) {
	v, ok := sandboxes.Load(ts.Getenv("NIBOMO"))
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: faults FAULT…, after sandbox")
	}
	set := v.(*sandbox.Sandbox).Faults()
	for _, text := range args {
		if text == "clear" {
			set.Clear()
			continue
		}
		f, err := faults.Parse(text)
		ts.Check(err)
		ts.Check(set.Add(f))
	}
}

// visited waits until $VISITS has so many openings. It crosses a process
// boundary, hence the deadline.
func visited(ts *testscript.TestScript, n int, want string) {
	times, err := strconv.Atoi(want)
	ts.Check(err)
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		text, err := os.ReadFile(ts.Getenv("VISITS"))
		if err == nil && strings.Count(string(text), "opened ") >= times {
			return
		}
		select {
		case <-look.C:
		case <-deadline.C:
			ts.Fatalf("line %d: the browser was not opened", n)
		}
	}
}

// lastLink is the page that was opened last.
func lastLink(ts *testscript.TestScript) string {
	all := regexp.MustCompile(`(?m)^opened (.*)$`).FindAllStringSubmatch(ts.ReadFile(ts.Getenv("VISITS")), -1)
	if len(all) == 0 {
		ts.Fatalf("no page was opened")
	}
	return all[len(all)-1][1]
}

// cmdListens is `[!] listens`: somebody listens at the redirect URI of the page
// that was opened last, waiting for it to be so.
func cmdListens(ts *testscript.TestScript, neg bool, _ []string) {
	link, err := url.Parse(lastLink(ts))
	ts.Check(err)
	redirect, err := url.Parse(link.Query().Get("redirect_uri"))
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", redirect.Host)
		if err == nil {
			c.Close()
		}
		if (err == nil) != neg {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			ts.Fatalf("listening at %s: %v", redirect.Host, err == nil)
		}
	}
}
