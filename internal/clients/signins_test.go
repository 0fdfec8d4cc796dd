package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridge/internal/fsx"
)

// The sums were made by mcp-remote's own functions (0.1.43 and 0.15.1) in
// Node.js.
func TestSignInKeys(t *testing.T) {
	const address = "https://mcp.example.com/mcp"
	const plain = "94baabe3c3fadb285b26c035e4e86046"
	file := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(file, []byte("# ours\r\n\r\n  X-A: 1 \r\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want signInKeys
	}{
		{[]string{address}, signInKeys{plain, plain, plain}},
		{[]string{address, "3334", "--debug", "--transport", "http-only", "--host", "127.0.0.1"}, signInKeys{plain, plain, plain}},
		{[]string{address, "--resource", " https://mcp.example.com/ "},
			signInKeys{"5d3519ac3025f806cb9adbee72da8a86", "5d3519ac3025f806cb9adbee72da8a86", plain}},
		{[]string{address, "--resource", ""}, signInKeys{plain, plain, plain}},
		{[]string{address, "--resource", "https://mcp.example.com/", "--disable-resource-parameter"},
			signInKeys{plain, "5d3519ac3025f806cb9adbee72da8a86", plain}},
		{[]string{"--header", "x-team:   y ", "--header", "A_b: ${X} <&>\t\x01", address, "--header", `X-Team:a "b" \ é😀`, "--header", "no header"},
			signInKeys{"abcb8a1accebe9a6837cc3d2de57fb77", "abcb8a1accebe9a6837cc3d2de57fb77", plain}},
		{[]string{address, "--resource", "https://r.example/", "--header-file", file, "--authorize-param", "z=1",
			"--authorize-param", "audience=https://api.example.com", "--client-metadata-url", "https://c.example/c.json",
			"--token-endpoint", "https://t.example/token"},
			signInKeys{"42ae543f9a32c8054b49aa99bfce2fc9", "f19c8894fae76e49efe7d4e4c023c8bc", plain}},
		{[]string{"--debug", address}, signInKeys{}},
		{[]string{"--header"}, signInKeys{}},
		{nil, signInKeys{}},
	} {
		if got := keysOf(tc.args); got != tc.want {
			t.Errorf("%q:\n got %v\nwant %v", tc.args, got, tc.want)
		}
	}
}

func TestReleases(t *testing.T) {
	old, middle, store := release{0, 0, 1, 29}, release{0, 0, 1, 30}, release{1}
	k := signInKeys{"now", "middle", "old"}
	for _, tc := range []struct {
		folder string
		want   release
		keys   string
	}{
		{"mcp-remote-0.1.29", old, "[old]"},
		{"mcp-remote-0.1.0-2", release{0, 0, 1, 0}, "[old]"},
		{"mcp-remote-0.1.30", middle, "[now middle]"},
		{"mcp-remote-v1", store, "[now]"},
	} {
		got, ok := releaseOf(tc.folder)
		if !ok || got != tc.want || fmt.Sprint(got.keys(k)) != tc.keys {
			t.Errorf("%s: %v %v %v", tc.folder, got, ok, got.keys(k))
		}
	}
	for _, folder := range []string{"mcp-remote", "mcp-remote-", "mcp-remote-v", "mcp-remote-v0", "mcp-remote-v99999999", "mcp-remote-1.2", "mcp-remote-1.2.x", "other-0.1.2", "mcp-remote-0.-1.2"} {
		if r, ok := releaseOf(folder); ok {
			t.Errorf("%s: %v", folder, r)
		}
	}
}

const signInAddress = "https://mcp.example.com/mcp"

// A kept is a folder as mcp-remote leaves it.
type kept struct {
	t   *testing.T
	dir string
}

func keptFolder(t *testing.T) kept { return kept{t, filepath.Join(t.TempDir(), ".mcp-auth")} }

var keptAt = time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)

func (k kept) put(name, text string, age time.Duration) string {
	k.t.Helper()
	path := filepath.Join(k.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.t.Fatal(err)
	}
	if err := os.Chtimes(path, keptAt.Add(-age), keptAt.Add(-age)); err != nil {
		k.t.Fatal(err)
	}
	return path
}

const (
	keyPlain  = "94baabe3c3fadb285b26c035e4e86046"
	fileTok   = keyPlain + "_tokens.json"
	fileInfo  = keyPlain + "_client_info.json"
	goodInfo  = `{"client_id":"c1","redirect_uris":["http://localhost:3334/oauth/callback"],"token_endpoint_auth_method":"none"}`
	goodToken = `{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt","scope":"a b"}`
)

func TestFindSignIns(t *testing.T) {
	k := keptFolder(t)
	if found, problems := FindSignIns(k.dir, []string{signInAddress}); found != nil || problems != nil {
		t.Errorf("nothing there: %v %v", found, problems)
	}
	k.put("mcp-remote-0.1.38/"+fileTok, goodToken, 48*time.Hour)
	k.put("mcp-remote-0.1.38/"+fileInfo, goodInfo, 48*time.Hour)
	k.put("mcp-remote-0.1.38/"+keyPlain+"_code_verifier_77.txt", "v", 0)
	k.put("mcp-remote-v1/"+fileTok, `{"access_token":"at1","token_type":"bearer","expires_in":60,"expires_at":1790000000000,"requested_scope":"a","issuer":"https://as.example"}`, time.Hour)
	k.put("mcp-remote-0.1.12/"+fileTok, `{"access_token":"at2","token_type":"bearer","expires_in":"60"}`, 2*time.Hour)
	k.put(fileTok, `{"access_token":"at3","token_type":"bearer"}`, 99*time.Hour)
	k.put("mcp-remote-0.1.38/0000_tokens.json", goodToken, 0) // of another server
	k.put("notes/"+fileTok, goodToken, 0)
	found, problems := FindSignIns(k.dir, []string{signInAddress}, []string{signInAddress, "--debug"}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, s := range found {
		end := "unknown"
		if !s.Expires.IsZero() {
			end = s.Expires.UTC().Format(time.DateTime)
		}
		got = append(got, fmt.Sprintf("%s %s/%s %s %q %s %s", s.AccessToken, s.RefreshToken, s.ClientID, s.Redirect, s.Scope, end, s.Issuer))
	}
	want := []string{
		`at1 /  "a" 2026-09-21 14:13:20 https://as.example`,
		`at2 /  "" 2026-10-02 06:01:00 `,
		`at rt/c1 http://localhost:3334/oauth/callback "a b" 2026-09-30 09:00:00 `,
		`at3 /  "" unknown `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := fmt.Sprintf("%v %+v %#v", found, found, found); strings.Contains(text, "at1") || strings.Contains(text, "rt") {
		t.Errorf("formatting shows a token: %s", text)
	}
}

// What is there and is not what mcp-remote writes is a problem with the file's
// name, and nothing of it is used or quoted.
func TestSignInsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		tokens, client string
		want           error
	}{
		"empty":             {"", goodInfo, ErrSyntax},
		"a list":            {"[]", goodInfo, ErrSyntax},
		"cut off":           {`{"access_token":"s3cret`, goodInfo, ErrSyntax},
		"no token":          {`{"refresh_token":"rt"}`, goodInfo, ErrSyntax},
		"a number":          {`{"access_token":7}`, goodInfo, ErrSyntax},
		"a newline":         {`{"access_token":"s3cret\r\nX: y"}`, goodInfo, ErrSyntax},
		"a blank":           {`{"access_token":"a","refresh_token":"s3cret b"}`, goodInfo, ErrSyntax},
		"proof of key":      {`{"access_token":"s3cret","token_type":"DPoP"}`, goodInfo, ErrSyntax},
		"huge":              {`{"access_token":"` + strings.Repeat("s3cret", 1<<20) + `"}`, goodInfo, fsx.ErrTooLarge},
		"client of numbers": {goodToken, `{"client_id":7}`, ErrSyntax},
		"client a list":     {goodToken, `["s3cret"]`, ErrSyntax},
		"client no list":    {goodToken, `{"client_id":"c","redirect_uris":"s3cret"}`, ErrSyntax},
		"client huge":       {goodToken, strings.Repeat(" ", 5<<20), fsx.ErrTooLarge},
		"two issuers":       {`{"access_token":"s3cret","issuer":"https://a.example"}`, `{"client_id":"c","issuer":"https://b.example"}`, ErrSyntax},
	} {
		t.Run(name, func(t *testing.T) {
			k := keptFolder(t)
			k.put("mcp-remote-v1/"+fileTok, tc.tokens, 0)
			k.put("mcp-remote-v1/"+fileInfo, tc.client, 0)
			found, problems := FindSignIns(k.dir, []string{signInAddress})
			if len(found) != 0 || len(problems) != 1 || !errors.Is(problems[0], tc.want) {
				t.Fatalf("%v %v, want %v", found, problems, tc.want)
			}
			if text := problems[0].Error(); strings.Contains(text, "s3cret") || !strings.Contains(text, keyPlain) {
				t.Error(text)
			}
		})
	}
}

func TestSignInTimes(t *testing.T) {
	for text, want := range map[string]time.Time{
		`"expires_in":-5`:                              keptAt,
		`"expires_in":0`:                               keptAt,
		`"expires_in":null`:                            {},
		`"expires_in":"soon"`:                          {},
		`"expires_in":[]`:                              {},
		`"expires_in":1e400`:                           {},
		`"expires_in":1e300`:                           keptAt.Add(maxTokenAge),
		`"expires_in":60,"expires_at":-1`:              keptAt.Add(time.Minute),
		`"expires_in":60,"expires_at":1e300`:           keptAt.Add(time.Minute),
		`"expires_in":60,"expires_at":"1790000000000"`: time.UnixMilli(1790000000000),
	} {
		k := keptFolder(t)
		k.put("mcp-remote-v1/"+fileTok, `{"access_token":"at",`+text+`}`, 0)
		found, problems := FindSignIns(k.dir, []string{signInAddress})
		if len(found) != 1 || !found[0].Expires.Equal(want) {
			t.Errorf("%s: %v %v", text, found, problems)
			continue
		}
	}
}

func TestSignInLinksAndModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links and modes of Unix
	}
	lone := func(t *testing.T, k kept, want error) {
		t.Helper()
		found, problems := FindSignIns(k.dir, []string{signInAddress})
		if want == nil {
			if len(found) != 1 || len(problems) != 0 {
				t.Errorf("%v %v", found, problems)
			}
		} else if len(found) != 0 || len(problems) != 1 || !errors.Is(problems[0], want) {
			t.Errorf("%v %v, want %v", found, problems, want)
		}
	}
	t.Run("a link", func(t *testing.T) {
		k := keptFolder(t)
		k.put("elsewhere", goodToken, 0)
		if err := os.Mkdir(filepath.Join(k.dir, "mcp-remote-v1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("../elsewhere", filepath.Join(k.dir, "mcp-remote-v1", fileTok)); err != nil {
			t.Fatal(err)
		}
		lone(t, k, ErrLink)
	})
	t.Run("a folder of one release linked to another", func(t *testing.T) {
		k := keptFolder(t)
		k.put("mcp-remote-0.1.37/"+fileTok, goodToken, 0)
		if err := os.Symlink("mcp-remote-0.1.37", filepath.Join(k.dir, "mcp-remote-0.1.38")); err != nil {
			t.Fatal(err)
		}
		lone(t, k, nil)
	})
	t.Run("open to all", func(t *testing.T) {
		k := keptFolder(t)
		if err := os.Chmod(k.put("mcp-remote-v1/"+fileTok, goodToken, 0), 0o666); err != nil {
			t.Fatal(err)
		}
		lone(t, k, ErrExposed)
	})
	t.Run("a folder open to all", func(t *testing.T) {
		k := keptFolder(t)
		if err := os.Chmod(filepath.Dir(k.put("mcp-remote-v1/"+fileTok, goodToken, 0)), 0o777); err != nil {
			t.Fatal(err)
		}
		lone(t, k, ErrExposed)
	})
	t.Run("a folder in its place", func(t *testing.T) {
		k := keptFolder(t)
		k.put("mcp-remote-v1/"+fileTok+"/x", "", 0)
		lone(t, k, fsx.ErrNotRegular)
	})
	t.Run("no folder", func(t *testing.T) {
		k := keptFolder(t)
		if err := os.WriteFile(k.dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		lone(t, k, errNoFolder)
	})
	t.Run("not to be read", func(t *testing.T) {
		if os.Geteuid() == 0 {
			return // root may
		}
		k := keptFolder(t)
		if err := os.Chmod(k.put("mcp-remote-v1/"+fileTok, goodToken, 0), 0); err != nil {
			t.Fatal(err)
		}
		lone(t, k, fs.ErrPermission)
	})
}

func TestRemoteAuthFolders(t *testing.T) {
	home := t.TempDir()
	own := filepath.Join(home, "own")
	s := System{GOOS: runtime.GOOS, Home: home, Getenv: func(name string) string {
		return map[string]string{"MCP_REMOTE_CONFIG_DIR": own}[name]
	}}
	other := filepath.Join(home, "other")
	for _, tc := range []struct {
		env  map[string]string
		want []string
	}{
		{nil, []string{own, filepath.Join(home, ".mcp-auth")}},
		{map[string]string{"MCP_REMOTE_CONFIG_DIR": other}, []string{other}},
		{map[string]string{"MCP_REMOTE_CONFIG_DIR": "~/auth"}, nil},
		{map[string]string{"MCP_REMOTE_CONFIG_DIR": ""}, []string{own, filepath.Join(home, ".mcp-auth")}},
	} {
		if got := s.RemoteAuthFolders(tc.env); fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%v: %v", tc.env, got)
		}
	}
}
