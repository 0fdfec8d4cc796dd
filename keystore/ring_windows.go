package keystore

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
	"golang.org/x/sys/windows"
)

// entryLimit is a little below CRED_MAX_CREDENTIAL_BLOB_SIZE, 5 × 512 bytes.
const entryLimit = 2400

// systemRing is Credential Manager.
type systemRing struct{}

// ready knows nothing before it tries. Credential Manager is unlocked with the
// session.
func (systemRing) ready(bool) error { return nil }

func (systemRing) get(service, user string) (string, error) {
	value, err := keyring.Get(service, user)
	return value, sentinel(err)
}

func (systemRing) set(service, user, value string) error {
	return sentinel(keyring.Set(service, user, value))
}

func (systemRing) delete(service, user string) error {
	return sentinel(keyring.Delete(service, user))
}

func sentinel(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound), errors.Is(err, windows.ERROR_NOT_FOUND):
		return ErrNotFound
	case errors.Is(err, keyring.ErrSetDataTooBig),
		errors.Is(err, windows.Errno(1783)): // RPC_X_BAD_STUB_DATA: a blob over the limit
		return ErrTooLarge
	case errors.Is(err, windows.ERROR_NO_SUCH_LOGON_SESSION):
		return fmt.Errorf("%w: a network logon has no Credential Manager", ErrUnavailable)
	}
	return fmt.Errorf("%w: Credential Manager: %w", ErrUnavailable, err)
}
