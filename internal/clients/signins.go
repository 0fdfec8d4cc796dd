package clients

import (
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridge/internal/fsx"
)

// A SignIn is an OAuth sign-in that mcp-remote keeps in clear text below
// ~/.mcp-auth: the registration of its client and the tokens. Formatting one
// shows where it is and nothing of it.
type SignIn struct {
	Folder  string    // below which all of it is, ~/.mcp-auth
	Path    string    // of the tokens
	Written time.Time // when that file was

	Issuer       string // of the authorization server; older versions do not say
	ClientID     string // empty: no registration is there
	ClientSecret string
	AuthMethod   string // at the token endpoint; empty: not said
	Redirect     string
	// SecretExpires is the end of ClientSecret; zero: never.
	SecretExpires time.Time

	AccessToken  string
	RefreshToken string // may be empty
	Scope        string
	// Expires is the end of AccessToken; zero: not known. Older versions write
	// down how long a token lives and not from when on, so that the time of the
	// file has to do, which is right but for a moment unless somebody copied it.
	Expires time.Time
}

// String says where it is.
func (s SignIn) String() string { return s.Path }

// GoString is String, for %#v.
func (s SignIn) GoString() string { return s.Path }

// LogValue implements slog.LogValuer with no more than String.
func (s SignIn) LogValue() slog.Value { return slog.StringValue(s.Path) }

const (
	// maxSignIn bounds each file of mcp-remote's, in bytes. Tokens with a whole
	// directory in them have some ten thousand.
	maxSignIn = 256 << 10
	// maxFolders bounds how many names of the folder are looked at.
	maxFolders = 4096
	// maxTokenAge is the longest life of a token that is believed.
	maxTokenAge = 10 * 365 * 24 * time.Hour
)

// RemoteAuthFolders are the folders in which mcp-remote may keep sign-ins of an
// entry with these variables: the one that the entry names, else the one that
// the environment names and the one in the home folder. A client on the desktop
// does not have what the shell has set.
func (s System) RemoteAuthFolders(env map[string]string) []string {
	const name = "MCP_REMOTE_CONFIG_DIR"
	if dir, ok := env[name]; ok && dir != "" {
		if !filepath.IsAbs(dir) {
			return nil // relative to wherever the client is started
		}
		return []string{dir}
	}
	var out []string
	if dir := s.Getenv(name); filepath.IsAbs(dir) {
		out = append(out, filepath.Clean(dir))
	}
	if s.Home != "" && !slices.Contains(out, s.home(".mcp-auth")) {
		out = append(out, s.home(".mcp-auth"))
	}
	return out
}

// FindSignIns returns the sign-ins that mcp-remote has kept below a folder when
// it was started with one of these lists of arguments, the one last written
// first. What is there and cannot be used is a *FileError of the second result:
// links, files of another user or open to others, files that are too large or
// are not what mcp-remote writes.
func FindSignIns(folder string, args ...[]string) (found []SignIn, problems []error) {
	var keys []signInKeys
	for _, a := range args {
		if k := keysOf(a); k != (signInKeys{}) && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	type place struct {
		dir     string
		release release
	}
	places := []place{{dir: folder}}
	names, err := namesIn(folder)
	if err != nil {
		return nil, []error{&FileError{Path: folder, Err: err}}
	}
	for _, name := range names {
		if r, ok := releaseOf(name); ok {
			places = append(places, place{filepath.Join(folder, name), r})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return slices.Compare(b.release[:], a.release[:]) })
	seen := map[string]bool{}
	for _, p := range places {
		for _, k := range keys {
			for _, key := range p.release.keys(k) {
				path := filepath.Join(p.dir, key+"_tokens.json")
				if seen[path] {
					continue
				}
				seen[path] = true
				s, err := readSignIn(p.dir, path)
				switch {
				case err == nil:
					s.Folder = folder
					same := func(o SignIn) bool { return o.AccessToken == s.AccessToken && o.RefreshToken == s.RefreshToken }
					if !slices.ContainsFunc(found, same) {
						found = append(found, s)
					}
				case !errors.Is(err, fs.ErrNotExist):
					problems = append(problems, err)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b SignIn) int { return b.Written.Compare(a.Written) })
	return found, problems
}

// namesIn lists a folder, which may be a link to one and may be absent.
func namesIn(folder string) ([]string, error) {
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errNoFolder
	}
	if err := checkTrust(folder, info); err != nil {
		return nil, err
	}
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(maxFolders)
	if len(names) == 0 {
		return nil, nil //nolint:nilerr // an empty folder ends with io.EOF
	}
	slices.Sort(names)
	return names, err
}

var errNoFolder = errors.New("is not a folder")

// readSignIn reads the tokens in one file and the registration beside it.
func readSignIn(dir, path string) (SignIn, error) {
	s := SignIn{Path: path}
	text, info, err := readTrusted(dir, path)
	if err != nil {
		return s, err
	}
	s.Written = info.ModTime()
	var t struct {
		Access    string   `json:"access_token"`
		Refresh   string   `json:"refresh_token"`
		Type      string   `json:"token_type"`
		Scope     string   `json:"scope"`
		Asked     string   `json:"requested_scope"`
		Issuer    string   `json:"issuer"`
		ExpiresIn number64 `json:"expires_in"`
		ExpiresAt number64 `json:"expires_at"` // milliseconds since 1970
	}
	t.ExpiresIn, t.ExpiresAt = number64(math.NaN()), number64(math.NaN())
	if err := object(text, &t); err != nil || !fits(t.Access) || t.Refresh != "" && !fits(t.Refresh) ||
		t.Type != "" && !strings.EqualFold(t.Type, "bearer") {
		return s, &FileError{Path: path, Err: ErrSyntax}
	}
	s.AccessToken, s.RefreshToken, s.Issuer = t.Access, t.Refresh, t.Issuer
	if s.Scope = t.Scope; s.Scope == "" {
		s.Scope = t.Asked
	}
	if len(s.Scope) > 4<<10 || strings.ContainsFunc(s.Scope, func(r rune) bool { return r < ' ' || r > '~' }) {
		s.Scope = ""
	}
	s.Expires = endOf(s.Written, t.ExpiresIn, t.ExpiresAt)

	client := strings.TrimSuffix(path, "_tokens.json") + "_client_info.json"
	text, _, err = readTrusted(dir, client)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	var c struct {
		ID        string   `json:"client_id"`
		Secret    string   `json:"client_secret"`
		Expires   number64 `json:"client_secret_expires_at"` // seconds since 1970; 0: never
		Method    string   `json:"token_endpoint_auth_method"`
		Redirects []string `json:"redirect_uris"`
		Issuer    string   `json:"issuer"`
	}
	if err := object(text, &c); err != nil || !fits(c.ID) || c.Secret != "" && !fits(c.Secret) ||
		s.Issuer != "" && c.Issuer != "" && s.Issuer != c.Issuer {
		return s, &FileError{Path: client, Err: ErrSyntax}
	}
	s.ClientID, s.ClientSecret, s.AuthMethod = c.ID, c.Secret, c.Method
	if s.Issuer == "" {
		s.Issuer = c.Issuer
	}
	if len(c.Redirects) > 0 {
		s.Redirect = c.Redirects[0]
	}
	if at := float64(c.Expires); at > 0 && at < math.MaxInt32*4 {
		s.SecretExpires = time.Unix(int64(at), 0)
	}
	return s, nil
}

// readTrusted reads a file that nobody but the user can have written.
func readTrusted(dir, path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, &FileError{Path: path, Err: err}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, &FileError{Path: path, Err: ErrLink}
	}
	if err := checkTrust(path, info); err != nil {
		return nil, nil, &FileError{Path: path, Err: err}
	}
	// The folder of one release may be a link to that of another: so people
	// took their sign-ins along.
	above, err := os.Stat(dir)
	if err == nil {
		err = checkTrust(dir, above)
	}
	if err != nil {
		return nil, nil, &FileError{Path: dir, Err: err}
	}
	text, err := fsx.ReadFile(path, maxSignIn)
	if err != nil {
		return nil, nil, &FileError{Path: path, Err: err}
	}
	return text, info, nil
}

// checkTrust refuses what another user owns or may write: whoever puts tokens
// there has us work in his account.
func checkTrust(path string, info fs.FileInfo) error {
	if err := checkOwner(path, os.Geteuid()); err != nil {
		return err
	}
	if openToOthers(info) {
		return ErrExposed
	}
	return nil
}
