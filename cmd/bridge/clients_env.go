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

// strangerTo reports which of the variables that decide where servers and
// secrets are this process has and an entry has not, or has otherwise: what the
// entry starts then finds something else than what is found here.
func strangerTo(e clients.Entry, here []clients.Variable) string {
	for _, v := range here {
		switch v.Name {
		case "BRIDGE_HOME", "BRIDGE_KEYSTORE", "BRIDGE_PASSPHRASE_FILE", "BRIDGE_KEY_FILE":
			if e.Env[v.Name] != v.Value {
				return v.Name
			}
		}
	}
	return ""
}

// launchEnv is what a client has to give to `bridge serve` so that it finds
// what this process finds: those of our own variables that name a path or a
// choice. A client on the desktop does not have what a shell has set. Secrets
// are not among them, and where one is in use, what to do instead is said. list
// are the servers in question; nil if their tokens are on the way to the
// keystore.
func (a *app) launchEnv(file *servers.File, list []servers.Server) ([]clients.Variable, error) {
	out, odd, err := variablesHere(file, list != nil)
	if err != nil {
		return nil, err
	}
	for _, name := range odd {
		a.note(say.T("%s is left out of the entry, because its value is neither a path nor a choice that bridge knows", name))
	}
	if secrets, err := openStore(file.Keystore(), false); err == nil && secrets.Kind() == keystore.File && os.Getenv("BRIDGE_PASSPHRASE") != "" {
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

// variablesHere are those of launchEnv, and the names of those whose values
// cannot be written. tokens: the file with a token is among them.
func variablesHere(file *servers.File, tokens bool) (out []clients.Variable, odd []string, err error) {
	secrets, err := openStore(file.Keystore(), false)
	if err != nil {
		return nil, nil, err
	}
	sealed := secrets.Kind() == keystore.File
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
			if !tokens {
				continue
			}
			v.Value, _ = filepath.Abs(v.Value)
		case "BRIDGE_LANG":
			v.Value = string(say.Language())
		case "BRIDGE_KEYSTORE":
			v.Value = secrets.Kind().String()
		}
		if v.Check() != nil {
			odd = append(odd, name)
			continue
		}
		out = append(out, v)
	}
	return out, odd, nil
}
