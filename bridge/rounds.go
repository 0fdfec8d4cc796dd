package bridge

import (
	"encoding/json"
	"fmt"
	"time"
)

// A modern remote that needs something from the host's user answers
// input_required: questions, and a state to bring back with the answers in a
// new request (patterns/mrtr). A legacy host is asked by requests instead, and
// its own request stays open over all rounds.

const (
	maxRounds   = 16               // with questions
	pollingTime = 10 * time.Minute // without
	maxQuestion = 64               // in one round
)

// rounds sends a call, answers what the remote asks back with the host's help,
// and delivers the final result.
func (f *legacy) rounds(s *session, c *call) *failure {
	base, err := s.modern.paramsFor(c.params.raw)
	if err != nil {
		return &failure{code: codeParams, kind: kindBadRequest, text: "the params are no object", err: err}
	}
	base = without(base, "inputResponses", "requestState")
	raw := base
	if c.rounds == 0 {
		s.modern.beginProgress(c.params.meta)
	}
	began, polls := time.Now(), 0
	for asked := 0; ; {
		id := c.id
		if c.rounds > 0 {
			id = f.newID() // a retry is another request
		}
		c.rounds++
		u := &call{
			ctx: c.ctx, cancel: c.cancel, id: id, key: idKey(id), method: c.method, safe: c.safe, wrote: c.wrote,
			body: message(id, c.method, raw), params: readParams(raw), own: nil,
		}
		box := &roundInbox{f: f, s: s, call: c, sent: u}
		if fail := s.modern.leg.exchange(u, box); fail != nil {
			return fail
		}
		if box.more == nil {
			return nil // delivered, or no longer wanted
		}
		questions := find(box.more, "inputRequests")
		state := find(box.more, "requestState")
		switch {
		case questions == nil && state == nil:
			return &failure{kind: kindBadResponse, text: "the server wants input, but does not say which"}
		case questions == nil:
			if time.Since(began) > pollingTime {
				return &failure{kind: kindStreamLost, text: "the server did not finish within ten minutes"}
			}
			if !sleepFor(c.ctx, min(pollWait(polls), f.cfg.Timeouts.Retry)) {
				return &failure{kind: kindShutdown, text: "the request was ended"}
			}
			polls++
		default:
			if asked++; asked > maxRounds {
				return &failure{kind: kindBadResponse, text: fmt.Sprintf("the server asked more than %d times", maxRounds)}
			}
		}
		raw = base
		if questions != nil {
			answers, fail := f.askHost(s, c, questions)
			if fail != nil {
				return fail
			}
			if raw, err = withMember(raw, "inputResponses", answers); err != nil {
				return &failure{kind: kindBadResponse, text: "the answers could not be put together", err: err}
			}
		}
		if state != nil { // the token as it came: its bytes are the remote's
			if raw, err = withMember(raw, "requestState", state); err != nil {
				return &failure{kind: kindBadResponse, text: "the request could not be put together", err: err}
			}
		}
	}
}

// A roundInbox takes what one round brings.
type roundInbox struct {
	f    *legacy
	s    *session
	call *call // the host's
	sent *call // what stands for it in this round
	more []byte
	over bool
}

func (b *roundInbox) satisfied(source) bool {
	return b.over || b.f.isAnswered(b.call)
}

func (b *roundInbox) fromRemote(env *envelope, src source) {
	if b.satisfied(src) {
		return
	}
	switch env.kind {
	case notification:
		if string(env.method) == "notifications/progress" && !b.s.modern.increases(env.params) {
			return
		}
		b.f.toHost(env)
		return
	case request:
		b.f.log.Warn("dropped a request of the server: there are none in its revision")
		return
	}
	if !b.sent.answeredBy(env) {
		return
	}
	b.over = true
	c := b.call
	if env.err != nil {
		b.f.deliver(c, newResponse(c.id, "error", env.err), source{call: c})
		return
	}
	var few [maxNoted]span
	members := env.resultSpans(few[:0])
	var kind []byte
	plain := c.method != "tools/list" && len(members) <= maxNoted // each that is cut moves the others
	for _, m := range members {
		v := env.result[m.from:m.to]
		switch string(m.name) {
		case "resultType":
			kind = v
		case "structuredContent":
			plain = plain && isObject(v)
		}
	}
	switch string(unquote(kind)) {
	case "", "complete":
		if plain && (c.method != "tools/call" || b.s.version >= "2025-06-18") && env.id != nil {
			// Nothing but members of the newer era to take out.
			env.cutMembers(members, func(name []byte) bool {
				return string(name) == "resultType" || string(name) == "ttlMs" || string(name) == "cacheScope"
			})
			b.f.deliver(c, env, source{call: c})
			return
		}
		b.f.deliver(c, newResponse(c.id, "result", legacyResult(c.method, b.s.version, env.result)), source{call: c})
	case "input_required":
		switch c.method {
		case "tools/call", "prompts/get", "resources/read":
			b.more = copyOf(env.result)
		default:
			b.f.fail(c, &failure{kind: kindBadResponse, text: "the server wants input where it may not"})
		}
	default:
		b.f.fail(c, &failure{kind: "unsupported_result_type", text: fmt.Sprintf("the server answered with a result of the kind %q, which this revision does not have", excerpt(unquote(kind)))})
	}
}

// A reply is the host's answer to one question.
type reply struct {
	key    string
	method string
	result []byte
	err    []byte
}

// askHost puts the questions of a round to the host, all at once, and returns
// the inputResponses.
func (f *legacy) askHost(s *session, c *call, questions []byte) ([]byte, *failure) {
	asks, fail := f.readQuestions(s, questions)
	if fail != nil {
		return nil, fail
	}
	replies := make(chan reply, len(asks))
	open := map[string]bool{}
	for _, q := range asks {
		id := f.newID()
		key := idKey(id)
		open[key] = true
		f.mu.Lock()
		f.asked[key] = &question{id: id, sess: s, from: c, reply: func(result, err []byte) {
			replies <- reply{q.key, q.method, result, err}
		}}
		f.mu.Unlock()
		f.out.write(flat(message(id, q.method, q.params)))
	}
	defer func() { // what is still open is withdrawn
		for key := range open {
			f.mu.Lock()
			q := f.asked[key]
			delete(f.asked, key)
			f.mu.Unlock()
			if q != nil && f.ctx.Err() == nil {
				f.out.write(cancelledLine(q.id))
			}
		}
	}()
	answers := []byte("{}")
	for range asks {
		var r reply
		select {
		case r = <-replies:
		case <-c.ctx.Done():
			return nil, &failure{kind: kindShutdown, text: "the request was ended"}
		}
		if r.err != nil {
			if r.method != "elicitation/create" {
				return nil, &failure{raw: r.err, kind: kindBadResponse, text: "the host refused a question of the server"}
			}
			r.result = []byte(`{"action":"cancel"}`)
		}
		var err error
		if answers, err = withMember(answers, r.key, r.result); err != nil {
			return nil, &failure{kind: kindBadResponse, text: "the answers could not be put together", err: err}
		}
	}
	return answers, nil
}

// An ask is one question of a remote.
type ask struct {
	key    string
	method string
	params []byte
}

// readQuestions reads inputRequests, refusing what the host did not say it can
// answer.
func (f *legacy) readQuestions(s *session, raw []byte) ([]ask, *failure) {
	var m map[string]json.RawMessage
	if n := countMembers(raw, maxQuestion); n == 0 || n > maxQuestion || json.Unmarshal(raw, &m) != nil {
		return nil, &failure{kind: kindBadResponse, text: "the server's questions cannot be read"}
	}
	f.mu.Lock()
	env, _ := scanEnvelope(f.initLine) // it was scanned when it came
	f.mu.Unlock()
	caps := find(env.params, "capabilities")
	out := make([]ask, 0, len(m))
	for key, q := range m {
		method := find(q, "method")
		a := ask{key: key, method: string(unquote(method))}
		a.params = find(q, "params")
		if need := lacks(caps, a.method, a.params); need != "" {
			return nil, &failure{kind: "capability_missing", text: "the server needs " + need + ", which this client does not offer"}
		}
		if a.method == "elicitation/create" {
			a.params = legacyElicitation(s.version, a.params)
		}
		out = append(out, a)
	}
	return out, nil
}

// lacks names the capability a question needs and the host does not have; ""
// if it has it.
func lacks(caps []byte, method string, rawParams []byte) string {
	has := func(name string) []byte {
		v := find(caps, name)
		if !isObject(v) {
			return nil
		}
		return v
	}
	switch method {
	case "elicitation/create":
		e := has("elicitation")
		mode := find(rawParams, "mode")
		form := find(e, "form")
		link := find(e, "url")
		switch {
		case e == nil:
			return "elicitation"
		case string(unquote(mode)) == "url":
			if link == nil {
				return "elicitation by URL"
			}
		case form == nil && link != nil:
			return "elicitation by form"
		}
		return ""
	case "sampling/createMessage":
		sampling := has("sampling")
		if sampling == nil {
			return "sampling"
		}
		if tools := find(rawParams, "tools"); tools != nil {
			if t := find(sampling, "tools"); t == nil {
				return "sampling with tools"
			}
		}
		return ""
	case "roots/list":
		if has("roots") == nil {
			return "roots"
		}
		return ""
	}
	return "an unknown kind of question"
}

// legacyElicitation fits an elicitation to the host's revision.
func legacyElicitation(version string, rawParams []byte) []byte {
	if version <= "2025-06-18" {
		return without(rawParams, "mode")
	}
	mode := find(rawParams, "mode")
	id := find(rawParams, "elicitationId")
	if string(unquote(mode)) != "url" || id != nil {
		return rawParams
	}
	out, err := withMember(rawParams, "elicitationId", fmt.Appendf(nil, "%q", newUUID()))
	if err != nil {
		return rawParams
	}
	return out
}
