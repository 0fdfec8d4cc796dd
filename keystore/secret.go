package keystore

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"unicode/utf8"
)

const redacted = "[redacted]"

// A Secret is text that does not print itself: fmt, log/slog and encoding/json
// all show a mark in its place. The text is reached by Reveal alone. The zero
// value is the empty secret.
//
// It holds a pointer because fmt prints unexported fields of other structs
// without asking their methods; of a pointer it prints the address.
type Secret struct{ text *string }

// NewSecret returns text as a Secret.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero tells whether the secret is empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Equal compares in a time that depends on the lengths only.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// Last4 returns the last four characters, by which a person recognises a token,
// or "" if they would be more than a quarter of it.
func (s Secret) Last4() string {
	text := s.Reveal()
	if utf8.RuneCountInString(text) < 16 {
		return ""
	}
	end := len(text)
	for range 4 {
		_, size := utf8.DecodeLastRuneInString(text[:end])
		end -= size
	}
	return text[end:]
}

// String redacts.
func (s Secret) String() string { return redacted }

// GoString redacts.
func (s Secret) GoString() string { return redacted }

// Format redacts, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue redacts.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON redacts.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText redacts.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
