package bridge

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// An event is one event of a text/event-stream.
type event struct {
	name string // "" means "message"
	// data is the event's data lines joined by line feeds. It is valid until
	// the next call of next, and has spare capacity behind it.
	data []byte
}

// errEventTooLarge is an event, or a field of one, over the cap. The stream
// cannot be used further.
var errEventTooLarge = errors.New("event over the size limit")

// An eventReader parses text/event-stream as the HTML Standard asks (§9.2.6):
// lines end with LF, CR or CRLF, also when a chunk boundary falls into one; a
// byte order mark at the start is dropped; one blank after the colon is; an
// event that the end of the stream cuts is discarded.
type eventReader struct {
	r    io.Reader
	max  int64
	hint int64 // how long the stream will be, if that is known

	buf        []byte
	start, end int  // buf[start:end] is read and not yet parsed
	begun      bool // the byte order mark has been looked for
	skipLF     bool // the last line ended with CR
	err        error

	data    []byte
	hasData bool
	name    []byte
	idField []byte // of the event being read
	hasID   bool

	// lastID is the id to resume with (Last-Event-ID), after the last whole
	// event; resumable is whether any event had one.
	lastID    string
	resumable bool
	retry     time.Duration // the last retry field; 0 if there was none
	hasRetry  bool
}

const eventBuffer = 64 << 10

// errFieldTooLarge is an event's id or name beyond all reason.
var errFieldTooLarge = errors.New("a field of an event is too long")

// maxEventField bounds the fields that are not data.
const maxEventField = 8 << 10

func newEventReader(r io.Reader, maxEvent int64) *eventReader {
	return &eventReader{r: r, max: maxEvent, buf: make([]byte, eventBuffer)}
}

// reset makes the reader parse another stream, keeping its buffers and, since
// the new stream continues the old one, what it knows for resuming.
func (p *eventReader) reset(r io.Reader) {
	p.r, p.start, p.end, p.begun, p.skipLF, p.err = r, 0, 0, false, false, nil
	p.clear()
}

func (p *eventReader) clear() {
	p.data, p.hasData, p.name, p.idField, p.hasID = p.data[:0], false, p.name[:0], p.idField[:0], false
}

// next returns the next event that has data, or was closed by a blank line
// after an id: a priming event has an id and empty data. It returns io.EOF at
// the end of the stream, whole or cut.
func (p *eventReader) next() (event, error) {
	p.clear()
	for {
		blank, err := p.line()
		if err != nil {
			return event{}, err
		}
		if !blank {
			continue
		}
		if p.hasID {
			p.lastID, p.resumable = string(p.idField), len(p.idField) > 0
		}
		if p.hasData {
			ev := event{data: p.data}
			if string(p.name) != "message" {
				ev.name = string(p.name)
			}
			return ev, nil
		}
		p.clear()
	}
}

// line parses one line into the event being read and reports whether it was
// blank. A line may be as long as the cap allows; data is copied once, from
// the read buffer to where it stays.
func (p *eventReader) line() (blank bool, err error) {
	piece, ended, err := p.piece(true)
	if err != nil {
		return false, err
	}
	if ended && len(piece) == 0 {
		return true, nil
	}
	name, value, colon := bytes.Cut(piece, []byte{':'})
	if colon && len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	var into *[]byte
	limit := p.max
	switch string(name) {
	case "data":
		if p.hasData {
			p.data = append(p.data, '\n')
		}
		p.hasData = true
		into = &p.data
	case "event":
		p.name = p.name[:0]
		into, limit = &p.name, maxEventField
	case "id":
		if ended && bytes.IndexByte(value, 0) >= 0 {
			return false, nil
		}
		p.idField, p.hasID = p.idField[:0], true
		into, limit = &p.idField, maxEventField
	case "retry":
		if ended {
			p.setRetry(value)
		}
	}
	for {
		if into != nil {
			if int64(len(*into)+len(value)) > limit {
				if into != &p.data {
					return false, errFieldTooLarge
				}
				return false, errEventTooLarge
			}
			if into == &p.data {
				p.data = room(p.data, len(value), p.hint)
			}
			*into = append(*into, value...)
		}
		if ended {
			return false, nil
		}
		if into == &p.data && p.start == p.end && p.err == nil {
			if ended, err = p.straight(); err != nil || ended {
				return false, err
			}
		}
		if value, ended, err = p.piece(false); err != nil {
			return false, err
		}
	}
}

// straight reads the rest of a long data line to where it stays. What follows
// the line goes back into the read buffer.
func (p *eventReader) straight() (ended bool, err error) {
	for p.err == nil {
		n := len(p.data)
		if int64(n) > p.max {
			return false, errEventTooLarge
		}
		p.data = room(p.data, 1, p.hint)
		to := p.data[n:min(cap(p.data)-1, n+readPiece)]
		m, err := p.r.Read(to)
		p.err = err
		got := to[:m]
		i := lineEnd(got)
		if i < 0 {
			p.data = p.data[:n+m]
			continue
		}
		if int64(n+i) > p.max {
			return false, errEventTooLarge
		}
		p.data = p.data[:n+i]
		rest := got[i+1:]
		if len(rest) > len(p.buf) {
			p.buf = make([]byte, len(rest)+eventBuffer)
		}
		p.start, p.end = 0, copy(p.buf, rest)
		p.skipLF = got[i] == '\r'
		return true, nil
	}
	return false, nil
}

// piece returns the rest of the current line, or as much of it as the buffer
// holds. At the start of a line it returns at least enough to tell the field.
func (p *eventReader) piece(lineStart bool) (piece []byte, ended bool, err error) {
	const enough = 16 // more than any field's name, its colon and its blank
	for {
		have := p.buf[p.start:p.end]
		if p.skipLF && len(have) > 0 {
			p.skipLF = false
			if have[0] == '\n' {
				p.start++
				continue
			}
		}
		if !p.begun && (len(have) >= len(bom) || p.err != nil) {
			p.begun = true
			if bytes.HasPrefix(have, bom) {
				p.start += len(bom)
				continue
			}
		}
		if p.begun || !bytes.HasPrefix(bom, have) {
			if i := lineEnd(have); i >= 0 {
				p.begun = true
				p.start += i + 1
				p.skipLF = have[i] == '\r'
				return have[:i], true, nil
			}
			if len(have) >= enough || !lineStart && len(have) > 0 {
				p.start = p.end
				return have, false, nil
			}
		}
		if p.err != nil {
			return nil, false, p.err
		}
		p.read()
	}
}

// lineEnd finds the first CR or LF.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n >= 0 {
		b = b[:n]
	}
	if r := bytes.IndexByte(b, '\r'); r >= 0 {
		return r
	}
	return n
}

// read gets more bytes behind those not yet parsed, of which there are few.
func (p *eventReader) read() {
	if p.start > 0 {
		copy(p.buf, p.buf[p.start:p.end])
		p.end -= p.start
		p.start = 0
	}
	n, err := p.r.Read(p.buf[p.end:])
	p.end += n
	if err != nil {
		p.err = err
	}
}

func (p *eventReader) setRetry(value []byte) {
	if len(value) == 0 || len(value) > 9 {
		return
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	ms, err := strconv.Atoi(string(value))
	if err != nil {
		return
	}
	p.retry, p.hasRetry = time.Duration(ms)*time.Millisecond, true
}

// headerSafe reports whether an event id can go into a Last-Event-ID header.
func headerSafe(id string) bool {
	for i := 0; i < len(id); i++ {
		if id[i] < 0x20 || id[i] == 0x7f {
			return false
		}
	}
	return utf8.ValidString(id)
}
