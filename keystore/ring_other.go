//go:build !linux && !darwin && !windows

package keystore

const entryLimit = 2400

// systemRing is no keychain at all: nobody has tried bridge on this system's.
type systemRing struct{}

func (systemRing) ready(bool) error                   { return ErrUnavailable }
func (systemRing) get(string, string) (string, error) { return "", ErrUnavailable }
func (systemRing) set(string, string, string) error   { return ErrUnavailable }
func (systemRing) delete(string, string) error        { return ErrUnavailable }
