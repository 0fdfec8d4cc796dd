//go:build unix

package clients

import (
	"errors"
	"os"
	"testing"
)

func TestForeignFile(t *testing.T) {
	path := config(t, `{}`)
	mine := os.Geteuid()
	if err := checkOwner(path, mine); err != nil {
		t.Errorf("one's own: %v", err)
	}
	if err := checkOwner(path, mine+1); !errors.Is(err, ErrForeign) {
		t.Errorf("another's: %v, want ErrForeign", err)
	}
	if err := checkOwner(path, 0); err != nil {
		t.Errorf("root: %v", err)
	}
}
