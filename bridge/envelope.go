package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
)

// kind is what a JSON-RPC message is (JSON-RPC 2.0 §4, §5).
type kind uint8

const (
	request kind = iota
	notification
	response
)

// An envelope is what the relay reads of a message: where the members that
// routing needs stand in its bytes. It refers to those bytes and copies none.
type envelope struct {
	kind   kind
	method []byte // decoded name; of requests and notifications
	id     []byte // raw JSON text; nil when absent
	idAt   int    // where id starts in the message
	params []byte // raw; nil when absent
	result []byte // raw; of responses
	err    []byte // raw error member; of responses
	body   []byte // the whole message, white space around it trimmed
	open   int    // index of the byte after the opening brace in body
	rpc    bool   // the member jsonrpc is "2.0"
	wrong  bool   // the member jsonrpc is something else
	broken bool   // body holds line breaks

	// Where the members of result stand in it, if the scanner was to note them:
	// who translates between the eras looks at them, and a large result should
	// be walked over once. noted is how many there are, 0 when they are too
	// many to be noted here, or none.
	members [maxNoted]noted
	noted   int
}

// maxNoted is how many members of a result are noted: those of the
// specification's own results are fewer.
const maxNoted = 6

// A noted is a member of a result, as offsets.
type noted struct{ at, colon, from, to int32 }

var (
	// errNotRequest is JSON that is no JSON-RPC message: -32600.
	errNotRequest = errors.New("not a JSON-RPC 2.0 message")
	// errBatch is a JSON array where one message was looked for.
	errBatch = errors.New("a batch")
	// errMany is an array, or a result, of more parts than maxElements.
	errMany = errors.New("too many elements")
)

// scanEnvelope reads the envelope of one message. It returns errBatch for an
// array, whose syntax is then not checked yet; errSyntax, errUTF8 or errDepth
// for bytes that are no JSON; errNotRequest for JSON that is no message, with
// env.id set when an id was found all the same.
func scanEnvelope(msg []byte) (env envelope, err error) { return scanFor(source{}, msg) }

// scanFor is scanEnvelope for what came from src.
func scanFor(src source, msg []byte) (env envelope, err error) {
	s := scanner{b: msg, note: src.translated()}
	if err := s.envelope(&env); err != nil {
		return env, err
	}
	return env, env.classify()
}

// envelope walks over the whole text, which must hold one object.
func (s *scanner) envelope(env *envelope) error {
	switch s.peek() {
	case '{':
	case '[':
		return errBatch
	case 0:
		return errSyntax
	default:
		if err := s.value(); err != nil {
			return err
		}
		if s.peek(); s.fill(1) {
			return errSyntax
		}
		return errNotRequest
	}
	var spans [memberCount][2]int
	var duplicate bool
	start := s.i
	s.i++
	env.open = s.i
	if s.peek() == '}' {
		s.i++
	} else {
		for {
			if s.peek() != '"' {
				return errSyntax
			}
			nameAt := s.i
			if err := s.str(); err != nil {
				return err
			}
			m := memberOf(s.b[nameAt:s.i])
			if s.peek() != ':' {
				return errSyntax
			}
			s.i++
			s.peek()
			valueAt := s.i
			var err error
			if s.note && m == memberResult && s.at() == '{' {
				err = s.result(env)
			} else {
				err = s.value()
			}
			if err != nil {
				return err
			}
			if m != memberOther {
				if spans[m][1] != 0 {
					duplicate = true
				}
				spans[m] = [2]int{valueAt, s.i}
			}
			c := s.peek()
			s.i++
			if c == '}' {
				break
			}
			if c != ',' {
				return errSyntax
			}
			s.peek()
		}
	}
	end := s.i
	if s.body != nil {
		s.body.whole()
	}
	if s.peek(); s.fill(1) {
		return errSyntax
	}
	env.body = s.b[start:end]
	env.broken = s.broken
	env.open -= start
	member := func(m int) []byte {
		if span := spans[m]; span[1] != 0 {
			return s.b[span[0]:span[1]]
		}
		return nil
	}
	env.id = member(memberID)
	env.idAt = spans[memberID][0] - start
	env.params = member(memberParams)
	env.result = member(memberResult)
	env.err = member(memberError)
	if v := member(memberRPC); v != nil {
		env.rpc = string(v) == `"2.0"`
		env.wrong = !env.rpc
	}
	if m := member(memberMethod); m != nil {
		if env.method = unquote(m); env.method == nil {
			env.method = []byte{}
		}
	}
	if duplicate {
		// Two ids or two methods: what the host, the bridge and the remote
		// take the message for could differ.
		return errNotRequest
	}
	return nil
}

// result walks over an object and notes its members.
func (s *scanner) result(env *envelope) error {
	base, n := s.i, 0
	s.i++
	if s.peek() == '}' {
		s.i++
		return nil
	}
	for {
		if s.peek() != '"' {
			return errSyntax
		}
		at := s.i
		if err := s.str(); err != nil {
			return err
		}
		colon := s.i
		if s.peek() != ':' {
			return errSyntax
		}
		s.i++
		s.peek()
		from := s.i
		if err := s.value(); err != nil {
			return err
		}
		if n < maxNoted && s.i-base <= math.MaxInt32 {
			env.members[n] = noted{int32(at - base), int32(colon - base), int32(from - base), int32(s.i - base)}
		} else if n = max(n, maxNoted); n == maxElements {
			return errMany
		}
		n++
		c := s.peek()
		s.i++
		if c == '}' {
			break
		}
		if c != ',' {
			return errSyntax
		}
	}
	if n <= maxNoted {
		env.noted = n
	}
	return nil
}

// resultSpans is spans of a scanned message's result, appended to out.
func (env *envelope) resultSpans(out []span) []span {
	if env.noted == 0 {
		return append(out, spans(env.result)...)
	}
	for _, m := range env.members[:env.noted] {
		out = append(out, span{
			name: unquote(env.result[m.at:m.colon]), at: int(m.at), from: int(m.from), to: int(m.to),
		})
	}
	return out
}

// The members of an envelope.
const (
	memberOther = iota
	memberRPC
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
	memberCount
)

// memberOf names a member by its quoted name.
func memberOf(name []byte) int {
	if bytes.IndexByte(name, '\\') >= 0 {
		plain := unquote(name)
		name = append(append([]byte{'"'}, plain...), '"')
	}
	switch string(name) {
	case `"jsonrpc"`:
		return memberRPC
	case `"id"`:
		return memberID
	case `"method"`:
		return memberMethod
	case `"params"`:
		return memberParams
	case `"result"`:
		return memberResult
	case `"error"`:
		return memberError
	}
	return memberOther
}

// classify says what kind of message env is, or why it is none.
func (env *envelope) classify() error {
	switch {
	case env.wrong:
		return errNotRequest
	case env.method != nil:
		if len(env.method) == 0 || env.result != nil || env.err != nil {
			return errNotRequest
		}
		if p := env.params; p != nil && p[0] != '{' && p[0] != '[' && p[0] != 'n' {
			return errNotRequest
		}
		if env.id == nil {
			env.kind = notification
			return nil
		}
		env.kind = request
		if !validID(env.id) {
			return errNotRequest
		}
		return nil
	case env.result != nil || env.err != nil:
		env.kind = response
		if env.err != nil && string(env.err) == "null" && env.result != nil {
			env.err = nil // as JSON-RPC 1.0 had it
		}
		if env.err != nil && (env.result != nil || !validError(env.err)) {
			return errNotRequest
		}
		return nil
	}
	return errNotRequest
}

// validError reports whether raw JSON is an error object: it has an integer code
// and a text (JSON-RPC 2.0 §5.1). Plenty of bodies have a member error that is
// something else.
func validError(raw []byte) bool {
	got := pick(raw, "code", "message")
	var n int64
	return json.Unmarshal(got[0], &n) == nil && len(got[0]) > 0 && got[0][0] != 'n' && len(got[1]) > 0 && got[1][0] == '"'
}

// validID reports whether id is a string or a number, as MCP asks
// (basic §Requests). It keeps no other judgement of numbers: 1.5 comes back as
// it came.
func validID(id []byte) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

// withID returns the message with its id replaced. A message without an id
// gets one. The result is a copy.
func (env *envelope) withID(id []byte) []byte {
	b := make([]byte, 0, len(env.body)+len(id)+8)
	if env.id != nil {
		b = append(b, env.body[:env.idAt]...)
		b = append(b, id...)
		return append(b, env.body[env.idAt+len(env.id):]...)
	}
	return append(env.prefix(b, `"id":`+string(id)), env.body[env.open:]...)
}

// withRPC returns the message with the member jsonrpc that it lacks.
func (env *envelope) withRPC() []byte {
	return append(env.prefix(nil, `"jsonrpc":"2.0"`), env.body[env.open:]...)
}

// prefix appends the opening brace and member, and a comma if the message has
// other members.
func (env *envelope) prefix(b []byte, member string) []byte {
	b = append(b, '{')
	b = append(b, member...)
	if rest := bytes.TrimLeft(env.body[env.open:], " \t\r\n"); len(rest) > 0 && rest[0] != '}' {
		b = append(b, ',')
	}
	return b
}

// unquote decodes a JSON string token; nil when it is none. A string without
// escapes is returned in place.
func unquote(tok []byte) []byte {
	if len(tok) < 2 || tok[0] != '"' {
		return nil
	}
	in := tok[1 : len(tok)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	var s string
	if json.Unmarshal(tok, &s) != nil {
		return nil
	}
	return []byte(s)
}

// find returns the raw value of a member of a JSON object that was scanned
// before, the last one if there are several. Names are compared as decoded text.
func find(object []byte, name string) (value []byte) {
	members(object, func(m span) bool {
		if string(m.name) == name {
			value = object[m.from:m.to]
		}
		return true
	})
	return value
}

// offset is where inner starts in outer, of which it is a part: the scanner cuts
// all parts from one array, so that they have their end in common.
func offset(outer, inner []byte) int { return cap(outer) - cap(inner) }

// maxElements bounds what is taken apart, for the parts take many times the
// memory of an array of nothing but zeros, which compresses to nothing. Nothing
// sensible comes near it.
const maxElements = 100_000

// elements splits a JSON array into its elements.
func elements(array []byte) ([][]byte, error) {
	s := scanner{b: array}
	if s.peek() != '[' {
		return nil, errSyntax
	}
	s.i++
	var out [][]byte
	if s.peek() == ']' {
		s.i++
	} else {
		for {
			s.peek()
			at := s.i
			if err := s.value(); err != nil {
				return nil, err
			}
			if len(out) == maxElements {
				return nil, errMany
			}
			out = append(out, s.b[at:s.i:s.i])
			c := s.peek()
			s.i++
			if c == ']' {
				break
			}
			if c != ',' {
				return nil, errSyntax
			}
		}
	}
	if s.peek(); s.fill(1) {
		return nil, errSyntax
	}
	return out, nil
}

// idKey is the text under which an id is kept in tables: the raw token, with a
// string's escapes resolved so that "é" and "\u00e9" are one id, while 1 and
// "1" stay two.
func idKey(id []byte) string {
	if len(id) > 0 && id[0] == '"' && bytes.IndexByte(id, '\\') >= 0 {
		return `"` + string(unquote(id)) + `"`
	}
	return string(id)
}

// sameID reports whether a remote's id answers ours. Equal tokens do, equal
// strings do, and so do numbers that are equal once a remote has put them
// through a float64 (JavaScript does).
func sameID(ours, theirs []byte) bool {
	if bytes.Equal(ours, theirs) || idKey(ours) == idKey(theirs) {
		return true
	}
	if !validID(ours) || !validID(theirs) || ours[0] == '"' || theirs[0] == '"' {
		return false
	}
	var a, b float64
	return json.Unmarshal(ours, &a) == nil && json.Unmarshal(theirs, &b) == nil && a == b
}

// salvageID finds the id of a message that was cut, as a line over the cap is,
// or nil. It looks at the members before the cut only.
func salvageID(prefix []byte) (id []byte) {
	members(prefix, func(m span) bool {
		if string(m.name) != "id" {
			return true
		}
		if v := prefix[m.from:m.to]; validID(v) && m.to < len(prefix) {
			id = bytes.Clone(v)
		}
		return false
	})
	return id
}

// oneLine replaces raw line breaks by blanks, in place, if there are any. In
// JSON text they can only be white space between tokens, and on stdio a message
// is one line.
func (env *envelope) oneLine(msg []byte) {
	if !env.broken {
		return
	}
	for _, c := range [2]byte{'\n', '\r'} {
		for rest := msg; ; {
			i := bytes.IndexByte(rest, c)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}
