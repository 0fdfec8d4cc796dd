package front_test

import (
	"net/http"
	"strings"
	"testing"

	"bridge/internal/sandbox/front"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

func modern(method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":"m","method":"` + method + `","params":{` + params + meta + `}}`
}

func TestModern(t *testing.T) {
	h, _ := mount(t, front.Options{Era: front.EraModern, TTL: 5e9})
	const version = "MCP-Protocol-Version: 2026-07-28"
	call := func(name string, headers ...string) []string {
		return append([]string{version, "Mcp-Method: tools/call", "Mcp-Name: " + name}, headers...)
	}
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		want       string
	}{
		{"discover", modern("server/discover", ""), []string{version, "Mcp-Method: server/discover"}, 200, `"supportedVersions":["2026-07-28"]`},
		{"discover says who", modern("server/discover", ""), []string{version, "Mcp-Method: server/discover"}, 200, `"io.modelcontextprotocol/serverInfo":{"name":"sandbox-lab"`},
		{"list", modern("tools/list", ""), []string{version, "Mcp-Method: tools/list"}, 200, `"ttlMs":5000,"cacheScope":"private"`},
		{"call", modern("tools/call", `"name":"echo","arguments":{"n":12345678901234567890}`), call("echo"), 200, `12345678901234567890`},
		{"call is complete", modern("tools/call", `"name":"echo"`), call("echo"), 200, `"resultType":"complete"`},
		{"no _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{version, "Mcp-Method: tools/list"}, 400, "-32602"},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{version, "Mcp-Method: tools/list"}, 400, "-32602"},
		{"no version header", modern("tools/list", ""), []string{"Mcp-Method: tools/list"}, 400, "-32020"},
		{"other version header", modern("tools/list", ""), []string{"MCP-Protocol-Version: 2027-01-01", "Mcp-Method: tools/list"}, 400, "-32020"},
		{"unknown version", strings.ReplaceAll(modern("tools/list", ""), "2026-07-28", "2027-01-01"), []string{"MCP-Protocol-Version: 2027-01-01", "Mcp-Method: tools/list"}, 400, `-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2027-01-01"}`},
		{"initialize", initialize, nil, 400, `"requested":"2025-06-18"`},
		{"no method header", modern("tools/list", ""), []string{version}, 400, "-32020"},
		{"wrong name header", modern("tools/call", `"name":"echo"`), call("fail"), 400, "-32020"},
		{"encoded name header", modern("tools/call", `"name":"echo"`), call("=?base64?ZWNobw==?="), 200, "complete"},
		{"unknown method", modern("nope", ""), []string{version, "Mcp-Method: nope"}, 404, "-32601"},
		{"ping is gone", modern("ping", ""), []string{version, "Mcp-Method: ping"}, 404, "-32601"},
		{"refusal has the id", modern("nope", ""), []string{version, "Mcp-Method: nope"}, 404, `"id":"m"`},
		{"bad log level", strings.Replace(modern("tools/list", ""), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"loud",`, 1), []string{version, "Mcp-Method: tools/list"}, 400, "-32602"},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{version}, 400, "-32600"},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, []string{version}, 202, ""},
		{"mirrored arguments", modern("tools/call", `"name":"mirror","arguments":{"region":"é","options":{"depth":3}}`), call("mirror", "Mcp-Param-Region: =?base64?w6k=?=", "Mcp-Param-Depth: 3"), 200, "depth"},
		{"mirror missing", modern("tools/call", `"name":"mirror","arguments":{"region":"x"}`), call("mirror"), 400, "Mcp-Param-Region"},
		{"mirror of nothing", modern("tools/call", `"name":"mirror","arguments":{}`), call("mirror", "Mcp-Param-Region: x"), 400, "-32020"},
		{"asks by result", modern("tools/call", `"name":"ask"`), call("ask"), 200, `"resultType":"input_required"`},
		{"asks nobody deaf", strings.Replace(modern("tools/call", `"name":"ask"`), `{"elicitation":{}}`, `{}`, 1), call("ask"), 400, `"requiredCapabilities":{"elicitation":{}}`},
		{"answered", modern("tools/call", `"name":"ask","requestState":"lab \"1\"","inputResponses":{"name":{"action":"accept","content":{"name":"Budi"}}}`), call("ask"), 200, "Hello, Budi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := do(t, "POST", h.URL, c.body, c.headers...)
			if got := read(t, resp); resp.StatusCode != c.status || !strings.Contains(got, c.want) {
				t.Errorf("%d %s, want %d with %s", resp.StatusCode, got, c.status, c.want)
			}
		})
	}
	if r := do(t, http.MethodGet, h.URL, ""); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", r.StatusCode)
	}
}

func TestModernStream(t *testing.T) {
	h, _ := mount(t, front.Options{Era: front.EraBoth, Answer: front.AnswerSSE})
	const version = "MCP-Protocol-Version: 2026-07-28"
	ev := stream(do(t, "POST", h.URL, strings.Replace(modern("tools/call", `"name":"count","arguments":{"steps":1}`), `"_meta":{`, `"_meta":{"progressToken":9,`, 1), version, "Mcp-Method: tools/call", "Mcp-Name: count"))
	if e, _ := ev.next(); !strings.Contains(e.data, `"progressToken":9`) || e.id != "" {
		t.Errorf("progress: %+v", e)
	}
	if e, _ := ev.next(); !strings.Contains(e.data, "counted to 1") {
		t.Errorf("answer: %+v", e)
	}
	if r := do(t, "POST", h.URL, modern("nope", ""), version, "Mcp-Method: nope"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an early error keeps its status: %d", r.StatusCode)
	}
	// The other era on the same mount.
	if e, _ := stream(do(t, "POST", h.URL, initialize)).next(); !strings.Contains(e.data, "2025-06-18") {
		t.Errorf("initialize: %+v", e)
	}
}

func TestListen(t *testing.T) {
	h, s := mount(t, front.Options{Era: front.EraModern})
	ev := stream(do(t, "POST", h.URL, modern("subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["lab://note"]}`), "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"))
	ack, _ := ev.next()
	if want := `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"m"},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["lab://note"]}}`; !strings.Contains(ack.data, want) {
		t.Errorf("acknowledged: %s", ack.data)
	}
	s.Broadcast("notifications/prompts/list_changed", nil) // not asked for
	s.Broadcast("notifications/resources/updated", []byte(`{"uri":"lab://note"}`))
	if e, _ := ev.next(); !strings.Contains(e.data, `"uri":"lab://note"`) || !strings.Contains(e.data, `subscriptionId":"m"`) {
		t.Errorf("event: %s", e.data)
	}
	s.Close()
	if e, _ := ev.next(); !strings.Contains(e.data, `"resultType":"complete"`) {
		t.Errorf("graceful end: %s", e.data)
	}
}
