//go:build secretservice

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestKeychainScripts runs the scripts in testdata/keychain against the Secret
// Service of the session that .ci/stage-keychain.sh opened.
func TestKeychainScripts(t *testing.T) { runKeychainScripts(t, "testdata/keychain") }

// TestLockedKeychain is the same with the login keyring locked, and nobody
// there to unlock it.
func TestLockedKeychain(t *testing.T) { runKeychainScripts(t, "testdata/keychain-locked") }

func runKeychainScripts(t *testing.T, dir string) {
	p := scriptParams(filepath.FromSlash(dir))
	p.Setup = func(e *testscript.Env) error {
		for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"} {
			e.Setenv(name, os.Getenv(name))
		}
		return quietHome(e)
	}
	p.Cmds["keyring"] = cmdKeyring
	testscript.Run(t, p)
}

// cmdKeyring is `keyring COUNT [TEXT]`: the login keyring holds so many entries,
// and TEXT is in one of them.
func cmdKeyring(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: keyring COUNT [TEXT]")
	}
	const name = "org.freedesktop.secrets"
	conn, err := dbus.ConnectSessionBus()
	ts.Check(err)
	defer conn.Close()
	value, err := conn.Object(name, "/org/freedesktop/secrets/collection/login").
		GetProperty("org.freedesktop.Secret.Collection.Items")
	ts.Check(err)
	items, _ := value.Value().([]dbus.ObjectPath)
	if strconv.Itoa(len(items)) != args[0] {
		ts.Fatalf("the keyring holds %d entries, want %s", len(items), args[0])
	}
	if len(args) == 1 {
		return
	}
	var none dbus.Variant
	var session dbus.ObjectPath
	ts.Check(conn.Object(name, "/org/freedesktop/secrets").
		Call("org.freedesktop.Secret.Service.OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&none, &session))
	for _, item := range items {
		var secret struct {
			Session     dbus.ObjectPath
			Parameters  []byte
			Value       []byte
			ContentType string
		}
		ts.Check(conn.Object(name, item).Call("org.freedesktop.Secret.Item.GetSecret", 0, session).Store(&secret))
		if bytes.Contains(secret.Value, []byte(args[1])) {
			return
		}
	}
	ts.Fatalf("the text is in no entry of the keyring")
}
