package auth

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"bridge/internal/servers"
)

// OpenBrowser shows a page to the person: with the program in BRIDGE_BROWSER
// or BROWSER, else the system's way. The program gets the address as its one
// argument; no shell has a part in it (CVE-2025-6514). Only https addresses,
// and http on loopback, are opened, and what is opened was put together again
// from its parsed form.
//
// Whether a window appeared is not known: a program that does not fail within
// two seconds is taken to have done its work. Its output goes nowhere.
func OpenBrowser(ctx context.Context, link string) error {
	u, err := url.Parse(link)
	if err != nil || u.Opaque != "" || u.Host == "" || u.User != nil ||
		u.Scheme != "https" && (u.Scheme != "http" || !servers.Loopback(u.Hostname())) {
		return failure(ErrUnsafe, "%s is not opened", quoteURL(link))
	}
	link = u.String()
	if strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\"'`\\<>|^", r) }) {
		return failure(ErrUnsafe, "%s is not opened", quoteURL(link))
	}
	programs, err := browsers()
	if err != nil {
		return err
	}
	for _, argv := range programs {
		if err = launch(ctx, append(argv, link)); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return &Error{Kind: ErrNoBrowser, Err: err}
}

// browsers lists the programs to try.
func browsers() ([][]string, error) {
	for _, name := range [...]string{"BRIDGE_BROWSER", "BROWSER"} {
		v := os.Getenv(name)
		switch {
		case v == "":
			continue
		case v == "none" || v == "false":
			return nil, failure(ErrNoBrowser, "")
		}
		var list [][]string
		if _, err := exec.LookPath(v); err == nil {
			return [][]string{{v}}, nil
		}
		for _, one := range filepath.SplitList(v) { // as BROWSER is by tradition
			list = append(list, []string{one})
		}
		return list, nil
	}
	return systemBrowsers()
}

// launchLimit is how long a program may take to fail.
const launchLimit = 2 * time.Second

// launch starts a program and leaves it running: a browser that was not open
// lives as long as its window.
func launch(ctx context.Context, argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, argv[1:]...)
	cmd.Env = withoutSecrets(os.Environ())
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the program
	late := time.NewTimer(launchLimit)
	defer late.Stop()
	select {
	case err := <-ended:
		var status *exec.ExitError
		if errors.As(err, &status) {
			return errors.New("it ended with a failure")
		}
		return err
	case <-late.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// withoutSecrets is env without what a browser has no use for.
func withoutSecrets(env []string) []string {
	kept := env[:0:0]
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "BRIDGE_TOKEN") || strings.HasPrefix(name, "BRIDGE_PASSPHRASE") || strings.HasPrefix(name, "BRIDGE_CLIENT_SECRET") {
			continue
		}
		kept = append(kept, v)
	}
	return kept
}
