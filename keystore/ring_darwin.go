package keystore

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/zalando/go-keyring"
)

// entryLimit leaves room for names and base64 in the 4,096 bytes that
// security(1) takes on a line. go-keyring checks as well, but leaves the
// security process waiting when it refuses.
const entryLimit = 2400

// systemRing is the login keychain, through security(1).
type systemRing struct{}

// ready knows nothing before it tries: asking whether the keychain is locked
// opens the same dialog as unlocking it.
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

// sentinel reads the exit code of security(1), which is the low byte of the
// OSStatus of Security.framework (SecBase.h).
func sentinel(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNotFound
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLarge
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		switch e.ExitCode() {
		case 44: // errSecItemNotFound, -25300
			return ErrNotFound
		case 36: // errSecInteractionNotAllowed, -25308: locked, and no screen to ask on
			return fmt.Errorf("%w: no dialog can be shown in this session", ErrLocked)
		case 51: // errSecAuthFailed, -25293
			return fmt.Errorf("%w: access was denied", ErrLocked)
		case 128: // errSecUserCanceled, -128
			return fmt.Errorf("%w: the dialog was cancelled", ErrLocked)
		case 37: // errSecNoDefaultKeychain, -25307
			return fmt.Errorf("%w: there is no default keychain", ErrUnavailable)
		}
	}
	return fmt.Errorf("%w: security: %w", ErrUnavailable, err)
}
