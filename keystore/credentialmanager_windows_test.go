//go:build credentialmanager

package keystore

import (
	"errors"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// TestCredentialManager writes into the Credential Manager of whoever runs it,
// under the service name of a home of its own, and leaves nothing there. The
// build tag is there because nobody's keychain is touched unasked.
func TestCredentialManager(t *testing.T) {
	t.Setenv("BRIDGE_HOME", t.TempDir())
	t.Setenv("BRIDGE_KEYSTORE", "keychain")
	open := func(t *testing.T) *Store {
		return mustOpen(t, Options{Kind: Keychain, Timeout: 30 * time.Second})
	}
	wantCredentials(t, 0)
	suite(t, open)
	processSuite(t, open)
	wantCredentials(t, 0)

	// One entry holds 2,560 bytes there, so a longer record is a head and parts.
	s := open(t)
	if err := s.Set(t.Context(), "long", pattern(6<<10, 1)); err != nil {
		t.Fatal(err)
	}
	wantCredentials(t, 1+3)
	if err := (systemRing{}).set("bridge-test", "too long", string(pattern(2561, 1))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an entry over the limit: %v, want ErrTooLarge", err)
	}
	if err := s.Delete(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	wantCredentials(t, 0)
}

// wantCredentials counts the entries of this BRIDGE_HOME with CredEnumerateW.
func wantCredentials(t *testing.T, want int) {
	t.Helper()
	service, err := serviceName()
	if err != nil {
		t.Fatal(err)
	}
	filter, err := windows.UTF16PtrFromString(service + ":*")
	if err != nil {
		t.Fatal(err)
	}
	advapi := windows.NewLazySystemDLL("advapi32.dll")
	var count uint32
	var list uintptr
	ok, _, err := advapi.NewProc("CredEnumerateW").Call(uintptr(unsafe.Pointer(filter)), 0,
		uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&list)))
	if ok == 0 && !errors.Is(err, windows.ERROR_NOT_FOUND) {
		t.Fatal(err)
	}
	if ok != 0 {
		defer func() { _, _, _ = advapi.NewProc("CredFree").Call(list) }()
	}
	if int(count) != want {
		t.Errorf("Credential Manager holds %d entries of ours, want %d", count, want)
	}
}
