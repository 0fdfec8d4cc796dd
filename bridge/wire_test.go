// The relay is tested by conversations: files in testdata/wire that read like
// the wire. A file begins with prose: which behaviour, by which rule. Then
//
//	-- config --
//	header X-Key: k1            sent with every request; secret
//	timeout retry 50ms          connect, tls, response, probe, initialize,
//	                            input, retry
//	transport sse-only          auto, sse-first, http-only, sse-only
//	protocol modern             auto, legacy, modern
//	transparent                 --modern-on-legacy transparent
//	max-message 4096
//	ignore-tool NAME            through a Gate
//	token T                     of a fake Authorizer, in the order it moves on
//	sign-in TEXT                the fake Authorizer waits for a sign-in
//	recall {…}                  the InitializeResult remembered
//	recall-era HOST ERA         for a host of the one era (legacy, modern), the
//	                            remote is remembered to be of the other
//	secret TEXT                 must never be on stdout, in the log, in the trace
//	scripted GET DELETE         answered by the file; otherwise a GET gets
//	auto GET 404                405 and a DELETE 200, unseen
//	may {…}                     a line on stdout that may come at any time
//	may-post METHOD             a POST that may come at any time; it gets 202
//	                            (a notification) or 404; also a step: from now
//	tls trusted                 or untrusted
//	down                        nothing listens at first
//	other-origin                a second server, $OTHER
//	-- wire --
//	# a comment
//	host> {…}                   the host writes this line to the relay's stdin
//	host>> "quoted bytes"       the same, but these bytes and no newline
//	host< {…}                   the next line on stdout is this
//	host<~ {…}                  one of the lines that wait is this
//	host<= text                 the next line is these very bytes
//	host none                   nothing more came
//	remote> @name POST tools/call      the next POST came, with that method
//	    Header: value           "-" means absent, * is any text
//	    body {…} | body same    the body fits; is what the host wrote last
//	    bytes …                 the body is these very bytes, * being any
//	    after @x                it came after @x had been answered
//	    waited 100ms            it came that long after the last end of an answer
//	remote>~ …                  one of the POSTs that wait, not the next
//	remote< @name 200 application/json  the answer: headers, then the body
//	    Header: value
//	    {…}
//	remote< cut | reset         the connection ends without an answer
//	stream @name id=1 {…}       an event on the stream that answer opened; id=,
//	                            event= and retry= may stand before the data
//	stream raw "…" | bytewise "…"       such bytes, in one chunk or one by one
//	stream close | cut | reset  the end of the body, of the connection, a RST
//	remote none | gone | up | down      nothing came; the relay hung up on the
//	                            exchange; the server comes or goes
//	handshake 2025-11-25 session NAME   the usual initialize and initialized
//	open LxM | MxM | MxL [REVISION] [session NAME]
//	                            the usual beginning where one side, or both,
//	                            speaks 2026-07-28; see wire_eras_test.go. What
//	                            a cell promises is checked from there on, or
//	cell CELL                   from here on, or, with none, no more
//	poll N METHOD               N more rounds in which the remote wants only its
//	                            requestState back, or
//	ask N METHOD                in which it asks for the roots
//	log N TEXT                  the log and the trace hold it N times by now
//	learned HOST ERA            RememberEra is told so; it must not be told
//	                            anything that no step claims
//	alive                       an ordinary tools/call works
//	token T                     the fake Authorizer gets a token
//	eof | cancel | stdout closed        stdin ends; a signal came; EPIPE
//	expect exit                 the relay has ended within 2 s and without error
//
// A step waits for its event with a deadline; @name is optional everywhere and
// means the last request claimed. "remote<?" and "stream?" pass when the relay
// has hung up already. POSTs and GETs are two queues. In patterns, "*" is any
// value, "a*b" a shape, "/re/" a regular expression, "$x" a captured value,
// and a member "*" allows more members.
//
// A file's name begins with its rule, and the prose names others by the same
// letters: S the stdio end, L a host of a session revision, H Streamable HTTP,
// E24, E25a, E25b, E25c what 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 add
// (basic/transports and basic/lifecycle of each), C the conversation (C-21
// before initialize, C-22 sessions), K-29 the errors of the relay itself, R what
// may be sent again, I the interim answer, G the Gate, X what hurt others.
//
// At the end of every file: the relay ends within 2 s of EOF, nothing is left
// unclaimed on either side, stdout was one valid JSON-RPC message a line, no
// secret (session ids included) is on stdout, in the log or in the trace, every
// request carried what it had to, and no goroutine of the relay is left.
package bridge_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// conversations runs the files that fit the pattern, side by side.
func conversations(t *testing.T, pattern string, run func(t *testing.T, name string, s *script)) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations in %s: %v", pattern, err)
	}
	t.Run("all", func(t *testing.T) {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, err := parseScript(file)
				if err != nil {
					t.Fatal(err)
				}
				run(t, name, s)
			})
		}
	})
}

// TestConversationsParse holds every file to the grammar above.
func TestConversationsParse(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		s, err := parseScript(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, st := range s.steps {
			if !knownVerb(st.verb) {
				t.Errorf("%s:%d: unknown step %q", file, st.line, st.verb)
			}
		}
	}
}

func knownVerb(v string) bool {
	switch v {
	case "host>", "host>>", "host<", "host<=", "host", "remote>", "remote<", "remote", "other>", "other<", "other",
		"stream", "handshake", "open", "cell", "poll", "ask", "log", "learned", "alive", "eof", "cancel", "stdout", "expect", "token", "may-post":
		return true
	}
	return false
}
