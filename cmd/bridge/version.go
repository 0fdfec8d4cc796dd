package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

// Set by the release build; a build with plain `go build` knows itself from
// what the go command recorded.
var (
	version = ""
	commit  = ""
	date    = ""
)

func newVersion(a *app) *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     say.T("Print the version"),
		UsageText: "bridge version\nbridge version --json",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := argCount(c, 0, 0); err != nil {
				return err
			}
			return runVersion(a)
		},
	}
}

// A buildInfo is what `bridge version --json` prints.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // RFC 3339
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func build() buildInfo {
	b := buildInfo{Version: version, Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && b.Commit == "":
				b.Commit = s.Value
			case s.Key == "vcs.time" && b.Date == "":
				b.Date = s.Value
			case s.Key == "vcs.modified" && commit == "":
				b.Modified = s.Value == "true"
			}
		}
	}
	if b.Version == "" {
		b.Version = "dev"
	}
	return b
}

// userAgent names the program to servers. It knows a release's version only:
// what go has stamped into another build takes a tenth of a millisecond to read,
// and a client that starts serve would wait for it.
func userAgent() string {
	if version == "" {
		return "bridge/dev"
	}
	return "bridge/" + version
}

func runVersion(a *app) error {
	b := build()
	if a.asJSON {
		return a.json(b)
	}
	a.printf("bridge %s", b.Version)
	if b.Commit != "" {
		a.printf(" (%.12s)", b.Commit)
	}
	a.printf(" %s %s\n", b.Platform, b.Go)
	return nil
}
