package bridge

import (
	"bytes"
	"strings"
)

// A params is what routing and policy read of a message's params: where a few
// members stand in them. Nil members are absent.
type params struct {
	raw   []byte
	name  []byte // tools/call, prompts/get
	uri   []byte // resources/*
	meta  []byte // _meta, an object
	reqID []byte // notifications/cancelled
	task  []byte // taskId
	args  []byte // arguments
	state []byte // requestState
	// twice is set when name stands there more than once, or also in other
	// letter case: which one counts would be up to the reader's parser.
	twice bool
}

// readParams reads the params of a message that was scanned before.
func readParams(raw []byte) params {
	p := params{raw: raw}
	s := scanner{b: raw}
	if s.peek() != '{' {
		return p
	}
	s.i++
	names := 0
	for s.peek() == '"' {
		at := s.i
		if s.str() != nil {
			return p
		}
		key := s.b[at:s.i]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = append(append([]byte{'"'}, unquote(key)...), '"')
		}
		if s.peek() != ':' {
			return p
		}
		s.i++
		s.peek()
		at = s.i
		if s.value() != nil {
			return p
		}
		v := s.b[at:s.i]
		switch string(key) {
		case `"name"`:
			p.name = v
			names++
		case `"uri"`:
			p.uri = v
		case `"_meta"`:
			p.meta = v
		case `"requestId"`:
			p.reqID = v
		case `"taskId"`:
			p.task = v
		case `"arguments"`:
			p.args = v
		case `"requestState"`:
			p.state = v
		default:
			if len(key) == len(`"name"`) && strings.EqualFold(string(key), `"name"`) {
				names++
			}
		}
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	p.twice = names > 1
	return p
}

// The keys that a 2026-07-28 request carries in _meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// version is the revision a request says it speaks, "" for the session
// revisions, which say it once for all.
func (p *params) version() string {
	if p.meta == nil {
		return ""
	}
	v, _ := find(p.meta, metaVersion)
	if v := unquote(v); string(v) != modernRevision {
		return string(v)
	}
	return modernRevision
}
