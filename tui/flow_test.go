package tui

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	_ "github.com/ncruces/go-sqlite3/driver"

	"bridge/internal/cards"
	"bridge/internal/sandbox/nibomo"
)

// A desk is a learner at a screen: the model on a session on the sandbox's
// service, without terminal and network.
type desk struct {
	t   *testing.T
	svc *nibomo.Service
	s   *cards.Session
	m   *model
	ws  string

	mu   sync.Mutex
	now  time.Time
	down error
}

func (d *desk) CallTool(ctx context.Context, name string, args any) (cards.Reply, error) {
	if d.down != nil {
		return cards.Reply{}, d.down
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return cards.Reply{}, err
	}
	res, rpcErr := d.svc.Call(ctx, nibomo.Connection{ID: "one"}, name, raw)
	if rpcErr != nil {
		return cards.Reply{}, rpcErr
	}
	var out struct {
		Content []struct{ Text string }
		IsError bool
	}
	err = json.Unmarshal(res, &out)
	return cards.Reply{Text: out.Content[0].Text, IsError: out.IsError}, err
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	d.now = d.now.Add(by)
	d.mu.Unlock()
	d.rest()
}

func newDesk(t *testing.T, fronts ...string) *desk {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "cards.db")+"?_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d := &desk{t: t, now: fixedNow()}
	if d.svc, err = nibomo.Open(t.Context(), db, nibomo.Options{Now: d.clock, NoFuzz: true}); err != nil {
		t.Fatal(err)
	}
	list, err := cards.Workspaces(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	d.ws = list[0].ID
	for i, front := range fronts {
		d.now = d.now.Add(time.Second)
		if _, err := cards.Add(t.Context(), d, d.ws, cards.Draft{Front: front, Back: "back of " + front, Tags: []string{fmt.Sprintf("tag%d", i%2)}}); err != nil {
			t.Fatal(err)
		}
	}
	box, err := cards.OpenOutbox(filepath.Join(t.TempDir(), "outbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	d.s = cards.New(cards.Options{Caller: d, Outbox: box, Workspace: d.ws, Hold: cards.DefaultHold, Zone: "Asia/Jakarta", Now: d.clock})
	d.m = newModel(t.Context(), d.s, Options{Now: d.clock, Workspace: list[0].Name, Edit: func(ctx context.Context, path string) (*exec.Cmd, error) {
		return exec.CommandContext(ctx, "true", path), nil
	},
		OpenURL: func(string) error { return nil }})
	d.rest()
	return d
}

// rest lets the session do its work and the screen see it.
func (d *desk) rest() {
	for range 100 {
		if did, _ := d.s.Step(d.t.Context()); !did {
			d.m.Update(changedMsg{})
			return
		}
	}
	d.t.Fatal("the session does not come to rest")
}

// press types keys; words in <> are named keys. It returns what the last one
// asks to be done.
func (d *desk) press(keys string) (cmd tea.Cmd) {
	d.t.Helper()
	for _, name := range regexp.MustCompile(`<[a-z]+>|.`).FindAllString(keys, -1) {
		k := tea.Key{Text: name, Code: []rune(name)[0]}
		switch name {
		case "<space>":
			k = tea.Key{Text: " ", Code: tea.KeySpace}
		case "<enter>":
			k = tea.Key{Code: tea.KeyEnter}
		case "<esc>":
			k = tea.Key{Code: tea.KeyEscape}
		case "<down>":
			k = tea.Key{Code: tea.KeyDown}
		}
		_, cmd = d.m.Update(tea.KeyPressMsg(k))
		d.rest()
	}
	return cmd
}

// do runs what a key asked for, and gives its message to the model.
func (d *desk) do(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		d.t.Fatal("the key asks for nothing")
	}
	d.m.Update(cmd())
	d.rest()
}

func (d *desk) sees(want ...string) {
	d.t.Helper()
	text := ansi.Strip(strings.Join(d.m.screen(), "\n"))
	for _, w := range want {
		if !strings.Contains(text, w) {
			d.t.Fatalf("not on the screen: %q\n%s", w, text)
		}
	}
}

func (d *desk) reviews() (n int) {
	d.t.Helper()
	res, err := d.CallTool(d.t.Context(), "sql_query", map[string]any{"sql": "SELECT COUNT(*) AS n FROM review_events", "workspaceId": d.ws})
	if err != nil {
		d.t.Fatal(err)
	}
	var e struct {
		Data struct{ Rows []struct{ N int } }
	}
	if err := json.Unmarshal([]byte(res.Text), &e); err != nil {
		d.t.Fatal(err)
	}
	return e.Data.Rows[0].N
}

// TestReviewByKeys is a whole sitting of somebody who knows Anki.
func TestReviewByKeys(t *testing.T) {
	d := newDesk(t, "one", "two", "three")
	d.sees("one", "3 new", "space shows the answer", "0/3")
	d.press("3")
	d.sees("First the answer: press space.")
	d.press("<space>")
	d.sees("back of one", "1 Again <1m", "2 Hard 6m", "3 Good 10m", "4 Easy ")
	d.press("<space>")
	d.sees("two", "2 new", "Good  u takes it back (5 s)", "1/3")
	d.press("u")
	d.sees("back of one", "Taken back", "0/3")
	d.press("4")
	d.sees("two", "Easy  u takes it back")
	if n := d.reviews(); n != 0 {
		t.Errorf("%d sent while it can be taken back", n)
	}
	d.pass(5 * time.Second)
	d.sees("✓ Easy: next in 8 days")
	d.press("u")
	d.sees("Too late")
	d.press("<space>1<space>2")
	d.sees("Done for now.", "3 cards in", "67 % remembered", "u takes it back")
	d.pass(5 * time.Second)
	d.sees("✓ Hard: next in 6 minutes", "Next due in 1 minute")
	if n := d.reviews(); n != 3 {
		t.Errorf("the server has %d", n)
	}
	d.pass(2 * time.Minute)
	d.press("<space>")
	d.sees("two", "1 learning")
	if cmd := d.press("q"); cmd == nil {
		t.Error("q does not leave")
	}
}

func TestOfflineByKeys(t *testing.T) {
	d := newDesk(t, "one", "two", "three")
	d.down = errors.New("no route to host")
	d.press("<space>3<space>3")
	d.pass(5 * time.Second)
	d.sees("No connection: 2 grades kept here", "three")
	d.down = nil
	d.pass(time.Minute)
	if n := d.reviews(); n != 2 {
		t.Errorf("the server has %d", n)
	}
	d.sees("✓ Good: next in 10 minutes")
}

func TestPickByKeys(t *testing.T) {
	d := newDesk(t, "one", "two", "three")
	d.do(d.press("/"))
	d.sees("All cards", "# tag0  (2)", "# tag1  (1)")
	d.press("tag1<enter>")
	d.sees("two", "1 new", "tag1")
	d.do(d.press("/"))
	d.press("nonsense")
	d.sees("Nothing has that in its name.")
	d.press("<esc>")
	d.sees("two")
	d.do(d.press("/"))
	d.press("<enter>")
	d.sees("one", "3 new")
}

func TestPanelsByKeys(t *testing.T) {
	d := newDesk(t, "one")
	d.press("?")
	d.sees("Keys", "take the last grade back")
	d.press("<space>i")
	d.sees("Kind: new.", "Tags: tag0.")
	d.press("<esc>t")
	d.sees("# tag0")
	d.press("q")
	d.sees("space shows the answer")
	d.press("o")
	d.sees("No picture")
}

func TestEditByKeys(t *testing.T) {
	d := newDesk(t, "one", "two")
	card := d.m.v.Card
	edit := func(text string) {
		t.Helper()
		d.m.Update(editedMsg{card: card.ID, old: card.Draft(), text: text})
	}
	whole := editText(card.Draft())
	edit(whole)
	d.sees("Nothing was changed.")
	edit("no lines")
	d.sees("the lines with === have to stay")
	edit(strings.Replace(whole, "one\n", "It's one?\n", 1))
	d.sees("UPDATE cards SET front_text = 'It''s one?'", "y: yes, n: no")
	d.press("n")
	d.sees("Nothing was changed.", "one")
	edit(strings.Replace(whole, "one\n", "It's one?\n", 1))
	d.do(d.press("y"))
	d.sees("Changed.", "It's one?")
	edit(strings.Replace(whole, "one\n", "\n", 1))
	d.sees("! the front is empty")
	d.press("y")
	d.sees("Nothing was changed: the front is empty.")
	// The folder that the card lay in goes with the editor.
	if cmd := d.press("e"); cmd == nil {
		t.Error("e asks for nothing")
	}
}

func TestClicks(t *testing.T) {
	d := newDesk(t, "one", "two")
	d.m.Update(tea.MouseClickMsg{X: 30, Y: 5, Button: tea.MouseLeft})
	d.rest()
	d.sees("back of one")
	d.m.Update(tea.MouseClickMsg{X: 70, Y: 22, Button: tea.MouseLeft})
	d.rest()
	d.sees("two", "Easy  u takes it back")
	d.m.Update(tea.MouseClickMsg{X: 70, Y: 22, Button: tea.MouseRight})
	d.sees("space shows the answer")
}

// TestDigits: the four grades on any keyboard.
func TestDigits(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys [4]tea.Key
	}{
		{"US", [4]tea.Key{{Code: '1', Text: "1"}, {Code: '2', Text: "2"}, {Code: '3', Text: "3"}, {Code: '4', Text: "4"}}},
		{"French", [4]tea.Key{{Code: '&', Text: "&"}, {Code: 'é', Text: "é"}, {Code: '"', Text: "\""}, {Code: '\'', Text: "'"}}},
		{"Arabic", [4]tea.Key{{Code: '١', Text: "١"}, {Code: '٢', Text: "٢"}, {Code: '٣', Text: "٣"}, {Code: '٤', Text: "٤"}}},
		{"Czech, told by the terminal", [4]tea.Key{{Code: '+', BaseCode: '1', Text: "+"}, {Code: 'ě', BaseCode: '2', Text: "ě"}, {Code: 'š', BaseCode: '3', Text: "š"}, {Code: 'č', BaseCode: '4', Text: "č"}}},
		{"keypad", [4]tea.Key{{Code: tea.KeyKp1}, {Code: tea.KeyKp2}, {Code: tea.KeyKp3}, {Code: tea.KeyKp4}}},
		{"full width", [4]tea.Key{{Code: '１', Text: "１"}, {Code: '２', Text: "２"}, {Code: '３', Text: "３"}, {Code: '４', Text: "４"}}},
	} {
		for i, k := range tt.keys {
			if got := actionOf(k); got != actAgain+action(i) {
				t.Errorf("%s: %q is %d", tt.name, k.Text, got)
			}
		}
	}
	for _, k := range []tea.Key{{Code: '5', Text: "5"}, {Code: '0', Text: "0"}, {Code: 'x', Text: "x"}, {Code: '1', Mod: tea.ModAlt}} {
		if got := actionOf(k); got != actNone {
			t.Errorf("%q is %d", k.Text, got)
		}
	}
	if got := actionOf(tea.Key{Code: 'г', BaseCode: 'u', Text: "г"}); got != actUndo {
		t.Errorf("u on a Russian keyboard is %d", got)
	}
}

// TestProgram runs the real program once, from the first byte to the last.
func TestProgram(t *testing.T) {
	d := newDesk(t, "one")
	in, type_, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.CreateTemp(t.TempDir(), "screen")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := type_.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := Run(ctx, d.s, Options{In: in, Out: out, Env: []string{"TERM=xterm-256color"}, Now: d.clock}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[?1049h", "\x1b[?1049l"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q was not written", want)
		}
	}
}
