package bridge_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"bridge/bridge"
)

// A script is one parsed conversation file.
type script struct {
	settings settings
	steps    []step
	files    map[string]string // the other sections, for "body from NAME"
}

// A step is one line of a conversation with the indented lines below it.
type step struct {
	line    int // in the file
	verb    string
	loose   bool   // ~ : any of the waiting ones, not the next
	maybe   bool   // ? : only if the exchange is still there
	at      string // the exchange named with @, without the @
	rest    string
	details []string
}

// settings are the config section.
type settings struct {
	transport   bridge.Transport
	protocol    bridge.Protocol
	transparent bool
	path        string
	header      [][2]string
	timeouts    bridge.Timeouts
	maxMessage  int64
	ignore      []string
	tokens      []string // of the fake authorizer, in the order it has them
	waiting     string   // its SignInError, when it holds none yet
	recall      string
	recallEra   map[bridge.Protocol]bridge.Protocol
	secrets     []string
	scripted    map[string]bool // HTTP methods the file answers itself
	auto        map[string]int  // statuses of the others
	may         []string        // patterns of lines that may come or not
	mayPost     []string        // JSON-RPC methods that may be posted or not
	tls         string          // "", "trusted" or "untrusted"
	down        bool
	other       bool
	deadline    time.Duration
}

// detailLine is "Name: value" below a step.
var detailLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9-]+): ?(.*)$`)
})

func parseScript(file string) (*script, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseConversation(data)
}

func parseConversation(data []byte) (*script, error) {
	prose, sections := splitArchive(string(data))
	if len(strings.TrimSpace(prose)) < 40 {
		return nil, fmt.Errorf("a conversation begins with prose that says what it shows and by which rule")
	}
	s := &script{files: map[string]string{}}
	s.settings = settings{
		path:     "/mcp",
		scripted: map[string]bool{},
		auto:     map[string]int{"GET": 405, "DELETE": 200},
		deadline: 10 * time.Second,
	}
	for _, f := range sections {
		var err error
		switch f.name {
		case "config":
			err = s.settings.parse(f.text)
		case "wire":
			s.steps, err = parseSteps(f.text, f.line)
		default:
			s.files[f.name] = f.text
		}
		if err != nil {
			return nil, err
		}
	}
	if len(s.steps) == 0 {
		return nil, fmt.Errorf("no wire section")
	}
	return s, nil
}

// A section is a file of a txtar archive.
type section struct {
	name, text string
	line       int // of its first line
}

// splitArchive reads the txtar format: a comment, then "-- name --" sections.
func splitArchive(data string) (comment string, sections []section) {
	n := 0
	for line := range strings.Lines(data) {
		n++
		bare := strings.TrimSpace(line)
		name, ok := strings.CutPrefix(bare, "-- ")
		if name, ok2 := strings.CutSuffix(name, " --"); ok && ok2 {
			sections = append(sections, section{name: name, line: n + 1})
			continue
		}
		if len(sections) == 0 {
			comment += line
			continue
		}
		sections[len(sections)-1].text += line
	}
	return comment, sections
}

func parseSteps(text string, first int) ([]step, error) {
	var steps []step
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(steps) == 0 {
				return nil, fmt.Errorf("line %d: a detail without a step", first+i)
			}
			last := &steps[len(steps)-1]
			last.details = append(last.details, trimmed)
			continue
		}
		verb, rest, _ := strings.Cut(trimmed, " ")
		st := step{line: first + i, rest: strings.TrimSpace(rest)}
		switch {
		case strings.HasSuffix(verb, "~"):
			st.loose, verb = true, verb[:len(verb)-1]
		case strings.HasSuffix(verb, "?"):
			st.maybe, verb = true, verb[:len(verb)-1]
		}
		st.verb = verb
		if strings.HasPrefix(st.rest, "@") {
			name, rest, _ := strings.Cut(st.rest, " ")
			st.at, st.rest = name[1:], strings.TrimSpace(rest)
		}
		steps = append(steps, st)
	}
	return steps, nil
}

func (s *settings) parse(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, rest, _ := strings.Cut(line, " ")
		if err := s.set(key, strings.TrimSpace(rest)); err != nil {
			return fmt.Errorf("config %q: %w", line, err)
		}
	}
	return nil
}

func (s *settings) set(key, rest string) (err error) {
	switch key {
	case "transport":
		names := map[string]bridge.Transport{
			"auto": bridge.TransportAuto, "sse-first": bridge.TransportSSEFirst,
			"http-only": bridge.TransportHTTPOnly, "sse-only": bridge.TransportSSEOnly,
		}
		t, ok := names[rest]
		if !ok {
			return fmt.Errorf("unknown transport")
		}
		s.transport = t
	case "protocol":
		s.protocol, err = parseEra(rest)
	case "transparent":
		s.transparent = true
	case "path":
		s.path = rest
	case "header":
		m := detailLine().FindStringSubmatch(rest)
		if m == nil {
			return fmt.Errorf("want Name: value")
		}
		s.header = append(s.header, [2]string{m[1], m[2]})
		s.secrets = append(s.secrets, m[2])
	case "timeout":
		name, value, _ := strings.Cut(rest, " ")
		d, err := time.ParseDuration(value)
		if err != nil {
			return err
		}
		fields := map[string]*time.Duration{
			"connect": &s.timeouts.Connect, "tls": &s.timeouts.TLS, "response": &s.timeouts.Response,
			"probe": &s.timeouts.Probe, "initialize": &s.timeouts.Initialize, "retry": &s.timeouts.Retry, "input": &s.timeouts.Input,
		}
		f, ok := fields[name]
		if !ok {
			return fmt.Errorf("unknown phase")
		}
		*f = d
	case "max-message":
		s.maxMessage, err = strconv.ParseInt(rest, 10, 64)
	case "ignore-tool":
		s.ignore = append(s.ignore, rest)
	case "token":
		s.tokens = append(s.tokens, rest)
		s.secrets = append(s.secrets, rest)
	case "sign-in":
		s.waiting = rest
	case "recall":
		s.recall = rest
	case "recall-era":
		host, remote, _ := strings.Cut(rest, " ")
		h, err := parseEra(host)
		if err != nil {
			return err
		}
		if s.recallEra == nil {
			s.recallEra = map[bridge.Protocol]bridge.Protocol{}
		}
		s.recallEra[h], err = parseEra(remote)
		return err
	case "secret":
		s.secrets = append(s.secrets, rest)
	case "scripted":
		for m := range strings.FieldsSeq(rest) {
			s.scripted[m] = true
		}
	case "auto":
		m, status, _ := strings.Cut(rest, " ")
		s.auto[m], err = strconv.Atoi(status)
	case "may":
		s.may = append(s.may, rest)
	case "may-post":
		s.mayPost = append(s.mayPost, rest)
	case "tls":
		s.tls = rest
	case "down":
		s.down = true
	case "other-origin":
		s.other = true
	case "deadline":
		s.deadline, err = time.ParseDuration(rest)
	default:
		return fmt.Errorf("unknown key")
	}
	return err
}

func parseEra(name string) (bridge.Protocol, error) {
	switch name {
	case "auto":
		return bridge.ProtocolAuto, nil
	case "legacy":
		return bridge.ProtocolLegacy, nil
	case "modern":
		return bridge.ProtocolModern, nil
	}
	return 0, fmt.Errorf("unknown era %q", name)
}

// body is the body that the details of a step spell out: lines that begin with
// a bracket, "| text", "quoted \"…\"" or "from NAME".
func (st step) body(files map[string]string) (body []byte, header [][2]string, err error) {
	var lines []string
	for _, d := range st.details {
		switch {
		case d[0] == '{' || d[0] == '[' || d[0] == '}' || d[0] == ']' || d[0] == '"':
			lines = append(lines, d)
		case d[0] == '|':
			lines = append(lines, strings.TrimPrefix(d[1:], " "))
		case strings.HasPrefix(d, "quoted "):
			text, err := strconv.Unquote(strings.TrimPrefix(d, "quoted "))
			if err != nil {
				return nil, nil, fmt.Errorf("quoted body: %w", err)
			}
			lines = append(lines, text)
		case strings.HasPrefix(d, "from "):
			text, ok := files[strings.TrimPrefix(d, "from ")]
			if !ok {
				return nil, nil, fmt.Errorf("no section for %q", d)
			}
			lines = append(lines, strings.TrimSuffix(text, "\n"))
		default:
			m := detailLine().FindStringSubmatch(d)
			if m == nil {
				return nil, nil, fmt.Errorf("neither header nor body: %q", d)
			}
			header = append(header, [2]string{m[1], m[2]})
		}
	}
	return []byte(strings.Join(lines, "\n")), header, nil
}
