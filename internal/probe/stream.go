package probe

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"time"
)

// A Stream is how an event stream (text/event-stream) was written. All of it
// but Twice is allowed, and all of it has broken clients.
type Stream struct {
	BOM       bool // begins with a byte order mark
	CR, CRLF  bool // lines end in a lone CR, in CR LF
	Comments  bool
	Multiline bool     // an event with several data lines
	Twice     bool     // an event that came twice
	Events    []string // the names of the events, "message" by default
	Data      []string // the data of the events
}

// readStream takes a stream apart. It is for looking at a few events, not for
// speed.
func readStream(raw []byte) (s Stream) {
	if rest, ok := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); ok {
		s.BOM, raw = true, rest
	}
	text := string(raw)
	s.CRLF = strings.Contains(text, "\r\n")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	s.CR = strings.Contains(text, "\r")
	text = strings.ReplaceAll(text, "\r", "\n")
	seen := map[string]bool{}
	name, lines, id := "message", []string(nil), ""
	for line := range strings.SplitSeq(text, "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if lines != nil {
				data := strings.Join(lines, "\n")
				s.Multiline = s.Multiline || len(lines) > 1
				// A notification may well be sent twice; the same answer may not.
				key := id + "\x00" + data
				s.Twice = s.Twice || seen[key] && strings.Contains(data, `"id"`)
				seen[key] = true
				s.Events, s.Data = append(s.Events, name), append(s.Data, data)
			}
			name, lines = "message", nil
		case strings.HasPrefix(line, ":"):
			s.Comments = true
		case field == "data":
			lines = append(lines, value)
		case field == "event":
			name = value
		case field == "id":
			id = value
		}
	}
	return s
}

// MediaType is the Content-Type without parameters, in lower case, or "".
func MediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		t, _, _ = strings.Cut(h.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// Skew is how far this machine's clock is ahead of the server's, by its Date
// header, which has whole seconds; ok is false without one.
func (x *Exchange) Skew() (ahead time.Duration, ok bool) {
	date, err := http.ParseTime(x.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	return x.Now.Sub(date).Round(time.Second), true
}
