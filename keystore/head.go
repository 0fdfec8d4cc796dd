package keystore

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A record in a keychain is a head entry under the record's name and, if it is
// too large for one entry, parts:
//
//	pacecraft             "bridge1 9f31c2aa 2 4410 <sha256>\n"
//	pacecraft#9f31c2aa.0  the first bytes
//	pacecraft#9f31c2aa.1  the rest
//
// A record that fits follows its head's newline, with zero parts. Parts belong
// to one generation and are never overwritten: a writer makes a new generation
// and then replaces the head, which is one step in every keychain. Until then
// the old head points at the old parts, which are still there.
type head struct {
	gen   string // eight hexadecimal digits; empty if there are no parts
	parts int
	size  int
	sum   [sha256.Size]byte
	rest  []byte // the record itself, if there are no parts
}

const headFormat = "bridge1 %s %d %d %x\n"

// headRoom is more than the first line of a head can take.
const headRoom = 128

func (h head) String() string {
	gen := h.gen
	if gen == "" {
		gen = "-"
	}
	return fmt.Sprintf(headFormat, gen, h.parts, h.size, h.sum) + string(h.rest)
}

func parseHead(entry string) (head, error) {
	line, rest, _ := strings.Cut(entry, "\n")
	var h head
	var sum string
	if _, err := fmt.Sscanf(line, "bridge1 %s %d %d %s", &h.gen, &h.parts, &h.size, &sum); err != nil {
		return head{}, fmt.Errorf("%w: not a record of bridge", ErrDamaged)
	}
	raw, err := hex.DecodeString(sum)
	if err != nil || copy(h.sum[:], raw) != len(h.sum) ||
		h.size < 0 || h.size > MaxRecord || h.parts < 0 || h.parts > MaxRecord {
		return head{}, fmt.Errorf("%w: not a record of bridge", ErrDamaged)
	}
	if h.gen == "-" {
		h.gen = ""
	}
	if h.parts == 0 {
		h.rest = []byte(rest)
	}
	return h, nil
}

// check returns value if it is the record that the head was written for.
func (h head) check(value []byte) ([]byte, error) {
	if len(value) != h.size || sha256.Sum256(value) != h.sum {
		return nil, ErrDamaged
	}
	return value, nil
}

// split makes the head and the parts of a record; no entry is larger than
// limit bytes.
func split(value []byte, limit int) (head, [][]byte) {
	h := head{size: len(value), sum: sha256.Sum256(value)}
	if len(value)+headRoom <= limit {
		h.rest = bytes.Clone(value)
		return h, nil
	}
	var parts [][]byte
	for len(value) > 0 {
		n := min(limit, len(value))
		parts = append(parts, value[:n])
		value = value[n:]
	}
	var gen [4]byte
	_, _ = rand.Read(gen[:])
	h.gen, h.parts = hex.EncodeToString(gen[:]), len(parts)
	return h, parts
}

func partName(entry, gen string, i int) string {
	return fmt.Sprintf("%s#%s.%d", entry, gen, i)
}

// entryName is the name of a record's head in the keychain. Credential Manager
// takes "A" and "a" for the same name and security(1) reads its commands from
// a line, so everything but a small alphabet is escaped.
func entryName(name string) string {
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789._-/:@"
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}
