package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// makeDocs writes completions and the manual page, asked of a binary built for
// this machine. They are made under both names of the program, for systems
// where one of them is taken.
//
//	completions/{bridge,mcp-bridge}.{bash,zsh,fish}
//	man/{bridge,mcp-bridge}.1.gz
func makeDocs(ctx context.Context, out string) error {
	if out == "" {
		return fmt.Errorf("docs needs -out")
	}
	tmp, err := os.MkdirTemp("", "release-docs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, dir := range []string{"completions", "man"} {
		if err := os.MkdirAll(filepath.Join(out, dir), 0o755); err != nil { //nolint:gosec // G301: to be packed, not kept
			return err
		}
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	for _, name := range []string{"bridge", packageName} {
		bin := filepath.Join(tmp, name+exe)
		build := exec.CommandContext(ctx, "go", "build", "-o", bin, "bridge/cmd/bridge")
		// goreleaser may be building for another system at the moment.
		build.Env = append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		if said, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, said)
		}
		for _, shell := range []string{"bash", "zsh", "fish"} {
			script, err := ask(ctx, bin, "completion", shell)
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(out, "completions", name+"."+shell), script); err != nil {
				return err
			}
		}
		page, err := ask(ctx, bin, "man")
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(out, "man", name+".1.gz"), gzipped(page)); err != nil {
			return err
		}
	}
	return nil
}

// ask runs the binary and returns its stdout, in English wherever this runs.
func ask(ctx context.Context, bin string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env = append(os.Environ(), "BRIDGE_LANG=en")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("said nothing")
	}
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w", filepath.Base(bin), args, err)
	}
	return out, nil
}

// gzipped has no name and no time in it, so that it is the same each time.
func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(data) //nolint:errcheck // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// writeFile writes what is to be packed, readable to all.
func writeFile(path string, data []byte) error {
	return os.WriteFile(path, data, 0o644) //nolint:gosec // G306: to be packed, not kept
}
