package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// verify looks at what bundles has made, the way those see it who install it:
// each bundle is unpacked, what its manifest names has to be there, and where
// this machine can run it, the very command is run through a handshake with a
// server. Hosts do not do that when they install a bundle, so that one which
// cannot start looks like one that works.
func verify(ctx context.Context, dist string) error {
	work, err := os.MkdirTemp("", "release-verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	srv := newStandIn()
	defer srv.close()

	for _, t := range targets() {
		if t.bundle == "" {
			continue
		}
		file, err := onlyOne(filepath.Join(dist, packageName+"_*_"+t.bundle+".mcpb"))
		if err != nil {
			return err
		}
		if err := verifyBundle(ctx, t, file, filepath.Join(work, t.bundle), dist, srv); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	if err := verifyEntry(dist); err != nil {
		return fmt.Errorf("server.json: %w", err)
	}
	if err := verifyNPM(ctx, dist, filepath.Join(work, "npm"), srv); err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	return nil
}

func onlyOne(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d files match %s; there has to be one", len(found), pattern)
	}
	return found[0], nil
}

func verifyBundle(ctx context.Context, t target, file, dir, dist string, srv *standIn) error {
	if err := unpack(file, dir); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	var m manifest
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&m); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(m.Server.EntryPoint))); err != nil {
		return fmt.Errorf("entry_point: %w", err)
	}
	command, args, env := m.launch(dir, srv.url, srv.token)
	for _, word := range append([]string{command}, args...) {
		if strings.Contains(word, "${") {
			return fmt.Errorf("%q stays with a variable in it", word)
		}
		if strings.HasPrefix(word, dir) {
			if _, err := os.Stat(word); err != nil {
				return fmt.Errorf("the command names what is not in the bundle: %w", err)
			}
		}
	}
	switch {
	case t.os == "darwin":
		// Its binary runs on no other system. What is tried is the launcher, with
		// this machine's binary in the place of macOS's and without its mode, as
		// Claude Desktop leaves it.
		bin, err := release{dist: dist}.binary(target{os: runtime.GOOS, arch: runtime.GOARCH})
		if err != nil {
			return err
		}
		inside := filepath.Join(dir, "server", t.exe())
		if err := os.WriteFile(inside, bin, 0o600); err != nil {
			return err
		}
		if err := os.Chmod(inside, 0o600); err != nil {
			return err
		}
		fmt.Printf("%s: its launcher, with a binary that has lost its mode: ", filepath.Base(file))
	case t.os == runtime.GOOS && t.arch == runtime.GOARCH:
		fmt.Printf("%s: unpacked and started: ", filepath.Base(file))
	default:
		fmt.Printf("%s: unpacked, and holds what it starts\n", filepath.Base(file))
		return nil
	}
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = append(bareEnviron(dir), env...)
	took, err := srv.converse(cmd)
	if err != nil {
		return err
	}
	fmt.Printf("handshake and a call in %s\n", took)
	return nil
}

// launch is the command that a host makes of a manifest and of what the user
// has filled in.
func (m manifest) launch(dir, server, token string) (command string, args, env []string) {
	fill := strings.NewReplacer(
		"${__dirname}", dir,
		"${user_config.server}", server,
		"${user_config.access_token}", token,
	).Replace
	for _, arg := range m.Server.Config.Args {
		args = append(args, fill(arg))
	}
	for name, value := range m.Server.Config.Env {
		env = append(env, name+"="+fill(value))
	}
	return fill(m.Server.Config.Command), args, env
}

// bareEnviron is the little that a desktop app gives a program that it starts,
// with a home of its own.
func bareEnviron(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "SystemRoot=" + os.Getenv("SystemRoot"), "BRIDGE_KEYSTORE=memory"}
}

// unpack is unzip for archives of our own, modes included.
func unpack(file, dir string) error {
	r, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer r.Close()
	for i, f := range r.File {
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("%q leads out of the bundle", f.Name)
		}
		if i > 0 && r.File[i-1].Name >= f.Name {
			return fmt.Errorf("%q is out of order", f.Name)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		data, err := contents(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := os.WriteFile(path, data, f.Mode()); err != nil {
			return err
		}
	}
	return nil
}

func contents(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	const most = 256 << 20
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && len(data) > most {
		err = errors.New("larger than any of ours")
	}
	return data, err
}

// verifyEntry compares the hashes in server.json with the files they are of.
func verifyEntry(dist string) error {
	data, err := os.ReadFile(filepath.Join(dist, "server.json"))
	if err != nil {
		return err
	}
	var entry serverEntry
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&entry); err != nil {
		return err
	}
	if n := len(entry.Description); n > 100 {
		return fmt.Errorf("the description has %d letters; the registry takes 100", n)
	}
	bundles := 0
	for _, p := range entry.Packages {
		if p.Type != "mcpb" {
			continue
		}
		bundles++
		name := p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:]
		file, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return err
		}
		if sum := hash(file); sum != p.FileSHA256 {
			return fmt.Errorf("%s has the hash %s and not %s", name, sum, p.FileSHA256)
		}
	}
	if bundles == 0 {
		return errors.New("names no bundle")
	}
	fmt.Printf("server.json: %d bundles with the hashes they have\n", bundles)
	return nil
}

// verifyNPM installs the packages as npm would, without a registry, and starts
// the command in the words of those who move over from mcp-remote.
func verifyNPM(ctx context.Context, dist, dir string, srv *standIn) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	platform := ""
	for _, t := range targets() {
		if t.os == runtime.GOOS && (t.arch == runtime.GOARCH || t.arch == "all") {
			platform = npmName(t)
		}
	}
	var tarballs []string
	for _, name := range []string{packageName, platform} {
		source, err := filepath.Abs(filepath.Join(dist, "npm", filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		out, err := npm(ctx, dir, "npm", "pack", "--silent", source)
		if err != nil {
			return err
		}
		tarballs = append(tarballs, "./"+strings.TrimSpace(out))
	}
	if err := writeFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`)); err != nil {
		return err
	}
	install := append([]string{"npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"}, tarballs...)
	if _, err := npm(ctx, dir, install...); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npx", "-y", packageName, srv.url, "--header", "Authorization:${AUTH}", "--transport", "http-only", "--debug")
	cmd.Dir = dir
	cmd.Env = append(bareEnviron(dir), "AUTH=Bearer "+srv.token, "npm_config_offline=true")
	took, err := srv.converse(cmd)
	if err != nil {
		return fmt.Errorf("%v: %w", cmd.Args, err)
	}
	fmt.Printf("npm: packed, installed without a registry, started by npx: handshake and a call in %s\n", took)
	return nil
}

func npm(ctx context.Context, dir string, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(words, " "), err, out, stderr.Bytes())
	}
	return string(out), nil
}
