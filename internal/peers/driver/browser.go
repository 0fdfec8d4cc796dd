package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// browserName is the program name under which the driver plays the browser of a
// user who agrees to everything.
const browserName = "browser"

// browse opens a sign-in page and follows its redirects, the last of which ends
// at the bridge's own listener. Some bridges open the page a moment before they
// listen, so a refused connection is tried again for a while.
func browse(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range 10 {
		next, err := visit(ctx, client, page)
		if err != nil {
			return err
		}
		if next == "" {
			return nil
		}
		page = next
	}
	return errors.New("browser: too many redirects")
}

// visit opens one page, trying until the context ends, and returns where it
// redirects to, or "".
func visit(ctx context.Context, client *http.Client, page string) (next string, err error) {
	pause := time.NewTicker(100 * time.Millisecond)
	defer pause.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return "", fmt.Errorf("browser: %w", err)
		}
		res, err := client.Do(req)
		if err == nil {
			return redirect(res)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("browser: %w", err)
		case <-pause.C:
		}
	}
}

func redirect(res *http.Response) (string, error) {
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 1<<20) // a user sees the page arrive
	where, err := res.Location()
	switch {
	case errors.Is(err, http.ErrNoLocation):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("browser: %w", err)
	}
	return where.String(), nil
}

// freshHome makes an empty home for the bridge, so that no scenario sees another
// one's credentials, and returns the environment that points to it: home, a
// keystore in memory, and the browser.
func freshHome(dir string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the driver's own program: %w", err)
	}
	browser := filepath.Join(dir, browserName+filepath.Ext(self))
	if err := os.Symlink(self, browser); err != nil {
		return nil, fmt.Errorf("set up the browser: %w", err)
	}
	return append(os.Environ(),
		"HOME="+dir, "USERPROFILE="+dir, "BRIDGE_HOME="+filepath.Join(dir, "bridge"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"),
		"BRIDGE_KEYSTORE=memory", "BRIDGE_BROWSER="+browser, "BROWSER="+browser), nil
}
