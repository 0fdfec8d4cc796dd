package bridge_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bridge/bridge"
)

// The conversations of the two eras: what every one of them promises, and how
// they begin. The cells are host × remote:
//
//	LxM  a host of a session revision, a remote of 2026-07-28
//	MxM  both of 2026-07-28
//	MxL  a host of 2026-07-28, a remote of a session revision

// These texts stand for what every request of 2026-07-28 carries. $META is a
// host's own, $LMETA what the relay says of the host of "open LxM".
const (
	metaText  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}}`
	lmetaText = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}}`
)

// eraTexts are the texts that stand for longer ones in every line.
func eraTexts(m map[string]string) {
	m["$META"], m["$LMETA"] = metaText, lmetaText
	m["$200KB"] = strings.Repeat("0123456789abcde\\u0020", 10000)
}

// open plays the beginning of a conversation: "open CELL [REVISION] [session
// NAME]". The revision is the legacy side's. Below it may stand
//
//	capabilities {…}    of the remote
//	client {…}          of the host
//	discover {…}        members for the DiscoverResult
func (c *conversation) openCell(st step) error {
	words := strings.Fields(st.rest)
	revision, session := "2025-11-25", ""
	for i, w := range words {
		switch {
		case w == "session" && i+1 < len(words):
			session = words[i+1]
		case i == 1 && w != "session":
			revision = w
		}
	}
	capabilities := `{"tools":{},"prompts":{},"resources":{},"logging":{},"completions":{}}`
	client, discover := "", ""
	for _, d := range st.details {
		switch word, rest, _ := strings.Cut(d, " "); word {
		case "capabilities":
			capabilities = rest
		case "client":
			client = rest
		case "discover":
			discover = "," + rest
		default:
			return fmt.Errorf("unknown detail %q", d)
		}
	}
	result := fmt.Sprintf(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"remote","version":"1"}}%s}`, capabilities, discover)
	meta := metaText
	if client != "" {
		meta = fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}`, client)
	}
	var text string
	switch words[0] {
	case "MxM":
		text = fmt.Sprintf(`
host> {"jsonrpc":"2.0","id":"open","method":"server/discover","params":{%[1]s}}
remote> POST server/discover
remote< 200 application/json
    {"jsonrpc":"2.0","id":"$probe","result":%[2]s}
remote> POST server/discover
    body same
remote< 200 application/json
    {"jsonrpc":"2.0","id":"open","result":%[2]s}
host< {"jsonrpc":"2.0","id":"open","result":%[2]s}
`, meta, result)
	case "LxM":
		if client == "" {
			client = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
		}
		text = fmt.Sprintf(`
host> {"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%[1]s","capabilities":%[3]s,"clientInfo":{"name":"host","version":"1"}}}
remote> POST initialize
    body same
remote< 400 application/json
    {"jsonrpc":"2.0","id":"init","error":{"code":-32602,"message":"_meta is missing"}}
remote> POST server/discover
remote< 200 application/json
    {"jsonrpc":"2.0","id":"$probe","result":%[2]s}
host< {"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"%[1]s","*":"*"}}
host> {"jsonrpc":"2.0","method":"notifications/initialized"}
`, revision, result, client)
	case "MxL":
		header := ""
		if session != "" {
			header = "\n    Mcp-Session-Id: " + session
		}
		text = fmt.Sprintf(`
host> {"jsonrpc":"2.0","id":"open","method":"server/discover","params":{%[1]s}}
remote> POST server/discover
remote< 404 text/plain
    | Not Found
remote> POST initialize
    Mcp-Session-Id: -
    body {"jsonrpc":"2.0","id":"$initialize","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":"*","clientInfo":{"name":"host","version":"1"}}}
remote< 200 application/json%[2]s
    {"jsonrpc":"2.0","id":"$initialize","result":{"protocolVersion":"%[3]s","capabilities":%[4]s,"serverInfo":{"name":"remote","version":"1"}}}
remote> POST notifications/initialized
    Mcp-Session-Id: %[5]s
remote< 202
host<~ {"jsonrpc":"2.0","id":"open","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"*":"*"}}
`, meta, header, revision, capabilities, map[bool]string{true: "-", false: session}[session == ""])
	default:
		return fmt.Errorf("unknown cell %q", words[0])
	}
	c.enter(words[0])
	return c.play("opening "+words[0], text)
}

// enter holds everything from here on to the promises of a cell.
func (c *conversation) enter(cell string) {
	c.cell = cell
	c.remote.mu.Lock()
	c.remote.cell = cell
	c.remote.mu.Unlock()
	c.host.mu.Lock()
	c.host.cell = cell
	c.host.mu.Unlock()
}

// claimsEras reports whether the conversation is about what is remembered.
func (c *conversation) claimsEras() bool {
	return slices.ContainsFunc(c.script.steps, func(st step) bool { return st.verb == "learned" })
}

// expectLearned waits until RememberEra is told "HOST ERA".
func (c *conversation) expectLearned(rest string) error {
	host, remote, _ := strings.Cut(rest, " ")
	var want [2]bridge.Protocol
	var err error
	if want[0], err = parseEra(host); err != nil {
		return err
	}
	if want[1], err = parseEra(remote); err != nil {
		return err
	}
	timer := time.NewTimer(c.remote.deadline)
	defer timer.Stop()
	select {
	case got := <-c.learned:
		if got != want {
			return fmt.Errorf("it was told %v, want %v", got, want)
		}
		return nil
	case <-timer.C:
		return errors.New("it was not told")
	}
}

// play runs steps that a step stands for.
func (c *conversation) play(what, text string) error {
	steps, err := parseSteps(text, 0)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := c.step(s); err != nil {
			return fmt.Errorf("%s: %s %s: %w", what, s.verb, clip([]byte(s.rest)), err)
		}
		// The id of the relay's own probe is needed for its answer.
		if s.verb == "remote>" && strings.HasSuffix(s.rest, "server/discover") {
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal(c.last.body, &m); err != nil {
				return err
			}
			c.host.vars["probe"] = m.ID
		}
	}
	return nil
}

// aliveCell is an ordinary call in a cell.
func (c *conversation) aliveCell() error {
	hostMeta, remoteMeta, id := "", "", `"alive"`
	extra := ""
	switch c.cell {
	case "MxM":
		hostMeta, remoteMeta, extra = ","+metaText, ","+metaText, `"resultType":"complete",`
	case "LxM":
		remoteMeta, extra = `,"_meta":"*"`, `"resultType":"complete",`
	case "MxL":
		hostMeta, id = ","+metaText, `"/^[0-9]+$/"`
	}
	delete(c.host.vars, "alive")
	if err := c.play("it is not alive", fmt.Sprintf(`
may-post tools/list
host> {"jsonrpc":"2.0","id":"alive","method":"tools/call","params":{"name":"alive","arguments":{}%s}}
remote>~ POST tools/call
    body {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"alive","arguments":{}%s}}
`, hostMeta, id, remoteMeta)); err != nil {
		return err
	}
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal(c.last.body, &m); err != nil {
		return err
	}
	return c.play("it is not alive", fmt.Sprintf(`
remote< 200 application/json
    {"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":"yes"}]}}
host<~ {"jsonrpc":"2.0","id":"alive","result":{"content":[{"type":"text","text":"yes"}],"*":"*"}}
`, m.ID, extra))
}

// cellFault says what is wrong with a line on stdout in a cell.
func cellFault(cell string, line []byte) string {
	if line[0] == '[' {
		return ""
	}
	var m struct {
		ID     json.RawMessage
		Method *string
		Result map[string]json.RawMessage
		Error  *struct{ Code int }
	}
	if json.Unmarshal(line, &m) != nil {
		return ""
	}
	switch cell {
	case "MxM", "MxL":
		if m.ID != nil && m.Method != nil {
			return "a request for a host of 2026-07-28 (N-01): " + clip(line)
		}
	case "LxM":
		for _, k := range []string{"resultType", "ttlMs", "cacheScope"} {
			if _, ok := m.Result[k]; ok {
				return "a result with " + k + " for a host of a session revision: " + clip(line)
			}
		}
	}
	if cell != "MxL" {
		return ""
	}
	if m.Result != nil && m.Result["resultType"] == nil {
		return "a result without resultType (N-05): " + clip(line)
	}
	if e := m.Error; e != nil && (e.Code == -32002 || e.Code <= -32020 && e.Code >= -32099 && e.Code < -32022) {
		return "an error code that 2026-07-28 does not have (N-14): " + clip(line)
	}
	return ""
}

// eraFaults checks what every request owes to a remote of its era: headers that
// repeat the body, no session, no answers (E26-01 to E26-05); and to one of a
// session revision nothing of 2026-07-28.
func eraFaults(cell string, ex *exchange) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if ex.method != http.MethodPost {
		if cell == "MxM" || cell == "LxM" {
			fault("2026-07-28 knows POST only")
		}
		return faults
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name, URI, TaskID *string
			Meta              map[string]json.RawMessage `json:"_meta"`
		}
	}
	if json.Unmarshal(ex.body, &m) != nil {
		return nil // an array, or what a test sends on purpose
	}
	var version string
	_ = json.Unmarshal(m.Params.Meta["io.modelcontextprotocol/protocolVersion"], &version)
	if version == "" {
		if m.ID != nil && m.Method != "initialize" && ex.header.Get("Mcp-Method") != "" {
			fault("Mcp-Method %q on a request of a session revision", ex.header.Get("Mcp-Method"))
		}
		for _, key := range []string{"protocolVersion", "clientInfo", "clientCapabilities", "logLevel"} {
			if cell == "MxL" && strings.Contains(string(ex.body), "io.modelcontextprotocol/"+key) {
				fault("a session revision's remote gets %s", clip(ex.body))
			}
		}
		if (cell == "MxM" || cell == "LxM") && m.Method == "" {
			fault("an answer for a remote of 2026-07-28")
		}
		if (cell == "MxM" || cell == "LxM") && m.Method != "initialize" && m.Method != "" && ex.header.Get("Mcp-Method") != m.Method {
			fault("Mcp-Method %q for %s", ex.header.Get("Mcp-Method"), m.Method)
		}
		return faults
	}
	if got := ex.header.Get("Mcp-Protocol-Version"); got != version {
		fault("MCP-Protocol-Version %q, the body says %q", got, version)
	}
	if got := decodeHeader(ex.header.Get("Mcp-Method")); got != m.Method {
		fault("Mcp-Method %q, the body says %q", got, m.Method)
	}
	var name *string
	switch m.Method {
	case "tools/call", "prompts/get":
		name = m.Params.Name
	case "resources/read":
		name = m.Params.URI
	case "tasks/get", "tasks/update", "tasks/cancel":
		name = m.Params.TaskID
	}
	switch got, ok := ex.header["Mcp-Name"]; {
	case name == nil && ok:
		fault("Mcp-Name %q without a reason", got)
	case name != nil && (!ok || decodeHeader(got[0]) != *name):
		fault("Mcp-Name %q, the body says %q", got, *name)
	}
	for _, h := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		if ex.header.Get(h) != "" {
			fault("%s on a request of 2026-07-28", h)
		}
	}
	return faults
}

func decodeHeader(v string) string {
	if in, ok := strings.CutPrefix(v, "=?base64?"); ok {
		if in, ok = strings.CutSuffix(in, "?="); ok {
			b, err := base64.StdEncoding.DecodeString(in)
			if err != nil {
				return "bad base64: " + v
			}
			return string(b)
		}
	}
	return v
}

// again plays rounds of input_required: "poll N METHOD" with a state alone that
// counts from 0, "ask N METHOD" with a question.
func (c *conversation) again(st step) error {
	var n int
	var method string
	if _, err := fmt.Sscan(st.rest, &n, &method); err != nil {
		return err
	}
	for i := range n {
		carries, next := fmt.Sprintf(`"requestState":"%d"`, i), fmt.Sprintf(`"requestState":"%d"`, i+1)
		text := ""
		if st.verb == "ask" {
			carries, next = `"inputResponses":{"a":{"roots":[]}}`, `"inputRequests":{"a":{"method":"roots/list"}}`
			text = fmt.Sprintf(`
host< {"jsonrpc":"2.0","id":"$asked%[1]d","method":"roots/list"}
host> {"jsonrpc":"2.0","id":"$asked%[1]d","result":{"roots":[]}}
`, i)
		}
		text += fmt.Sprintf(`
remote> POST %[1]s
    body {"jsonrpc":"2.0","id":"$round%[2]d","method":"%[1]s","params":{"*":"*",%[3]s}}
remote< 200 application/json
    {"jsonrpc":"2.0","id":"$round%[2]d","result":{"resultType":"input_required",%[4]s}}
`, method, i, carries, next)
		if err := c.play(fmt.Sprintf("round %d", i), text); err != nil {
			return err
		}
	}
	return nil
}
