package front

import (
	"bytes"
	"encoding/json"
	"errors"

	"bridge/internal/sandbox/rpc"
)

// message is the envelope of one JSON-RPC message. Everything the sender
// wrote stays as it was: an id of 1, "1" or 2^60 comes back byte for byte.
type message struct {
	id     json.RawMessage // nil for a notification
	method string          // empty for a response
	params json.RawMessage
	result json.RawMessage
	err    *rpc.Error
}

func (m *message) isRequest() bool      { return m.method != "" && m.id != nil }
func (m *message) isNotification() bool { return m.method != "" && m.id == nil }
func (m *message) isResponse() bool     { return m.method == "" }

var (
	errNotJSON    = errors.New("invalid JSON")
	errNotRPC     = errors.New("invalid JSON-RPC message")
	errEmptyBatch = errors.New("empty batch")
)

// parseBody reads one message, or an array of them.
func parseBody(body []byte) (msgs []*message, batch bool, err error) {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return nil, false, errNotJSON
	}
	if body[0] != '[' {
		m, err := parseMessage(body)
		if err != nil {
			return nil, false, err
		}
		return []*message{m}, false, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil {
		return nil, true, errNotJSON
	}
	if len(parts) == 0 {
		return nil, true, errEmptyBatch
	}
	for _, p := range parts {
		m, err := parseMessage(p)
		if err != nil {
			return nil, true, err
		}
		msgs = append(msgs, m)
	}
	return msgs, true, nil
}

func parseMessage(raw []byte) (*message, error) {
	var env struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *rpc.Error      `json:"error"`
	}
	if raw[0] != '{' {
		return nil, errNotRPC
	}
	if err := json.Unmarshal(raw, &env); err != nil || env.JSONRPC != "2.0" {
		return nil, errNotRPC
	}
	m := &message{id: env.ID, params: env.Params, result: env.Result, err: env.Error}
	if env.ID != nil && env.ID[0] != '"' && env.ID[0] != '-' && (env.ID[0] < '0' || env.ID[0] > '9') {
		return nil, errNotRPC // MCP narrows JSON-RPC here: no null, no boolean
	}
	if env.Method == nil {
		if m.id == nil || (m.result == nil) == (m.err == nil) {
			return nil, errNotRPC
		}
		return m, nil
	}
	m.method = *env.Method
	if m.method == "" {
		return nil, errNotRPC
	}
	if len(m.params) > 0 && m.params[0] != '{' && m.params[0] != '[' {
		if string(m.params) != "null" {
			return nil, errNotRPC
		}
		m.params = nil
	}
	return m, nil
}

// response builds the bytes of an answer without touching id or result.
func response(id, result json.RawMessage, e *rpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	result = oneLine(result)
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	b.Write(id)
	if e != nil {
		b.WriteString(`,"error":`)
		b.Write(rpc.Marshal(e))
	} else {
		b.WriteString(`,"result":`)
		b.Write(result)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// oneLine takes the line feeds between the tokens of a handler's JSON away:
// an event with several data lines is right, but not every client reads it.
func oneLine(raw json.RawMessage) json.RawMessage {
	if bytes.IndexByte(raw, '\n') < 0 {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func notification(method string, params json.RawMessage) []byte {
	return request(nil, method, params)
}

func request(id json.RawMessage, method string, params json.RawMessage) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != nil {
		b.WriteString(`,"id":`)
		b.Write(id)
	}
	b.WriteString(`,"method":`)
	b.Write(rpc.Marshal(method))
	if params != nil {
		b.WriteString(`,"params":`)
		b.Write(oneLine(params))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// with returns object with the members added that it does not have yet. Pairs
// are key, raw value. The object's own bytes stay as they are.
func with(object json.RawMessage, pairs ...string) json.RawMessage {
	var have map[string]json.RawMessage
	if json.Unmarshal(object, &have) != nil || have == nil {
		return object
	}
	trimmed := bytes.TrimSpace(object)
	out := bytes.NewBuffer(make([]byte, 0, len(trimmed)+128))
	out.Write(bytes.TrimRight(trimmed[:len(trimmed)-1], " \t\r\n"))
	sep := len(have) > 0
	for i := 0; i+1 < len(pairs); i += 2 {
		if _, ok := have[pairs[i]]; ok {
			continue
		}
		if sep {
			out.WriteByte(',')
		}
		sep = true
		out.Write(rpc.Marshal(pairs[i]))
		out.WriteByte(':')
		out.WriteString(pairs[i+1])
	}
	out.WriteByte('}')
	return out.Bytes()
}
