package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// floorCommand is the argument that makes this program the floor.
const floorCommand = "floor"

// floorHold is the size of a JSON answer from which the floor copies it through
// instead of holding it whole.
const floorHold = 64 << 10

// floor is the least that a bridge on net/http can do: each line of stdin is
// POSTed, each JSON answer and each event comes out as a line. It knows no
// sessions, no errors, no order and no end other than that of stdin. It is here
// to be divided by.
func floor(url string, stdin io.Reader, stdout io.Writer) error {
	f := &floorBridge{url: url, out: stdout, client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	}}
	lines := bufio.NewReaderSize(stdin, 64<<10)
	var forwarding sync.WaitGroup
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			forwarding.Go(func() { f.note(f.forward(line)) })
		}
		if err != nil {
			forwarding.Wait()
			if !errors.Is(err, io.EOF) {
				f.note(err)
			}
			return f.failed
		}
	}
}

type floorBridge struct {
	url    string
	client *http.Client

	held sync.Pool // *bytes.Buffer, for events

	mu     sync.Mutex // holds a line together
	out    io.Writer
	failed error
}

func (f *floorBridge) note(err error) {
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.failed = errors.Join(f.failed, err)
	}
}

func (f *floorBridge) forward(line []byte) error {
	req, err := http.NewRequest(http.MethodPost, f.url, bytes.NewReader(line)) //nolint:noctx // it ends with its answer
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch kind := res.Header.Get("Content-Type"); {
	case res.StatusCode == http.StatusAccepted:
		return nil
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("status %s", res.Status)
	case strings.HasPrefix(kind, "text/event-stream"):
		return f.events(res.Body)
	case res.ContentLength >= floorHold:
		f.mu.Lock()
		defer f.mu.Unlock()
		if _, err := io.Copy(f.out, res.Body); err != nil {
			return err
		}
		_, err := f.out.Write([]byte{'\n'})
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	return f.write(append(body, '\n'))
}

// events writes the data of each event, which the server of this program sends
// as one line.
func (f *floorBridge) events(body io.Reader) error {
	in := bufio.NewReaderSize(body, 64<<10)
	data, ok := f.held.Get().(*bytes.Buffer)
	if !ok {
		data = new(bytes.Buffer)
	}
	defer f.held.Put(data)
	for {
		piece, err := in.ReadSlice('\n')
		if field, ok := bytes.CutPrefix(piece, []byte("data: ")); ok {
			data.Reset()
			data.Write(field)
			for errors.Is(err, bufio.ErrBufferFull) {
				piece, err = in.ReadSlice('\n')
				data.Write(piece)
			}
			if err := f.write(data.Bytes()); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f *floorBridge) write(line []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.out.Write(line)
	return err
}
