package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Translating between the eras changes a few members of a message and leaves
// the rest as the bytes they were. These functions cut and paste raw JSON.

// withMember returns object with a member set: replaced where it stands, else
// added at the end. object may be nil, which is an empty one.
func withMember(object []byte, name string, value []byte) ([]byte, error) {
	if object == nil {
		object = []byte("{}")
	}
	if old := find(object, name); old != nil {
		at := offset(object, old)
		b := make([]byte, 0, len(object)+len(value))
		b = append(b, object[:at]...)
		b = append(b, value...)
		return append(b, object[at+len(old):]...), nil
	}
	end := bytes.LastIndexByte(object, '}')
	if end < 0 {
		return nil, errSyntax
	}
	head := bytes.TrimRight(object[:end], " \t\r\n")
	b := make([]byte, 0, len(object)+len(name)+len(value)+8)
	b = append(b, head...)
	if len(head) > 0 && head[len(head)-1] != '{' {
		b = append(b, ',')
	}
	b, err := appendQuoted(b, name)
	if err != nil {
		return nil, err
	}
	b = append(b, ':')
	b = append(b, value...)
	return append(b, '}'), nil
}

// appendQuoted appends text as a JSON string.
func appendQuoted(b []byte, text string) ([]byte, error) {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= 0x20 && text[i] < 0x7f && text[i] != '"' && text[i] != '\\'
	}
	if plain {
		return append(append(append(b, '"'), text...), '"'), nil
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", text, err)
	}
	return append(b, quoted...), nil
}

// without returns object without the named members; object itself when it has
// none of them.
func without(object []byte, names ...string) []byte {
	var b []byte // nil until something is dropped
	kept := 0    // members before that
	members(object, func(m span) bool {
		drop := false
		for _, n := range names {
			drop = drop || n == string(m.name)
		}
		switch {
		case drop && b == nil:
			b = make([]byte, 0, len(object))
			b = append(b, object[:m.at]...)
			if kept > 0 {
				b = b[:bytes.LastIndexByte(b, ',')]
			}
		case drop:
		case b != nil:
			if kept > 0 {
				b = append(b, ',')
			}
			b = append(b, object[m.at:m.to]...)
			kept++
		default:
			kept++
		}
		return true
	})
	if b == nil {
		return object
	}
	return append(b, '}')
}

// isObject reports whether raw JSON is an object.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// isEmptyObject reports whether raw JSON is an object without members.
func isEmptyObject(raw []byte) bool {
	return isObject(raw) && len(bytes.TrimSpace(raw[1:])) == 1
}

// responseLine is a JSON-RPC response; part is "result" or "error".
func responseLine(id []byte, part string, value []byte) []byte {
	b := make([]byte, 0, len(id)+len(value)+48)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`...)
	b = append(b, part...)
	b = append(b, `":`...)
	b = append(b, value...)
	return append(b, '}')
}

// message is a JSON-RPC request, or a notification when id is nil.
func message(id []byte, method string, params []byte) []byte {
	b := make([]byte, 0, len(id)+len(method)+len(params)+64)
	b = append(b, `{"jsonrpc":"2.0"`...)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(b, `,"method":`...)
	if named, err := appendQuoted(b, method); err == nil { // a string can always be quoted
		b = named
	}
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// flat replaces line breaks between tokens; see envelope.oneLine.
func flat(msg []byte) []byte {
	e := envelope{broken: true}
	e.oneLine(msg)
	return msg
}

// pick returns the raw values of several members of an object in one walk; nil
// for those it does not have.
func pick(object []byte, names ...string) [][]byte {
	out := make([][]byte, len(names))
	pickInto(out, object, names...)
	return out
}

// pickInto is pick into a slice as long as there are names.
func pickInto(out [][]byte, object []byte, names ...string) {
	members(object, func(m span) bool {
		for i, n := range names {
			if string(m.name) == n {
				out[i] = object[m.from:m.to]
			}
		}
		return true
	})
}

// A span is a member of an object: its name and where it stands.
type span struct {
	name     []byte // decoded
	at       int    // where the name begins
	from, to int    // the value
}

// members calls fn for one member of an object after the other, until it returns
// false. The text was scanned before, or ends in the middle; what is no object
// has no members.
func members(object []byte, fn func(m span) bool) {
	s := scanner{b: object}
	if s.peek() != '{' {
		return
	}
	s.i++
	for s.peek() == '"' {
		m := span{at: s.i}
		if s.str() != nil {
			return
		}
		m.name = unquote(object[m.at:s.i])
		if s.peek() != ':' {
			return
		}
		s.i++
		s.peek()
		m.from = s.i
		if s.value() != nil {
			return
		}
		if m.to = s.i; !fn(m) || s.peek() != ',' {
			return
		}
		s.i++
	}
}

// spans finds all members of an object in one walk.
func spans(object []byte) (out []span) {
	members(object, func(m span) bool {
		out = append(out, m)
		return true
	})
	return out
}

// countMembers is how many members an object has, as far as most and one more.
func countMembers(object []byte, most int) (n int) {
	members(object, func(span) bool {
		n++
		return n <= most
	})
	return n
}

// cutMembers takes members out of a response's result, in place: of what stands
// before and behind a member the shorter part is moved, so that a large result
// is neither copied nor moved.
func (env *envelope) cutMembers(all []span, drop func(name []byte) bool) {
	out := make([]bool, len(all))
	for i, m := range all {
		out[i] = drop(m.name) // now: names are part of what moves
	}
	for i := len(all) - 1; i >= 0; i-- {
		if !out[i] {
			continue
		}
		from, to := all[i].at, all[i].to
		switch {
		case i+1 < len(all):
			to = all[i+1].at // with the comma behind it
		case i > 0:
			from = all[i-1].to // with the one before it
		}
		env.cut(from, to)
		for j := i + 1; j < len(all); j++ {
			all[j].at, all[j].to = all[j].at-(to-from), all[j].to-(to-from)
		}
		all = append(all[:i:i], all[i+1:]...)
	}
}

// cut takes a part out of the result.
func (env *envelope) cut(from, to int) {
	n, start := to-from, offset(env.body, env.result)
	from, to = start+from, start+to
	body := env.body
	if from < len(body)-to {
		copy(body[n:to], body[:from])
		body = body[n:]
	} else {
		body = append(body[:from], body[to:]...)
	}
	if env.id != nil {
		if env.idAt > from {
			env.idAt -= n
		}
		env.id = body[env.idAt : env.idAt+len(env.id)]
	}
	env.result = body[start : start+len(env.result)-n]
	env.body = body
}
