package keystore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

// entryLimit is our own: Secret Service states none, but slows down with size.
const entryLimit = 16 << 10

// Names of the Secret Service API, freedesktop.org Secret Service 0.2.
const (
	secretsName     = "org.freedesktop.secrets"
	secretsPath     = "/org/freedesktop/secrets"
	loginCollection = "/org/freedesktop/secrets/collection/login"
	defaultAlias    = "/org/freedesktop/secrets/aliases/default"
)

// systemRing is the Secret Service.
type systemRing struct{}

// ready looks at the collection that go-keyring will use, over the connection
// it will use. go-keyring itself asks to unlock whatever is locked and then
// waits for the answer for ever.
func (systemRing) ready(prompt bool) error {
	if !busKnown() {
		return fmt.Errorf("%w: there is no D-Bus session", ErrUnavailable)
	}
	conn, err := dbus.SessionBus()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	all, err := conn.Object(secretsName, secretsPath).GetProperty("org.freedesktop.Secret.Service.Collections")
	if err != nil {
		return busError(err)
	}
	var path dbus.ObjectPath = defaultAlias
	if paths, ok := all.Value().([]dbus.ObjectPath); ok && slices.Contains(paths, loginCollection) {
		path = loginCollection
	}
	locked, err := conn.Object(secretsName, path).GetProperty("org.freedesktop.Secret.Collection.Locked")
	if err != nil {
		if err = busError(err); errors.Is(err, ErrUnavailable) {
			return fmt.Errorf("%w: the Secret Service has no default keyring", ErrUnavailable)
		}
		return err
	}
	if is, ok := locked.Value().(bool); ok && is && !prompt {
		return ErrLocked
	}
	return nil
}

// busKnown tells whether there is a session bus to connect to. Without one,
// godbus would start a daemon of its own, which nobody ends.
func busKnown() bool {
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" && a != "autolaunch:" {
		return true
	}
	dir := "/run/user/" + strconv.Itoa(os.Getuid())
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func (r systemRing) get(service, user string) (string, error) {
	value, err := keyring.Get(service, user)
	return value, r.sentinel(err)
}

func (r systemRing) set(service, user, value string) error {
	return r.sentinel(keyring.Set(service, user, value))
}

func (r systemRing) delete(service, user string) error {
	return r.sentinel(keyring.Delete(service, user))
}

func (r systemRing) sentinel(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLarge
	}
	err = busError(err)
	// A prompt that was dismissed, or that could not be shown, is reported in
	// no particular way; what it was for is still locked.
	if errors.Is(err, ErrUnavailable) && errors.Is(r.ready(false), ErrLocked) {
		return fmt.Errorf("%w: it was not unlocked", ErrLocked)
	}
	return err
}

func busError(err error) error {
	if e, ok := errors.AsType[dbus.Error](err); ok {
		switch e.Name {
		case "org.freedesktop.Secret.Error.IsLocked":
			return ErrLocked
		case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
			return fmt.Errorf("%w: no Secret Service runs in this session", ErrUnavailable)
		case "org.freedesktop.DBus.Error.NoReply":
			return fmt.Errorf("%w: the Secret Service went away", ErrUnavailable)
		case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut":
			return ErrTimeout
		case "org.freedesktop.DBus.Error.LimitsExceeded":
			return ErrTooLarge
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
