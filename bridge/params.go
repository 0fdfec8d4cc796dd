package bridge

import "strings"

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
	names := 0
	members(raw, func(m span) bool {
		v := raw[m.from:m.to]
		switch string(m.name) {
		case "name":
			p.name = v
			names++
		case "uri":
			p.uri = v
		case "_meta":
			p.meta = v
		case "requestId":
			p.reqID = v
		case "taskId":
			p.task = v
		case "arguments":
			p.args = v
		case "requestState":
			p.state = v
		default:
			if len(m.name) == len("name") && strings.EqualFold(string(m.name), "name") {
				names++
			}
		}
		return true
	})
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
	v := find(p.meta, metaVersion)
	if v := unquote(v); string(v) != modernRevision {
		return string(v)
	}
	return modernRevision
}
