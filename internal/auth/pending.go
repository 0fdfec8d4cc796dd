package auth

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bridge/internal/fsx"
	"bridge/keystore"
)

// A pending is a sign-in that waits for a person. It is a file, so that any
// process of the same user can finish it: hosts start several bridges and kill
// the first while the person is still typing.
type pending struct {
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Redirect string    `json:"redirect_uri"`
	Client   string    `json:"client_id"`
	Issuer   string    `json:"issuer"`
	MustIss  bool      `json:"iss_required"` // the server says that it sends iss
	Scope    string    `json:"scope"`
	Link     string    `json:"link"`
	Created  time.Time `json:"created"`
	Opened   time.Time `json:"opened,omitzero"` // in a browser
	Redeemed bool      `json:"redeemed,omitempty"`

	// Of a sign-in that failed only these are kept, so that another process
	// does not open the browser again at once.
	Ended   string    `json:"ended,omitempty"` // a word of endings, or failed
	EndedAt time.Time `json:"ended_at,omitzero"`
	Detail  string    `json:"detail,omitempty"`
}

const (
	// loginLimit is how long a sign-in may take.
	loginLimit = 5 * time.Minute
	// reopenAfter is when a pending sign-in that is taken over is shown in the
	// browser again. Before, the page that is open there will do.
	reopenAfter = 2 * time.Minute
	// endedFor is how long a sign-in that failed keeps other processes from
	// beginning one of their own accord.
	endedFor = time.Minute
)

func (s *Session) pendingPath() string { return filepath.Join(s.dir, "pending.json") }

// readPending returns the pending sign-in, or nil. One that cannot be read is
// none.
func (s *Session) readPending() *pending {
	text, err := fsx.ReadFile(s.pendingPath(), 64<<10)
	if err != nil {
		return nil
	}
	var p pending
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	return &p
}

// live reports whether the sign-in can still be finished.
func (p *pending) live(now time.Time) bool {
	return p != nil && p.Ended == "" && !p.Redeemed && p.State != "" && p.Verifier != "" &&
		now.Sub(p.Created) < loginLimit && now.After(p.Created.Add(-time.Minute))
}

// An ending is how a sign-in can fail, and its word in the file.
type ending struct {
	word string
	kind error
}

func endings() [6]ending {
	return [...]ending{
		{"denied", ErrDenied}, {"timeout", ErrTimeout}, {"unsafe", ErrUnsafe}, {"no-oauth", ErrNoOAuth}, {"no-client", ErrNoClient},
		{"port-taken", ErrPortTaken},
	}
}

// failed returns how the last sign-in ended, if that was at or after since.
func (p *pending) failed(since time.Time) error {
	if p == nil || p.Ended == "" || p.EndedAt.Before(since) {
		return nil
	}
	kind := ErrSignInNeeded // what a later version has a word for, or none of ours
	for _, e := range endings() {
		if e.word == p.Ended {
			kind = e.kind
		}
	}
	return &Error{Kind: kind, Detail: p.Detail}
}

func (s *Session) writePending(p *pending) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return fsx.WriteFile(s.pendingPath(), text)
}

func (s *Session) removePending() {
	if err := os.Remove(s.pendingPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Debug("the pending sign-in could not be removed", "err", err)
	}
}

// endPending notes that a sign-in failed.
func (s *Session) endPending(err error) {
	p := &pending{Ended: "failed", EndedAt: s.now()} // for a reason of this process or machine
	for _, end := range endings() {
		if errors.Is(err, end.kind) {
			p.Ended = end.word
			break
		}
	}
	var e *Error
	if errors.As(err, &e) {
		p.Detail = e.Detail
	}
	if err := s.writePending(p); err != nil {
		s.log.Debug("the end of the sign-in could not be noted", "err", err)
	}
}

func (p *pending) verifier() keystore.Secret { return keystore.NewSecret(p.Verifier) }
