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
	if old, _ := find(object, name); old != nil {
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
	quoted, err := json.Marshal(name)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	head := bytes.TrimRight(object[:end], " \t\r\n")
	b := make([]byte, 0, len(object)+len(quoted)+len(value)+2)
	b = append(b, head...)
	if len(head) > 0 && head[len(head)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, quoted...)
	b = append(b, ':')
	b = append(b, value...)
	return append(b, '}'), nil
}

// without returns object without the named members; object itself when it has
// none of them.
func without(object []byte, names ...string) []byte {
	s := scanner{b: object}
	if s.peek() != '{' {
		return object
	}
	s.i++
	var keep [][]byte
	dropped := false
	for s.peek() == '"' {
		at := s.i
		if s.str() != nil {
			return object
		}
		key := string(unquote(object[at:s.i]))
		if s.peek() != ':' {
			return object
		}
		s.i++
		if s.value() != nil {
			return object
		}
		drop := false
		for _, n := range names {
			drop = drop || n == key
		}
		if drop {
			dropped = true
		} else {
			keep = append(keep, object[at:s.i])
		}
		if s.peek() != ',' {
			break
		}
		s.i++
		s.peek()
	}
	if !dropped {
		return object
	}
	b := append([]byte{'{'}, bytes.Join(keep, []byte{','})...)
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
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		b = fmt.Appendf(b, `,"id":%s`, id)
	}
	m, err := json.Marshal(method)
	if err != nil { // a string always marshals
		m = []byte(`""`)
	}
	b = fmt.Appendf(b, `,"method":%s`, m)
	if params != nil {
		b = fmt.Appendf(b, `,"params":%s`, params)
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
	s := scanner{b: object}
	if s.peek() != '{' {
		return out
	}
	s.i++
	for s.peek() == '"' {
		at := s.i
		if s.str() != nil {
			return out
		}
		key := unquote(object[at:s.i])
		if s.peek() != ':' {
			return out
		}
		s.i++
		s.peek()
		at = s.i
		if s.value() != nil {
			return out
		}
		for i, n := range names {
			if string(key) == n {
				out[i] = object[at:s.i]
			}
		}
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	return out
}
