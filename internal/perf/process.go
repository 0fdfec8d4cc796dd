package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bridge is a bridge process and the host's ends of its pipes. It is used by one
// goroutine.
type bridge struct {
	cmd    *exec.Cmd
	home   string
	stdin  io.WriteCloser
	stdout *bufio.Reader
	log    bytes.Buffer
	long   []byte // a line longer than stdout's buffer
	lastID int
	stop   func() bool // detaches the kill at the context's end
}

// startBridge starts a bridge to url, makes the handshake, and returns the time
// from the start of the process to the answer of initialize.
func startBridge(ctx context.Context, argv []string, url string) (b *bridge, took time.Duration, err error) {
	b = &bridge{}
	if b.home, err = os.MkdirTemp("", "perf"); err != nil {
		return nil, 0, err
	}
	args := make([]string, len(argv))
	for i := range argv {
		args[i] = strings.ReplaceAll(argv[i], "{url}", url)
	}
	b.cmd = exec.CommandContext(context.WithoutCancel(ctx), args[0], args[1:]...)
	b.cmd.Env = append(os.Environ(), "HOME="+b.home, "USERPROFILE="+b.home,
		"BRIDGE_HOME="+filepath.Join(b.home, "bridge"), "BRIDGE_KEYSTORE=memory")
	b.cmd.Stderr = &b.log
	b.cmd.WaitDelay = time.Second
	if b.stdin, err = b.cmd.StdinPipe(); err != nil {
		return nil, 0, err
	}
	stdout, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	b.stdout = bufio.NewReaderSize(stdout, 256<<10)
	began := time.Now()
	if err := b.cmd.Start(); err != nil {
		return nil, 0, err
	}
	b.stop = context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })
	b.lastID = 1
	_, err = io.WriteString(b.stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"perf","version":"1"}}}`+"\n")
	if err == nil {
		err = b.expect(1, []byte(`"perf","version":"1"}}}`))
	}
	took = time.Since(began)
	if err == nil {
		_, err = io.WriteString(b.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err == nil {
		err = b.list()
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("%s: handshake: %w", args[0], err), b.close())
	}
	return b, took, nil
}

// list asks for the tools, as every host does before it calls one.
func (b *bridge) list() error {
	b.lastID++
	if _, err := fmt.Fprintf(b.stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", b.lastID); err != nil {
		return err
	}
	return b.expect(b.lastID, toolList())
}

// close ends the bridge by the end of its stdin.
func (b *bridge) close() error {
	defer os.RemoveAll(b.home)
	_ = b.stdin.Close()
	late := time.AfterFunc(5*time.Second, func() { _ = b.cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, b.stdout)
	err := b.cmd.Wait()
	b.stop()
	if !late.Stop() {
		return errors.New("did not end by itself")
	}
	if err != nil {
		return fmt.Errorf("%w: %.500s", err, b.log.Bytes())
	}
	return nil
}

// call returns the line of a tool call.
func call(id, size int) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool_1","arguments":{"size":%d}}}`+"\n", id, size)
}

// calls makes count calls with so many in flight and adds the time of each to
// times, when that is not nil. It is one loop, sending a call for every answer
// read: it costs the driver no locks. The lines it sends ahead of reading are few
// enough for a pipe to hold.
func (b *bridge) calls(count, window, size int, tail []byte, times *[]time.Duration) error {
	first := b.lastID + 1
	began := make([]time.Time, count)
	send := func(i int) error {
		began[i] = time.Now()
		_, err := b.stdin.Write(call(first+i, size))
		return err
	}
	sent := 0
	for ; sent < min(window, count); sent++ {
		if err := send(sent); err != nil {
			return err
		}
	}
	answered := make([]bool, count)
	for range count {
		id, err := b.answer(tail)
		if err != nil {
			return err
		}
		i := id - first
		if i < 0 || i >= sent || answered[i] {
			return fmt.Errorf("an answer to %d, which nobody waits for", id)
		}
		answered[i] = true
		if times != nil {
			*times = append(*times, time.Since(began[i]))
		}
		if sent < count {
			if err := send(sent); err != nil {
				return err
			}
			sent++
		}
	}
	b.lastID += count
	return nil
}

func (b *bridge) expect(id int, tail []byte) error {
	got, err := b.answer(tail)
	if err == nil && got != id {
		err = fmt.Errorf("answer to %d, not to %d", got, id)
	}
	return err
}

// answer reads lines until one is an answer, checks that it ends as the server's
// did, and returns its id.
func (b *bridge) answer(tail []byte) (int, error) {
	for {
		line, err := b.readLine()
		if err != nil {
			return 0, fmt.Errorf("read an answer: %w: %.500s", err, b.log.Bytes())
		}
		_, rest, ok := bytes.Cut(line[:min(len(line), 64)], []byte(`"id":`))
		if !ok {
			continue // a notification
		}
		if !bytes.HasSuffix(line, tail) {
			return 0, fmt.Errorf("not the server's answer: %.200q", line)
		}
		digits := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		return strconv.Atoi(string(rest[:max(digits, 0)]))
	}
}

// readLine returns the next line without its end, valid until the next call.
func (b *bridge) readLine() ([]byte, error) {
	line, err := b.stdout.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		b.long = append(b.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = b.stdout.ReadSlice('\n')
			b.long = append(b.long, line...)
		}
		line = b.long
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// direct is the host without a bridge.
type direct struct {
	client http.Client
	url    string
	buf    bytes.Buffer
}

func (d *direct) calls(ctx context.Context, count, size int, tail []byte, times *[]time.Duration) error {
	for i := range count {
		began := time.Now()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(call(i+1, size)))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		res, err := d.client.Do(req)
		if err != nil {
			return err
		}
		d.buf.Reset()
		_, err = d.buf.ReadFrom(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return err
		}
		if !bytes.HasSuffix(d.buf.Bytes(), tail) {
			return fmt.Errorf("not the server's answer: %.200q", d.buf.Bytes())
		}
		*times = append(*times, time.Since(began))
	}
	return nil
}
