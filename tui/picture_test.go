package tui

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestPictures holds the pictures in docs against what is drawn: they are the
// golden screens with their colours, as SVG.
func TestPictures(t *testing.T) {
	if os.Getenv(secondRun) != "" {
		return
	}
	for _, p := range []struct {
		scene, file string
		w, h        int
	}{
		{"question-held", "question", 80, 18},
		{"answer", "answer", 80, 18},
		{"answer-long", "long-answer", 80, 24},
		{"finished", "finished", 80, 18},
	} {
		for _, s := range scenes() {
			if s.name != p.scene {
				continue
			}
			got := picture(draw(s, p.w, p.h).screen(), p.w)
			path := filepath.Join("..", "docs", "screens", p.file+".svg")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what is drawn; -update rewrites it", path)
			}
		}
	}
}

// A cell's size in a picture, in pixels.
const cellW, cellH = 8.4, 18

// picture draws a dark terminal.
func picture(lines []string, w int) string {
	var b strings.Builder
	width, height := float64(w)*cellW+24, len(lines)*cellH+24
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#1b1d23"/>`+"\n")
	for y, line := range lines {
		x := 0
		for _, run := range runs(line) {
			if strings.TrimSpace(run.text) != "" {
				// Each run is given its width, so that any font keeps the columns.
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" textLength="%.1f" xml:space="preserve"%s>%s</text>`+"\n",
					12+float64(x)*cellW, 12+y*cellH+14, float64(ansi.StringWidth(run.text))*cellW, run.style(), html.EscapeString(run.text))
			}
			x += ansi.StringWidth(run.text)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// A run is text of one look.
type run struct {
	text                           string
	bold, faint, italic, underline bool
	color                          string
}

func (r run) style() string {
	fill := r.color
	if fill == "" {
		fill = "#d7dae0"
	}
	out := ` fill="` + fill + `"`
	if r.bold {
		out += ` font-weight="bold"`
	}
	if r.faint {
		out += ` opacity="0.55"`
	}
	if r.italic {
		out += ` font-style="italic"`
	}
	if r.underline {
		out += ` text-decoration="underline"`
	}
	return out
}

// runs takes a line of ours apart: SGR sequences and links, nothing else.
func runs(line string) (out []run) {
	var now run
	for line != "" {
		i := strings.IndexByte(line, '\x1b')
		if i < 0 {
			i = len(line)
		}
		if i > 0 {
			r := now
			r.text = line[:i]
			out = append(out, r)
			line = line[i:]
			continue
		}
		if strings.HasPrefix(line, "\x1b]") {
			_, rest, _ := strings.Cut(line, "\a")
			line = rest
			continue
		}
		body, rest, _ := strings.Cut(strings.TrimPrefix(line, "\x1b["), "m")
		now.apply(body)
		line = rest
	}
	return out
}

func (r *run) apply(sgr string) {
	colors := [...]string{"#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56d4dd", "#ffffff"}
	for part := range strings.SplitSeq(sgr, ";") {
		switch n, _ := strconv.Atoi(part); {
		case n == 0:
			*r = run{}
		case n == 1:
			r.bold = true
		case n == 2:
			r.faint = true
		case n == 3:
			r.italic = true
		case n == 4, n == 24:
			r.underline = n == 4
		case n >= 30 && n <= 37:
			r.color = colors[n-30]
		case n >= 90 && n <= 97:
			r.color = colors[n-90]
		}
	}
}
