package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made is a dist folder with a binary for each target, bundled.
func made(t *testing.T) release {
	t.Helper()
	r := release{dist: t.TempDir(), version: "1.2.3", repo: "https://github.com/someone/mcp-bridge", root: filepath.Join("..", "..")}
	for _, target := range targets() {
		dir := filepath.Join(r.dist, "bridge_"+target.os+"_"+target.arch+"_v1")
		if target.arch == "all" {
			dir = strings.TrimSuffix(dir, "_v1")
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(dir, target.exe()), []byte("program for "+target.npm)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.bundles(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBundles(t *testing.T) {
	r, again := made(t), made(t)
	for _, target := range targets() {
		if target.bundle == "" {
			continue
		}
		t.Run(target.bundle, func(t *testing.T) {
			name := r.bundleName(target)
			data := read(t, r.dist, name)
			if !bytes.Equal(data, read(t, again.dist, name)) {
				t.Error("made twice, it differs")
			}
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]*zip.File{}
			for _, f := range z.File {
				files[f.Name] = f
			}
			bin := files["server/"+target.exe()]
			if bin == nil {
				t.Fatalf("no binary among %v", files)
			}
			if bin.Mode() != 0o755 {
				t.Errorf("the binary has the mode %v", bin.Mode())
			}
			if got, err := contents(bin); err != nil || string(got) != "program for "+target.npm {
				t.Errorf("the binary is %q, %v", got, err)
			}
			raw, err := contents(files["manifest.json"])
			if err != nil {
				t.Fatal(err)
			}
			var m manifest
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			if files[m.Server.EntryPoint] == nil {
				t.Errorf("entry_point %q is not in it", m.Server.EntryPoint)
			}
			if wantNode := target.os == "darwin"; (m.Server.Type == "node") != wantNode {
				t.Errorf("type is %q", m.Server.Type)
			}
			if strings.Contains(strings.Join(m.Server.Config.Args, " "), "access_token") {
				t.Error("the token is an argument, which every program on the computer can see")
			}
			if m.UserConfig.Token.Default == nil {
				t.Error("a token that is not given would stay as ${user_config.access_token}")
			}
		})
	}
}

func TestBundlesNeedEachBinaryOnce(t *testing.T) {
	r := made(t)
	second := filepath.Join(r.dist, "bridge_linux_amd64_v3")
	if err := os.MkdirAll(second, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(filepath.Join(second, "bridge"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := r.bundles(); err == nil || !strings.Contains(err.Error(), "2 files match") {
		t.Errorf("two binaries for one system: %v", err)
	}
	for _, dir := range []string{"bridge_linux_amd64_v3", "bridge_linux_amd64_v1"} {
		if err := os.RemoveAll(filepath.Join(r.dist, dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.bundles(); err == nil || !strings.Contains(err.Error(), "0 files match") {
		t.Errorf("no binary for one system: %v", err)
	}
	for _, bad := range []release{{version: "", repo: r.repo}, {version: "v1.2.3", repo: r.repo}, {version: "1.2.3", repo: "git@github.com:a/b"}} {
		bad.dist, bad.root = r.dist, r.root
		if err := bad.bundles(); err == nil {
			t.Errorf("version %q, repo %q: accepted", bad.version, bad.repo)
		}
	}
}

func TestEntryIsChecked(t *testing.T) {
	r := made(t)
	if err := verifyEntry(r.dist); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets()[:1] {
		if err := writeFile(filepath.Join(r.dist, r.bundleName(target)), []byte("another")); err != nil {
			t.Fatal(err)
		}
	}
	if err := verifyEntry(r.dist); err == nil || !strings.Contains(err.Error(), "has the hash") {
		t.Errorf("a bundle was replaced: %v", err)
	}
}

// TestBundleThatCannotStart is the mistake that hosts do not notice.
func TestBundleThatCannotStart(t *testing.T) {
	r := made(t)
	windows := targets()[3]
	m := r.manifest(windows)
	m.Server.EntryPoint = "manifest.json"
	m.Server.Config.Command = "${__dirname}/server/other.exe"
	data, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zipped([]packed{{"manifest.json", 0o644, data}, {"server/bridge.exe", 0o755, nil}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.mcpb")
	if err := writeFile(file, z); err != nil {
		t.Fatal(err)
	}
	srv := newStandIn()
	defer srv.close()
	err = verifyBundle(t.Context(), windows, file, t.TempDir(), r.dist, srv)
	if err == nil || !strings.Contains(err.Error(), "not in the bundle") {
		t.Errorf("got %v", err)
	}
}

func TestNPMPackages(t *testing.T) {
	r := made(t)
	var all npmPackage
	if err := json.Unmarshal(read(t, r.dist, "npm/mcp-bridge/package.json"), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Optional) != len(targets()) {
		t.Errorf("%d optional packages for %d systems", len(all.Optional), len(targets()))
	}
	for _, target := range targets() {
		name := npmName(target)
		var p npmPackage
		if err := json.Unmarshal(read(t, r.dist, "npm/"+name+"/package.json"), &p); err != nil {
			t.Fatal(err)
		}
		if p.Version != all.Optional[name] || p.Version != "1.2.3" {
			t.Errorf("%s is %s, and wanted as %s", name, p.Version, all.Optional[name])
		}
		for _, cpu := range p.CPU {
			line := `"` + p.OS[0] + " " + cpu + `": "` + name + "/bin/" + target.exe() + `"`
			if !strings.Contains(string(launcher), line) {
				t.Errorf("the launcher does not say %s", line)
			}
		}
		info, err := os.Stat(filepath.Join(r.dist, "npm", name, "bin", target.exe()))
		if err != nil || info.Mode().Perm()&0o100 == 0 && os.PathSeparator == '/' {
			t.Errorf("%s cannot be run: %v, %v", name, info, err)
		}
		if bytes.Contains(read(t, r.dist, "npm/"+name+"/package.json"), []byte(`"scripts"`)) {
			t.Errorf("%s runs scripts", name)
		}
	}
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
