package tui

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"bridge/internal/cards"
	"bridge/internal/fsrs"
	"bridge/internal/say"
)

var update = flag.Bool("update", false, "rewrite the expected screens in testdata and docs")

// TestMain fixes language and time zone, which screens depend on.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("BRIDGE_LANG") == "" || os.Getenv(secondRun) == "" {
		os.Setenv("BRIDGE_LANG", "en")
	}
	time.Local = time.FixedZone("WIB", 7*3600)
	os.Exit(m.Run())
}

// secondRun marks the process that runs the screens in the other language.
const secondRun = "BRIDGE_TEST_SECOND_RUN"

func fixedNow() time.Time { return time.Date(2026, 11, 30, 14, 5, 0, 0, time.UTC) }

// A scene is a state to draw.
type scene struct {
	name string
	make func(m *model)
}

func card(front, back string, phase fsrs.Phase, tags ...string) cards.Card {
	c := cards.Card{ID: "515724c2-0000-4000-8000-000000000001", Front: front, Back: back, HasBack: true, Known: true, Tags: tags,
		Created: fixedNow().AddDate(0, -2, 0), State: fsrs.State{Phase: phase}}
	if phase != fsrs.New {
		c.State = fsrs.State{Phase: phase, Stability: 10.97, Difficulty: 5.1, LastReview: fixedNow().Add(-11 * 24 * time.Hour), ScheduledDays: 11, Reps: 5, Lapses: 1}
	}
	return c
}

func previews() *[4]cards.Preview {
	return &[4]cards.Preview{{Interval: time.Minute}, {Interval: 6 * time.Minute}, {Interval: 10 * time.Minute}, {Interval: 8 * 24 * time.Hour, About: true}}
}

func longPreviews() *[4]cards.Preview {
	day := 24 * time.Hour
	return &[4]cards.Preview{{Interval: 10 * time.Minute}, {Interval: 25 * day, About: true}, {Interval: 46 * day, About: true}, {Interval: 800 * day, About: true}}
}

// showing is a scene with a card.
func showing(m *model, phase cards.Phase, c cards.Card) {
	m.v.Phase, m.v.Card, m.v.Previews = phase, c, previews()
	m.v.Counted, m.v.Counts = true, cards.Counts{New: 12, Learning: 11, Due: 5}
	m.v.Grades, m.v.Elapsed = [4]int{1, 0, 6, 2}, 85*time.Second
}

const longBack = "**CAP**: of three, two.\n\n- Consistency: every read sees the last write\n- Availability: every request gets an answer\n- Partition tolerance: it works although messages are lost\n\n> A network that never partitions is not on offer.\n\n```go\nif partitioned {\n\treturn ErrUnavailable // or an old value\n}\n```\n\n| system | gives up |\n|---|---|\n| etcd | availability |\n| DNS | consistency |\n\n1. Brewer, 2000\n2. Gilbert and Lynch, 2002\n\nSee [the paper](https://example.com/cap)."

func scenes() []scene {
	kucing := card("Apa arti **kucing**?", "cat\n\n*Kucing itu tidur di bawah meja.*\nThe cat sleeps under the table.", fsrs.New, "indonesia", "kosakata")
	answer := func(m *model) { showing(m, cards.Answer, kucing) }
	return []scene{
		{"loading", func(*model) {}},
		{"loading-leftover", func(m *model) { m.v.Waiting, m.v.Unsent = 3, 3 }},
		{"unreachable", func(m *model) { m.v.Problem, m.v.Unsent = errors.New("cannot reach mcp.nibomo.com: no such host"), 2 }},
		{"question", func(m *model) { showing(m, cards.Question, kucing) }},
		{"question-bare", func(m *model) {
			showing(m, cards.Question, cards.Card{ID: "x", Front: "What is the half-life of carbon-14?"})
			m.v.Previews, m.v.Counted, m.v.Counts, m.v.Grades = nil, false, cards.Counts{}, [4]int{}
		}},
		{"question-waits", func(m *model) {
			showing(m, cards.Question, cards.Card{ID: "x", Front: "one"})
			m.v.Revealing = true
		}},
		{"question-held", func(m *model) {
			showing(m, cards.Question, kucing)
			m.v.HeldFor, m.v.Unsent, m.v.Last = 4*time.Second, 1, &cards.Result{Rating: fsrs.Good}
		}},
		{"question-told", func(m *model) {
			showing(m, cards.Question, card("ما معنى كلمة **مكتبة**؟", "library", fsrs.Review, "arabic"))
			m.v.Last = &cards.Result{Rating: fsrs.Good, Told: true, Recorded: cards.Recorded{Interval: 13 * 24 * time.Hour}}
		}},
		{"answer", answer},
		{"answer-review", func(m *model) {
			showing(m, cards.Answer, card("How do you read 図書館?", "としょかん\n\nlibrary 📚", fsrs.Review, "japanese"))
			m.v.Previews, m.o.Workspace = longPreviews(), "Bahasa"
			m.v.Filter.Label = "Asian scripts"
		}},
		{"answer-long", func(m *model) { showing(m, cards.Answer, card("What does CAP say?", longBack, fsrs.Learning)) }},
		{"answer-long-end", func(m *model) {
			showing(m, cards.Answer, card("What does CAP say?", longBack, fsrs.Learning))
			m.scroll = 1 << 20
		}},
		{"answer-rtl", func(m *model) {
			showing(m, cards.Answer, card("ما معنى كلمة **مكتبة**؟", "library, bookshop\n\n*maktaba*, من الجذر ك-ت-ب\n\nהספרייה גדולה", fsrs.Review))
		}},
		{"answer-maths", func(m *model) {
			showing(m, cards.Answer, card(`$\int_{-\infty}^{\infty} e^{-x^2}\,dx$`, "$\\sqrt{\\pi}$\n\n$$\n\\frac{a+b}{2} \\ge \\sqrt{ab}\n$$\n\n$$\n\\begin{pmatrix} a & b \\end{pmatrix}\n$$", fsrs.Review))
		}},
		{"answer-hostile", func(m *model) {
			showing(m, cards.Answer, card("<script>alert(1)</script>", "\x1b[2J\x1b]0;owned\x07 ![cat](https://example.com/c.png) \u202egnp.exe", fsrs.Review, "\x1b[31m"))
		}},
		{"answer-offline", func(m *model) {
			answer(m)
			m.v.Problem, m.v.Unsent, m.v.Waiting = errors.New("no route"), 3, 3
		}},
		{"answer-taken-back", func(m *model) { answer(m); m.message = "Taken back. Grade it again." }},
		{"answer-stuck", func(m *model) { answer(m); m.v.Stuck, m.v.Unsent = errors.New("workspace not found"), 1 }},
		{"question-elsewhere", func(m *model) { showing(m, cards.Question, kucing); m.v.Notice = cards.NoticeElsewhere }},
		{"info", func(m *model) {
			showing(m, cards.Answer, card("q", "a", fsrs.Review, "indonesia", "kosakata"))
			m.mode = modeInfo
		}},
		{"tags", func(m *model) { answer(m); m.mode = modeTags }},
		{"help", func(m *model) { answer(m); m.mode = modeHelp }},
		{"pick", func(m *model) {
			answer(m)
			m.mode = modePick
			m.pick.fill(pickMsg{decks: []cards.Deck{{ID: "1", Name: "Tata bahasa"}, {ID: "2", Name: "Asian scripts"}}, tags: []cards.Tag{{Name: "kanji", Cards: 12}, {Name: "kosakata", Cards: 40}, {Name: "grammar", Cards: 7}}})
			m.pick.typed("a")
			m.pick.at = 2
		}},
		{"edit", func(m *model) {
			answer(m)
			d := kucing.Draft()
			d.Front = "Apa arti *kucing*? It's a cat"
			m.edit = editing{kucing.ID, kucing.Draft(), d, d.UpdateSQL(kucing.ID, kucing.Draft()), d.Check()}
			m.mode = modeEdit
		}},
		{"finished", func(m *model) {
			m.v.Counted = true
			m.v.Phase, m.v.Grades, m.v.Elapsed = cards.Finished, [4]int{3, 2, 30, 5}, 4*time.Minute+51*time.Second
			m.v.NextDue = fixedNow().Add(7 * time.Minute)
		}},
		{"finished-held", func(m *model) {
			m.v.Counted = true
			m.v.Phase, m.v.Grades, m.v.Elapsed, m.v.Unsent = cards.Finished, [4]int{0, 0, 1, 0}, 3*time.Second, 1
			m.v.HeldFor, m.v.Last = 2*time.Second, &cards.Result{Rating: fsrs.Good}
		}},
		{"nothing", func(m *model) {
			m.v.Counted, m.v.Phase, m.v.NextDue = true, cards.Finished, fixedNow().Add(26*time.Hour)
		}},
	}
}

func draw(s scene, w, h int) *model {
	m := &model{w: w, h: h, theme: newTheme(true), now: fixedNow(), o: Options{Now: fixedNow, Workspace: "Bahasa"}}
	s.make(m)
	m.scroll = min(m.scroll, m.maxScroll())
	return m
}

// TestScreens draws every state at the sizes that matter and compares.
func TestScreens(t *testing.T) {
	lang := os.Getenv("BRIDGE_LANG")
	for _, s := range scenes() {
		for _, size := range [][2]int{{80, 24}, {40, 12}} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				var got strings.Builder
				for _, line := range draw(s, size[0], size[1]).screen() {
					got.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
				}
				path := filepath.Join("testdata", "screens", lang, name+".txt")
				if *update {
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if got.String() != string(want) {
					t.Errorf("-update rewrites %s\n--- got\n%s--- want\n%s", path, got.String(), want)
				}
			})
		}
	}
}

// TestScreensIndonesian draws them again in a process that speaks Indonesian.
func TestScreensIndonesian(t *testing.T) {
	if os.Getenv(secondRun) != "" {
		return
	}
	args := []string{"-test.run=^TestScreens$"}
	if *update {
		args = append(args, "-update")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), "BRIDGE_LANG=id", secondRun+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEverySize: whatever the size, the screen is filled and never exceeded,
// and the grades can be seen.
func TestEverySize(t *testing.T) {
	for _, s := range scenes() {
		for _, w := range []int{20, 31, 39, 40, 41, 50, 60, 64, 80, 130} {
			for _, h := range []int{6, 11, 12, 15, 16, 24, 50} {
				m := draw(s, w, h)
				lines := m.screen()
				if len(lines) != h {
					t.Fatalf("%s at %dx%d has %d lines", s.name, w, h, len(lines))
				}
				for _, l := range lines {
					if width(l) > w {
						t.Fatalf("%s at %dx%d: %q is %d wide", s.name, w, h, l, width(l))
					}
				}
				text := ansi.Strip(strings.Join(lines, "\n"))
				if w < 40 || m.v.Phase != cards.Answer || m.mode != modeCard {
					continue
				}
				for _, r := range fsrs.Ratings() {
					if !strings.Contains(text, fmt.Sprintf("%d %s", r+1, ratingName(r))) {
						t.Fatalf("%s at %dx%d does not show %s\n%s", s.name, w, h, r, text)
					}
				}
				if help := "? " + say.T("help"); h > 6 && !strings.Contains(text, help) {
					t.Fatalf("%s at %dx%d does not show %q\n%s", s.name, w, h, help, text)
				}
			}
		}
	}
}

// TestGradeUnderThePointer: a click on what is drawn is the grade drawn there.
func TestGradeUnderThePointer(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 12}, {61, 15}, {120, 40}} {
		m := draw(scenes()[8], size[0], size[1])
		lines := m.screen()
		for _, r := range fsrs.Ratings() {
			found := false
			for y, l := range lines {
				l = ansi.Strip(l)
				if i := strings.Index(l, fmt.Sprintf("%d %s", r+1, ratingName(r))); i >= 0 {
					got, ok := m.gradeAt(width(l[:i]), y)
					found = ok && got == r
				}
			}
			if !found {
				t.Errorf("%v: no %s under the pointer", size, r)
			}
		}
		if _, ok := m.gradeAt(3, 2); ok {
			t.Errorf("%v: a grade in the body", size)
		}
	}
}
