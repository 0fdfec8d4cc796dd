// Command release makes what goreleaser's free edition does not: shell
// completions and the manual page before the build, and after it the bundles
// for Claude Desktop (.mcpb), the entry for the MCP registry (server.json) and
// the packages for npm. It also checks them, by running what it finds in them
// the way a host would.
//
//	release docs -out DIR                              before the build
//	release universal FILE                             on macOS's joined binary
//	release bundles -dist DIR -version V -repo URL     after it
//	release verify -dist DIR                           on what lies there
//
// It is a program of its own and no hidden verb of bridge, because nobody who
// uses bridge needs it. It refuses to publish anything, and to guess: a binary
// that is missing, or there twice, ends it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("needs docs, universal, bundles or verify")
	}
	flags := flag.NewFlagSet("release "+args[0], flag.ContinueOnError)
	switch args[0] {
	case "docs":
		out := flags.String("out", "", "folder for completions and the manual page")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return makeDocs(ctx, *out)
	case "bundles":
		var r release
		flags.StringVar(&r.dist, "dist", "dist", "where goreleaser has put the binaries")
		flags.StringVar(&r.version, "version", "", "version, without v")
		flags.StringVar(&r.repo, "repo", "", "web address of the repository")
		flags.StringVar(&r.root, "root", ".", "root of the source, for README and LICENSE")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return r.bundles()
	case "universal":
		if len(args) != 2 {
			return errors.New("universal needs a file")
		}
		return sortUniversal(args[1])
	case "verify":
		dist := flags.String("dist", "dist", "where the products are")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return verify(ctx, *dist)
	}
	return fmt.Errorf("unknown verb %q", args[0])
}
