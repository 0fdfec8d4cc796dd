package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// queued is how many requests of a server wait for their turn. It bounds what a
// server can make us keep; those beyond are refused.
const queued = 16

// A request is one of the server's.
type request struct {
	id     json.RawMessage
	method string
	params json.RawMessage
	ctx    context.Context
	done   context.CancelFunc
}

type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// read takes messages until there are no more, and then fails what waits. A
// line's length is bounded by whoever writes it, which is the relay.
func (s *Session) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, 16<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			s.take(line)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// fail ends the session: there is nothing more to read.
func (s *Session) fail(why error) {
	err := ErrClosed
	if !errors.Is(why, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrClosed, why)
	}
	s.mu.Lock()
	s.err = err
	for id, ch := range s.pending {
		delete(s.pending, id)
		close(ch)
	}
	s.mu.Unlock()
	s.end()
	close(s.requests)
}

// take sorts one message. What is no message is not for us.
func (s *Session) take(line []byte) {
	var m incoming
	if json.Unmarshal(line, &m) != nil {
		return
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && hasID:
		s.settle(m)
	case m.Method == "notifications/cancelled":
		s.cancelled(m.Params)
	case m.Method != "" && !hasID:
		if s.opts.Notify != nil {
			s.opts.Notify(m.Method, m.Params)
		}
	case m.Method == "ping":
		s.reply(outgoing{ID: m.ID, Result: struct{}{}})
	case m.Method != "":
		s.enqueue(m)
	}
}

// settle hands an answer to who waits for it.
func (s *Session) settle(m incoming) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return // not one of ours
	}
	s.mu.Lock()
	ch := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if ch == nil {
		return // nobody waits any more
	}
	switch {
	case m.Error != nil:
		ch <- answer{err: m.Error}
	case m.Result != nil:
		ch <- answer{result: m.Result}
	default:
		ch <- answer{err: &Error{Code: codeInternal, Message: "the answer has neither a result nor an error"}}
	}
}

func (s *Session) enqueue(m incoming) {
	r := request{id: m.ID, method: m.Method, params: m.Params}
	r.ctx, r.done = context.WithCancel(s.ctx)
	s.mu.Lock()
	s.asking[string(m.ID)] = r.done
	s.mu.Unlock()
	select {
	case s.requests <- r:
	default:
		s.drop(r)
		s.reply(outgoing{ID: r.id, Error: &Error{Code: codeInternal, Message: "too many requests at once"}})
	}
}

// A reply is a message that must not be written by the goroutine that has it:
// the other side may take it only when more has been read. told is closed when
// it is written, or nil.
type reply struct {
	m    outgoing
	told chan struct{}
}

// reply queues an answer that needs no thought. A server that asks faster than
// it takes answers gets fewer of them.
func (s *Session) reply(m outgoing) {
	select {
	case s.replies <- reply{m: m}:
	default:
	}
}

func (s *Session) replyAll() {
	for {
		select {
		case r := <-s.replies:
			_ = s.send(r.m)
			if r.told != nil {
				close(r.told)
			}
		case <-s.ctx.Done():
			return
		}
	}
}

func (s *Session) drop(r request) {
	r.done()
	s.mu.Lock()
	delete(s.asking, string(r.id))
	s.mu.Unlock()
}

func (s *Session) cancelled(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	done := s.asking[string(p.ID)]
	s.mu.Unlock()
	if done != nil {
		done()
	}
}

// answerAll answers what the server asks, one request after the other: there is
// one person to ask.
func (s *Session) answerAll() {
	for r := range s.requests {
		m := outgoing{ID: r.id}
		if result, err := s.answer(r); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				e = &Error{Code: codeInternal, Message: err.Error()}
			}
			m.Error = e
		} else if m.Result = result; result == nil {
			m.Result = struct{}{}
		}
		given := r.ctx.Err() == nil
		s.drop(r)
		if given { // a cancelled request is not answered
			_ = s.send(m)
		}
	}
}

func (s *Session) answer(r request) (any, error) {
	if s.opts.Answer == nil || r.ctx.Err() != nil {
		return nil, &Error{Code: CodeMethodNotFound, Message: "method not found: " + r.method}
	}
	return s.opts.Answer(r.ctx, r.method, r.params)
}
