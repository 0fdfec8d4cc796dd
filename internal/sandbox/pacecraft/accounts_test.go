package pacecraft

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTokenStandsForItsAccount(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	tok, secret, err := f.s.CreateToken(ctx, f.rani.ID, "Claude Desktop")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(secret, "pc_") || len(secret) < 25 {
		t.Errorf("secret %q", secret)
	}
	if a := must(f.s.Authenticate(ctx, secret))(t); a != f.rani {
		t.Errorf("stands for %+v", a)
	}
	// It reaches every workspace of the account.
	for _, w := range []Workspace{f.alfa, f.tea} {
		if r := f.call(w.ID, "list_spaces", `{}`); r.IsError {
			t.Errorf("%s: %s", w.Name, r.text())
		}
	}
	for _, wrong := range []string{"", "pc_", secret[:len(secret)-1], secret + "A", strings.ToLower(secret), "Bearer " + secret, strings.TrimPrefix(secret, "pc_"), tok.ID, "' OR 1=1 --"} {
		if !isUnauthorized(ctx, f.s, wrong) {
			t.Errorf("token %q was let in", wrong)
		}
	}
	list := must(f.s.Tokens(ctx, f.rani.ID))(t)
	if len(list) != 1 || list[0] != tok || tok.Label != "Claude Desktop" || tok.Hint != secret[len(secret)-4:] || !tok.CreatedAt.Equal(today) {
		t.Errorf("listed as %+v", list)
	}
	if _, _, err := f.s.CreateToken(ctx, "usr_x", ""); err == nil {
		t.Error("a token for nobody")
	}
}

// The message of a refusal says what it can be, and that it is not a login.
func TestUnauthorizedSaysWhy(t *testing.T) {
	for _, part := range []string{"tidak ada", "salah ketik", "dicabut", "Personal Access Token"} {
		if !strings.Contains(ErrUnauthorized.Error(), part) {
			t.Errorf("%q lacks %q", ErrUnauthorized, part)
		}
	}
}

// The access is gone at once, for this token and no other.
func TestRevokeToken(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	first, secret1, err := f.s.CreateToken(ctx, f.rani.ID, "a")
	_, secret2, err2 := f.s.CreateToken(ctx, f.rani.ID, "b")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for range 2 { // twice is no error and keeps the first date
		if err := f.s.RevokeToken(ctx, first.ID); err != nil {
			t.Fatal(err)
		}
		if !isUnauthorized(ctx, f.s, secret1) {
			t.Fatal("a revoked token was let in")
		}
		f.s.now = func() time.Time { return today.Add(time.Hour) }
	}
	if a := must(f.s.Authenticate(ctx, secret2))(t); a != f.rani {
		t.Errorf("the other token: %+v", a)
	}
	for _, tok := range must(f.s.Tokens(ctx, f.rani.ID))(t) {
		want := time.Time{}
		if tok.ID == first.ID {
			want = today
		}
		if !tok.RevokedAt.Equal(want) {
			t.Errorf("token %s revoked at %v, want %v", tok.Label, tok.RevokedAt, want)
		}
	}
	if err := f.s.RevokeToken(ctx, "pat_x"); !errors.Is(err, ErrNoToken) {
		t.Errorf("unknown token: %v", err)
	}
}

// The database's files hold the hash and never the token.
func TestTokenIsStoredAsHash(t *testing.T) {
	f := newFixture(t)
	_, secret, err := f.s.CreateToken(t.Context(), f.rani.ID, "a")
	if err != nil {
		t.Fatal(err)
	}
	var file string
	var hash string
	if err := f.db.QueryRowContext(t.Context(), "SELECT file, (SELECT hex(hash) FROM pc_tokens) FROM pragma_database_list WHERE name = 'main'").Scan(&file, &hash); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(secret))
	if want := hex.EncodeToString(sum[:]); !strings.EqualFold(hash, want) {
		t.Errorf("hash %s, want %s", hash, want)
	}
	var found bool
	for _, name := range []string{file, file + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(b), string(sum[:]))
		if strings.Contains(string(b), secret) || strings.Contains(string(b), secret[3:len(secret)-4]) {
			t.Errorf("the token is in %s", name)
		}
	}
	if !found {
		t.Error("the hash is in neither file; the test looked at the wrong ones")
	}
}

func TestOpenRefusesANewerSchema(t *testing.T) {
	f := newFixture(t)
	if _, err := f.db.ExecContext(t.Context(), "UPDATE pc_meta SET version = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), f.db, Options{}); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("got %v", err)
	}
}

// All tables carry the prefix: the database is shared.
func TestTablesArePrefixed(t *testing.T) {
	f := newFixture(t)
	var other, ours int
	err := f.db.QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE name NOT LIKE 'pc\_%' ESCAPE '\'), count(*) FILTER (WHERE name LIKE 'pc\_%' ESCAPE '\')
		FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'`).Scan(&other, &ours)
	if err != nil || other != 0 || ours < 9 {
		t.Errorf("%d foreign names, %d ours, %v", other, ours, err)
	}
}

// A pool of one connection is enough, also to write.
func TestOneConnectionIsEnough(t *testing.T) {
	f := newFixture(t)
	f.db.SetMaxOpenConns(1)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, tool := range []string{"list_spaces", "search_tasks", "list_docs", "list_activity"} {
		f.ok(tool, js(map[string]any{}), nil)
	}
	f.ok("update_doc", js(map[string]any{"docId": f.doc, "content": "x", "mode": "replace"}), nil)
	f.ok("update_doc", js(map[string]any{"docId": f.doc, "content": "x", "confirmed": true}), nil)
	if _, _, err := f.s.CreateToken(ctx, f.rani.ID, ""); err != nil {
		t.Fatal(err)
	}
}

// A canceled write leaves nothing, and gives its connection back in order.
func TestCanceledWriteLeavesNothing(t *testing.T) {
	f := newFixture(t)
	f.db.SetMaxOpenConns(1)
	before := f.stored()
	ctx, cancel := context.WithCancel(t.Context())
	err := f.s.write(ctx, func(tx *tx) error {
		if _, err := tx.doc(ctx, f.rani.ID, f.space.ID, "x", everyKind(t)); err != nil {
			return err
		}
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || f.stored() != before {
		t.Fatalf("after cancel: %v", err)
	}
	f.ok("update_doc", js(map[string]any{"docId": f.doc, "content": "x", "confirmed": true}), nil)
}
