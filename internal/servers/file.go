package servers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"bridge/internal/fsx"
)

// MaxFile is the largest config.toml that is read, in bytes.
const MaxFile = 256 << 10

// A File is config.toml as it was read, and the changes made to it since. Its
// methods must not be called concurrently.
type File struct {
	// Path is the file's absolute path, whether it exists or not.
	Path string
	// Warnings are things worth saying that are no errors: one clause each.
	Warnings []Warning

	read    []byte // as read; nil if there was no file
	text    []byte // with the changes made since
	servers []Server
	set     settings
}

// A Warning is something about the file that a person should mend.
type Warning struct {
	Problem Problem
	Detail  string
	Advice  string
}

// Path returns where config.toml is, whether it exists or not.
func Path() (string, error) {
	home, err := fsx.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "config.toml"), nil
}

// Load reads config.toml from its place. A file that does not exist is an
// empty one; everything else that keeps it from being read is an *Error.
func Load() (*File, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	return LoadFile(path)
}

// LoadFile is Load for a file elsewhere.
func LoadFile(path string) (*File, error) {
	f := &File{Path: path}
	if err := f.load(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) load() error {
	text, err := fsx.ReadFile(f.Path, MaxFile)
	if err != nil {
		return f.unreadable(err)
	}
	if err := f.checkMode(); err != nil {
		return err
	}
	if text == nil {
		text = []byte{}
	}
	f.read = text
	return f.parse(text)
}

func (f *File) parse(text []byte) error {
	list, set, err := decodeText(text)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Path = f.Path
		}
		return err
	}
	f.text, f.servers, f.set = text, list, set
	return nil
}

func decodeText(text []byte) ([]Server, settings, error) {
	d, err := parseDocument(text)
	if err != nil {
		return nil, settings{}, err
	}
	return d.decode()
}

// unreadable turns what ReadFile says into nil (there is no file) or an Error.
func (f *File) unreadable(err error) error {
	e := &Error{Path: f.Path, Problem: NotReadable, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, lerr := os.Lstat(f.Path)
		if lerr != nil || info.Mode()&os.ModeSymlink == 0 {
			return nil
		}
		e.Detail = "it is a link to a file that does not exist"
		e.Advice = "make that file, or remove the link"
	case errors.Is(err, fsx.ErrNotRegular):
		e.Detail = "it is not a file"
		if info, serr := os.Stat(f.Path); serr == nil {
			switch {
			case info.IsDir():
				e.Detail = "it is a folder, not a file"
			case info.Mode()&os.ModeNamedPipe != 0:
				e.Detail = "it is a FIFO, not a file"
			}
		}
		e.Advice = "move it away"
	case errors.Is(err, fsx.ErrTooLarge):
		e.Detail = fmt.Sprintf("it is larger than %d kB", MaxFile>>10)
	case errors.Is(err, fs.ErrPermission):
		e.Detail = "it may not be read by this user"
		e.Advice = "make it yours, mode 0600"
	default:
		e.Detail = "it cannot be read"
	}
	return e
}

// checkMode refuses a file that everybody may write to, because it can name
// programs to run, and warns of one that others may read.
func (f *File) checkMode() error {
	err := fsx.CheckPrivate(f.Path)
	if !errors.Is(err, fsx.ErrTooOpen) {
		return nil
	}
	info, serr := os.Stat(f.Path)
	if serr == nil && info.Mode().Perm()&0o002 != 0 {
		return &Error{
			Path: f.Path, Problem: Unsafe, Err: err,
			Detail: "every user of this machine may change it, and it can name programs to run",
			Advice: "chmod 600 " + f.Path,
		}
	}
	f.Warnings = append(f.Warnings, Warning{
		Problem: Unsafe, Detail: "other users of this machine may read " + f.Path, Advice: "chmod 600 " + f.Path,
	})
	return nil
}

// Exists reports whether there was a file to read.
func (f *File) Exists() bool { return f.read != nil }

// Keystore returns the store of secrets the file chooses: "keychain", "file",
// or "" when it does not say.
func (f *File) Keystore() string { return f.set.keystore }

// Servers returns the entries in the order of the file. The caller owns the
// slice.
func (f *File) Servers() []Server { return append([]Server(nil), f.servers...) }

// Entry returns the entry of that name, and whether there is one. Presets are
// not entries; Lookup knows them too.
func (f *File) Entry(name string) (Server, bool) {
	for _, s := range f.servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}

// Mentions reports whether the file itself says something about one key of an
// entry.
func (f *File) Mentions(name, key string) bool {
	d, err := parseDocument(f.text)
	return err == nil && d.lineOf(name, key, 0) > 0
}

// Lookup returns the server that arg means: an entry, else a preset, by name;
// or for a URL the first entry with exactly that endpoint, else a nameless
// server. An unknown name is an *Error that is ErrUnknownServer.
func (f *File) Lookup(arg string) (Server, error) {
	if IsURL(arg) {
		if where := SecretInURL(arg); where != "" {
			return Server{}, secretError("", "url", 0, "the URL holds a secret: "+where)
		}
		for _, s := range f.servers {
			if s.Endpoint() == arg || s.URL == arg {
				return s, nil
			}
		}
		return Server{URL: arg}, nil
	}
	if s, ok := f.Entry(arg); ok {
		return s, nil
	}
	if p := LookupPreset(arg); p != nil {
		return p.Server(), nil
	}
	return Server{}, &Error{Problem: BadValue, Key: "name", Detail: "no server of this name", Err: ErrUnknownServer}
}
