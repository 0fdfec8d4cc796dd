package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// A lineReader reads the host's messages, one a line (stdio §Transport): lines
// of any length up to a cap, ended by LF or CRLF or the end of the input, a
// byte order mark before the first, blank lines skipped.
type lineReader struct {
	in    *bufio.Reader
	max   int64
	begun bool
}

// bom is the byte order mark that some write before their text.
var bom = []byte("\xef\xbb\xbf")

// A longLine is a line over the cap. The rest of it has been read and dropped,
// so that the next line can be read.
type longLine struct {
	prefix []byte // its first bytes, for salvageID
}

func (e *longLine) Error() string { return "line over the cap" }

func newLineReader(r io.Reader, maxLine int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10), max: maxLine}
}

// next returns the next line without its end. The bytes belong to the caller.
// At the end of the input it returns io.EOF; *longLine leaves the reader
// usable; any other error is the input's.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if !l.begun {
			l.begun = true
			line = bytes.TrimPrefix(line, bom)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && (err == nil || err == io.EOF) {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// empty says whether the next line has yet to be read from the input.
func (l *lineReader) empty() bool { return l.in.Buffered() == 0 }

func (l *lineReader) line() ([]byte, error) {
	piece, err := l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		if int64(len(bytes.TrimRight(piece, "\r\n"))) > l.max && (err == nil || err == io.EOF) {
			return nil, &longLine{prefix: bytes.Clone(piece)}
		}
		return bytes.Clone(piece), err
	}
	line := bytes.Clone(piece)
	for errors.Is(err, bufio.ErrBufferFull) {
		piece, err = l.in.ReadSlice('\n')
		if int64(len(line)+len(bytes.TrimRight(piece, "\r\n"))) > l.max {
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = l.in.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				return nil, err
			}
			return nil, &longLine{prefix: line[:min(len(line), 64<<10)]}
		}
		line = append(line, piece...)
	}
	return line, err
}
