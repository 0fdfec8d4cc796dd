package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/termsafe"
)

// A contentBlock is a piece of what a tool, a resource or a prompt gives. It
// is read leniently: a kind that is newer than this program is named, not
// refused.
type contentBlock struct {
	Type        string           `json:"type"`
	Text        string           `json:"text"`
	Data        string           `json:"data"` // base64
	MIMEType    string           `json:"mimeType"`
	URI         string           `json:"uri"`
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Size        int64            `json:"size"`
	Resource    *resourceContent `json:"resource"`
}

// A resourceContent is what resources/read gives, one of text and blob.
type resourceContent struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     *string `json:"blob"` // base64
}

// blob is the binary part of a block, or ok is false.
func (b *contentBlock) blob() (base64 string, ok bool) {
	switch {
	case b.Type == "image" || b.Type == "audio":
		return b.Data, true
	case b.Resource != nil && b.Resource.Blob != nil:
		return *b.Resource.Blob, true
	}
	return "", false
}

// content shows what a call gave: text as it is, JSON readable, and of what
// cannot be shown, what it is and how to keep it.
func (a *app) content(blocks []contentBlock, structured json.RawMessage) {
	shown := false
	for i := range blocks {
		text := a.blockText(&blocks[i])
		if text == "" {
			continue
		}
		if shown && len(blocks) > 1 && a.outIsTerminal() {
			a.printf("\n")
		}
		shown = true
		a.printf("%s", endLine(text))
	}
	if !shown && len(structured) > 0 && string(structured) != "null" {
		a.rawJSON(structured)
	}
}

// blockText is a block as stdout may have it.
func (a *app) blockText(b *contentBlock) string {
	switch {
	case b.Type == "text":
		return a.bodyText(b.Text)
	case b.Resource != nil && b.Resource.Text != nil:
		return a.bodyText(*b.Resource.Text)
	case b.Type == "resource_link":
		line := "[" + b.URI + "]"
		if b.Name != "" {
			line += " " + b.Name
		}
		if about := firstLine(b.Description); about != "" {
			line += ": " + about
		}
		return a.foreign(line)
	}
	mime := b.MIMEType
	if b.Resource != nil {
		mime = b.Resource.MIMEType
	}
	if data, ok := b.blob(); ok {
		kind := b.Type
		if kind == "resource" {
			kind = say.T("file")
		}
		size := humanSize(int64(base64.StdEncoding.DecodedLen(len(data)) - strings.Count(data[max(0, len(data)-2):], "=")))
		return a.foreign(say.T("[%s %s, %s; keep it with --output FILE]", kind, mime, size))
	}
	return a.foreign(say.T("[content of the kind %q; see it with --json]", b.Type))
}

// bodyText is a server's text: JSON in it is set out for a person, and nothing
// is changed for a program.
func (a *app) bodyText(text string) string {
	if !a.outIsTerminal() {
		return text
	}
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		var b strings.Builder
		if json.Valid([]byte(trimmed)) && newEncoder(&b, true).Encode(json.RawMessage(trimmed)) == nil {
			return escapeJSON(b.String())
		}
	}
	return termsafe.Text(text)
}

// errorContent shows on stderr what a tool says of its failure.
func (a *app) errorContent(blocks []contentBlock) {
	a.endProgress()
	for i := range blocks {
		text := blocks[i].Text
		if text == "" {
			text = a.blockText(&blocks[i])
		}
		if a.errIsTerminal() {
			text = termsafe.Text(text)
		}
		if text != "" {
			fmt.Fprint(a.err, endLine(text))
		}
	}
}

func endLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func humanSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return say.Number("%.1f kB", float64(n)/1e3)
	}
	return say.Number("%.1f MB", float64(n)/1e6)
}

// A sink is where --output puts what cannot be shown. Its path is the user's
// and never a server's; a second blob gets the name with -2, and so on.
type sink struct {
	app   *app
	path  string // "" for none, - for stdout
	force bool
}

// check finds out before anything is sent whether the file may be written.
func (s *sink) check() error {
	if s.path == "-" && s.app.outIsTerminal() {
		return usage(say.T("binary data would upset the terminal")).hint(say.T("redirect stdout, or name a file"))
	}
	if s.path == "" || s.path == "-" {
		return nil
	}
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(s.path)); err != nil || !dir.IsDir() {
			return usage(say.T("there is no folder for %q", s.path))
		}
		return nil
	case err != nil:
		return usage(say.T("cannot write %q: %s", s.path, plainError(err))).because(err)
	case info.IsDir():
		return usage(say.T("%q is a folder", s.path))
	case !s.force:
		return fail(exitConflict, say.T("%q is there already", s.path)).hint(say.T("add --force to overwrite it"))
	}
	return nil
}

// write keeps the blobs of a result, or its text if there are none.
func (s *sink) write(blocks []contentBlock, structured json.RawMessage) error {
	var parts [][]byte
	text := ""
	for i := range blocks {
		if data, ok := blocks[i].blob(); ok {
			b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
			if err != nil {
				return fail(exitFailure, say.T("what the server sent is not base64")).because(err)
			}
			parts = append(parts, b)
			continue
		}
		if blocks[i].Type == "text" {
			text += endLine(blocks[i].Text)
		} else if r := blocks[i].Resource; r != nil && r.Text != nil {
			text += *r.Text
		}
	}
	if parts == nil && text == "" {
		text = string(structured)
	}
	if parts == nil {
		parts = [][]byte{[]byte(text)}
	}
	for i, part := range parts {
		if err := s.put(i, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *sink) put(i int, data []byte) error {
	if s.path == "-" {
		s.app.endProgress()
		_, err := s.app.out.Write(data)
		return err
	}
	path := s.path
	if i > 0 {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "-" + strconv.Itoa(i+1) + ext
	}
	write := fsx.WriteFile
	if !s.force {
		write = func(path string, data []byte) error { return fsx.Swap(path, nil, data) }
	}
	err := write(path, data)
	switch {
	case errors.Is(err, fsx.ErrChanged), errors.Is(err, fs.ErrExist):
		return fail(exitConflict, say.T("%q is there already", path)).hint(say.T("add --force to overwrite it")).because(err)
	case err != nil:
		return fail(exitFailure, say.T("cannot write %q: %s", path, plainError(err))).because(err)
	}
	if !s.app.asJSON {
		s.app.note(say.T("%s written to %s", humanSize(int64(len(data))), path))
	}
	return nil
}
