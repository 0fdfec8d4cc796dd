package main

import (
	"os"
	"path/filepath"

	"bridge/internal/clients"
	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

// launchEnv is what a client has to give to `bridge serve` so that it finds
// what this process finds: those of our own variables that name a path or a
// choice. A client on the desktop does not have what a shell has set. Secrets
// are not among them, and where one is in use, what to do instead is said. list
// are the servers in question; nil if their tokens are on the way to the
// keystore.
func (a *app) launchEnv(file *servers.File, list []servers.Server) ([]clients.Variable, error) {
	secrets, err := openStore(file.Keystore(), false)
	if err != nil {
		return nil, err
	}
	sealed := secrets.Kind() == keystore.File
	var out []clients.Variable
	for _, name := range clients.VariableNames() {
		v := clients.Variable{Name: name, Value: os.Getenv(name)}
		if v.Value == "" {
			continue
		}
		switch name {
		case "BRIDGE_HOME":
			usual, err := fsx.DefaultHome()
			if v.Value, _ = filepath.Abs(v.Value); err == nil && v.Value == usual {
				continue
			}
		case "BRIDGE_PASSPHRASE_FILE", "BRIDGE_KEY_FILE":
			if !sealed {
				continue
			}
			v.Value, _ = filepath.Abs(v.Value)
		case "BRIDGE_TOKEN_FILE":
			if list == nil {
				continue
			}
			v.Value, _ = filepath.Abs(v.Value)
		case "BRIDGE_LANG":
			v.Value = string(say.Language())
		case "BRIDGE_KEYSTORE":
			v.Value = secrets.Kind().String()
		}
		if v.Check() != nil {
			a.note(say.T("%s is left out of the entry, because its value is neither a path nor a choice that bridge knows", name))
			continue
		}
		out = append(out, v)
	}
	if sealed && os.Getenv("BRIDGE_PASSPHRASE") != "" {
		a.note(say.T("the passphrase in BRIDGE_PASSPHRASE is not written into a client's file, and without it the client's bridge cannot open the sealed file; put it into a file that only you can read, name that in BRIDGE_PASSPHRASE_FILE, and run this again"))
	}
	for _, s := range list {
		f := &finder{server: s, getenv: os.LookupEnv}
		if from, name := f.origin(); from == fromVariable {
			a.note(say.T("the token in %s is not written into a client's file, and the client's bridge does not see it; keep it with `bridge login %s --with-token`, or name a file with it in BRIDGE_TOKEN_FILE", name, s.Name))
		}
	}
	return out, nil
}
