package nibomo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

type descriptor struct {
	Name, Title, Description string
	InputSchema              map[string]any
	OutputSchema             map[string]any
	Annotations              map[string]any
	Execution                map[string]any
	Meta                     map[string]any `json:"_meta"`
}

func descriptors(t testing.TB, s *Service) []descriptor {
	t.Helper()
	var list []descriptor
	if err := json.Unmarshal(s.Tools(), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDescriptors holds the table of tools and their annotations.
func TestDescriptors(t *testing.T) {
	w := newWorld(t)
	want := []struct {
		name, title                   string
		readOnly, destructive, repeat any
		arguments, required           string
	}{
		{"sql_query", "Nibomo SQL query (read-only)", true, false, true, "sql workspaceId", "sql"},
		{"sql_execute", "Nibomo SQL execute (write)", false, true, nil, "sql workspaceId", "sql"},
		{"list_workspaces", "List flashcards workspaces", true, false, true, "", ""},
		{"get_guide", "Get flashcards usage guide", true, false, true, "topic", "topic"},
		{"next_review_card", "Next flashcard question", true, false, true, "deckId tags workspaceId", ""},
		{"reveal_answer", "Reveal flashcard answer", true, false, true, "cardId workspaceId", "cardId"},
		{"submit_review", "Submit flashcard review", false, true, true, "cardId rating reviewId reviewedTimeZone workspaceId", "cardId reviewId rating reviewedTimeZone"},
		{"get_usage_limits", "Get AI usage and limits", true, false, true, "", ""},
	}
	list := descriptors(t, w.Service)
	if len(list) != len(want) {
		t.Fatalf("%d tools", len(list))
	}
	for i, d := range list {
		x := want[i]
		annotations := map[string]any{"title": x.title, "readOnlyHint": x.readOnly, "destructiveHint": x.destructive, "openWorldHint": false}
		if x.repeat != nil {
			annotations["idempotentHint"] = x.repeat
		}
		if d.Name != x.name || d.Title != x.title || !reflect.DeepEqual(d.Annotations, annotations) {
			t.Errorf("%s: %+v", x.name, d)
		}
		if n := utf8.RuneCountInString(d.Description); n == 0 || n > 1024 {
			t.Errorf("%s: description of %d characters", d.Name, n)
		}
		if !reflect.DeepEqual(d.Execution, map[string]any{"taskSupport": "forbidden"}) {
			t.Errorf("%s: execution %v", d.Name, d.Execution)
		}
		sql := strings.HasPrefix(d.Name, "sql_")
		if sql != (d.Meta["anthropic/maxResultSizeChars"] == 48000.0) {
			t.Errorf("%s: _meta %v", d.Name, d.Meta)
		}
		in := d.InputSchema
		if in["$schema"] != "http://json-schema.org/draft-07/schema#" || in["additionalProperties"] != false || d.OutputSchema["type"] != "object" {
			t.Errorf("%s: schema %v", d.Name, in)
		}
		props, _ := in["properties"].(map[string]any)
		if got := strings.Join(sortedKeys(props), " "); got != x.arguments {
			t.Errorf("%s takes %q", d.Name, got)
		}
		required, _ := in["required"].([]any)
		if got := strings.Trim(fmt.Sprint(required), "[]"); got != x.required {
			t.Errorf("%s requires %q", d.Name, got)
		}
		// The schema and what is enforced are the same list.
		enforced := map[string]any{}
		for _, f := range fields(d.Name) {
			enforced[f.name] = true
		}
		if got := strings.Join(sortedKeys(enforced), " "); got != x.arguments {
			t.Errorf("%s enforces %q", d.Name, got)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		i := 0
		for i < len(keys) && keys[i] < k {
			i++
		}
		keys = append(keys[:i], append([]string{k}, keys[i:]...)...)
	}
	return keys
}

func TestDescribe(t *testing.T) {
	d := newWorld(t).Describe()
	var info map[string]any
	if err := json.Unmarshal(d.ServerInfo, &info); err != nil {
		t.Fatal(err)
	}
	if info["name"] != "flashcards-open-source-app" || info["version"] != "v1" || info["title"] != "Nibomo" || info["websiteUrl"] == "" {
		t.Errorf("%v", info)
	}
	if icons, _ := info["icons"].([]any); len(icons) != 1 {
		t.Errorf("icons %v", info["icons"])
	}
	if string(d.Capabilities) != `{"tools":{"listChanged":true}}` {
		t.Errorf("%s", d.Capabilities)
	}
	if n := utf8.RuneCountInString(d.Instructions); n < 500 || n > 2048 {
		t.Errorf("instructions of %d characters", n)
	}
}

// TestRefusals holds the table of failures that the protocol layer decides.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	id := "11111111-1111-1111-1111-111111111111"
	tags := make([]string, 101)
	for i := range tags {
		tags[i] = "x"
	}
	tooMany, _ := json.Marshal(map[string]any{"tags": tags})
	invalid := func(tool, text string) string {
		return "MCP error -32602: Input validation error: Invalid arguments for tool " + tool + ": " + text
	}
	for _, c := range []struct{ tool, args, want string }{
		{"nope", `{}`, "MCP error -32602: Tool nope not found"},
		{"list_workspaces", `{"x":1}`, invalid("list_workspaces", `Unrecognized key: "x"`)},
		{"get_usage_limits", `{"x":1,"y":2}`, invalid("get_usage_limits", `Unrecognized keys: "x", "y"`)},
		{"sql_query", `{"sql":"SHOW TABLES","limit":5}`, invalid("sql_query", `Unrecognized key: "limit"`)},
		{"reveal_answer", `{"cardId":"abc"}`, invalid("reveal_answer", "Invalid GUID at cardId")},
		{"reveal_answer", `{}`, invalid("reveal_answer", "Invalid input: expected string, received undefined at cardId")},
		{"reveal_answer", `{"cardId":null}`, invalid("reveal_answer", "Invalid input: expected string, received null at cardId")},
		{"reveal_answer", `{"cardId":7}`, invalid("reveal_answer", "Invalid input: expected string, received number at cardId")},
		{"sql_query", `{"sql":"   "}`, invalid("sql_query", "Too small: expected string to have >=1 characters at sql")},
		{"get_guide", `{"topic":"x"}`, invalid("get_guide", `Invalid option: expected one of "sql_dialect"|"card_authoring"|"bulk_authoring"|"review_flow" at topic`)},
		{"submit_review", `{"cardId":"` + id + `","reviewId":"` + id + `","rating":"good","reviewedTimeZone":"UTC"}`,
			invalid("submit_review", `Invalid option: expected one of "Again"|"Hard"|"Good"|"Easy" at rating`)},
		{"submit_review", `{"cardId":"` + id + `","reviewId":"` + id + `","rating":"Good","reviewedTimeZone":"Mars/Olympus"}`,
			invalid("submit_review", "Must be a valid IANA timezone at reviewedTimeZone")},
		{"submit_review", `{"cardId":"` + id + `","reviewId":"` + id + `","rating":"Good","reviewedTimeZone":"Local"}`,
			invalid("submit_review", "Must be a valid IANA timezone at reviewedTimeZone")},
		{"submit_review", `{"cardId":"` + id + `","reviewId":"` + id + `","rating":"Good","reviewedTimeZone":"UTC","reviewedAt":"now"}`,
			invalid("submit_review", `Unrecognized key: "reviewedAt"`)},
		{"next_review_card", string(tooMany), invalid("next_review_card", "Too big: expected array to have <=100 items at tags")},
		{"next_review_card", `{"tags":[""]}`, invalid("next_review_card", "Too small: expected string to have >=1 characters at tags[0]")},
		{"next_review_card", `{"tags":"x"}`, invalid("next_review_card", "Invalid input: expected array, received string at tags")},
		{"submit_review", `{"rating":1,"z":1}`, invalid("submit_review", strings.Join([]string{
			"Invalid input: expected string, received undefined at cardId",
			"Invalid input: expected string, received undefined at reviewId",
			`Invalid option: expected one of "Again"|"Hard"|"Good"|"Easy" at rating`,
			"Invalid input: expected string, received undefined at reviewedTimeZone",
			`Unrecognized key: "z"`}, "\n"))},
	} {
		r := w.call(c.tool, c.args)
		if r.Text != c.want || !r.IsError || r.Structured != nil {
			t.Errorf("%s %s\n got %s\nwant %s", c.tool, c.args, r.Text, c.want)
		}
	}
	// Identifiers are trimmed and lower-cased, and any version digit will do.
	card := w.card("Q", "A", "t")
	if r := w.ok("reveal_answer", map[string]any{"cardId": " " + strings.ToUpper(card) + "\n"}); r.Data["cardId"] != card {
		t.Errorf("%v", r.Data)
	}
	if r := w.call("reveal_answer", `{"cardId":"00000000-0000-f000-0000-00000000000A"}`); r.Message != "Card not found" {
		t.Errorf("%+v", r)
	}
}

func TestHandle(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		method, params string
		code           int
	}{
		{"prompts/list", `{}`, -32601},
		{"resources/list", `{}`, -32601},
		{"nope", ``, -32601},
		{"tools/call", `{"arguments":{}}`, -32603},
		{"tools/call", `{"name":"list_workspaces","arguments":[]}`, -32603},
		{"tools/call", `{"name":"list_workspaces","arguments":null}`, -32603},
		{"tools/call", ``, -32603},
		{"tools/call", `{"name":"list_workspaces"}`, 0},
		{"tools/list", `{}`, 0},
	} {
		res, err := w.Handle(t.Context(), w.conn, c.method, json.RawMessage(c.params))
		switch {
		case c.code == 0 && (err != nil || res == nil):
			t.Errorf("%s %s: %v", c.method, c.params, err)
		case c.code != 0 && (err == nil || err.Code != c.code):
			t.Errorf("%s %s: %v", c.method, c.params, err)
		case c.code == -32603:
			var list []map[string]any
			if e := json.Unmarshal([]byte(err.Message), &list); e != nil || len(list) == 0 {
				t.Errorf("%s %s: message is no list of issues: %q", c.method, c.params, err.Message)
			}
		}
	}
	res, _ := w.Handle(t.Context(), w.conn, "tools/list", nil)
	var list struct{ Tools []descriptor }
	if err := json.Unmarshal(res, &list); err != nil || len(list.Tools) != 8 {
		t.Errorf("%v %d", err, len(list.Tools))
	}
}

// TestEnvelope holds the form of both envelopes, member by member.
func TestEnvelope(t *testing.T) {
	w := newWorld(t)
	r := w.ok("list_workspaces", "")
	if got := strings.Join(sortedKeys(r.Envelope), " "); got != "data docs instructions ok" {
		t.Errorf("members: %s", got)
	}
	if strings.ContainsAny(r.Text, "\n\t") || !strings.HasPrefix(r.Text, `{"ok":true,"data":{`) {
		t.Errorf("not compact: %s", r.Text)
	}
	if !reflect.DeepEqual(r.Structured, map[string]any{"data": any(r.Data)}) {
		t.Errorf("structuredContent %v", r.Structured)
	}
	docs, _ := r.Envelope["docs"].(map[string]any)
	source, _ := docs["source"].(map[string]any)
	if docs["discoveryUrl"] == "" || strings.Join(sortedKeys(source), " ") != "agentRoutesUrl authRoutesUrl repositoryUrl" {
		t.Errorf("docs %v", docs)
	}
	f := w.call("reveal_answer", map[string]any{"cardId": "11111111-1111-1111-1111-111111111111"})
	if got := strings.Join(sortedKeys(f.Envelope), " "); got != "data docs error instructions ok" || len(f.Data) != 0 {
		t.Errorf("members: %s", got)
	}
	if f.Code != "REQUEST_FAILED" || f.Message != "Card not found" || f.Details != nil || f.Envelope["instructions"] == "" {
		t.Errorf("%+v", f)
	}
}

// validate checks v against the part of JSON Schema that the descriptors use.
func validate(schema map[string]any, v any, path string) error {
	if any, ok := schema["anyOf"].([]any); ok {
		var last error
		for _, s := range any {
			if last = validate(s.(map[string]interface{}), v, path); last == nil {
				return nil
			}
		}
		return last
	}
	kind := map[bool]string{}
	switch x := v.(type) {
	case nil:
		kind[true] = "null"
	case bool:
		kind[true] = "boolean"
	case string:
		kind[true] = "string"
	case float64:
		kind[true] = "number"
		if x == float64(int64(x)) {
			kind[true] = "integer"
		}
	case []any:
		kind[true] = "array"
	case map[string]any:
		kind[true] = "object"
	}
	types, ok := schema["type"].([]any)
	if !ok {
		types = []any{schema["type"]}
	}
	fits := false
	for _, want := range types {
		fits = fits || want == kind[true]
	}
	if !fits {
		return fmt.Errorf("%s is %s, not %v", path, kind[true], schema["type"])
	}
	if c, ok := schema["const"]; ok && c != v {
		return fmt.Errorf("%s is not %v", path, c)
	}
	if options, ok := schema["enum"].([]any); ok {
		found := false
		for _, o := range options {
			found = found || o == v
		}
		if !found {
			return fmt.Errorf("%s: %v is no option", path, v)
		}
	}
	if list, ok := v.([]any); ok {
		if items, ok := schema["items"].(map[string]any); ok {
			for i, x := range list {
				if err := validate(items, x, fmt.Sprintf("%s[%d]", path, i)); err != nil {
					return err
				}
			}
		}
	}
	if m, ok := v.(map[string]any); ok {
		props, _ := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, ok := m[name.(string)]; !ok {
				return fmt.Errorf("%s lacks %v", path, name)
			}
		}
		for name, x := range m {
			p, ok := props[name].(map[string]any)
			if !ok {
				if schema["additionalProperties"] == false {
					return fmt.Errorf("%s has %s", path, name)
				}
				continue
			}
			if err := validate(p, x, path+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestOutputSchemas: what the tools return is what they declare.
func TestOutputSchemas(t *testing.T) {
	w := newWorld(t)
	schemas := map[string]map[string]any{}
	for _, d := range descriptors(t, w.Service) {
		schemas[d.Name] = d.OutputSchema
	}
	check := func(tool string, args any) {
		t.Helper()
		r := w.ok(tool, args)
		if err := validate(schemas[tool], r.Structured, tool); err != nil {
			t.Errorf("%s %v: %v\n%s", tool, args, err, r.Raw)
		}
	}
	check("next_review_card", `{}`)
	check("list_workspaces", `{}`)
	card := w.card("Q", "A", "t")
	check("list_workspaces", `{}`)
	check("next_review_card", `{}`)
	check("reveal_answer", map[string]any{"cardId": card})
	check("submit_review", reviewArgs(card, newReviewID(), "Good"))
	check("get_usage_limits", `{}`)
	for _, topic := range topics() {
		check("get_guide", map[string]any{"topic": topic})
	}
	for _, q := range []string{"SHOW TABLES", "DESCRIBE decks", "SELECT * FROM cards", "SELECT * FROM workspace", "SELECT * FROM review_events", "SHOW TABLES; SELECT COUNT(*) FROM cards"} {
		check("sql_query", map[string]any{"sql": q})
	}
	for _, q := range []string{"INSERT INTO decks (name) VALUES ('d') RETURNING *", "UPDATE cards SET back_text = 'B' WHERE reps = 1; DELETE FROM decks WHERE name = 'd' RETURNING name", "DELETE FROM cards WHERE reps = 99"} {
		check("sql_execute", map[string]any{"sql": q})
	}
	if err := validate(schemas["get_guide"], map[string]any{"data": map[string]any{"topic": "x", "guide": "y"}}, "x"); err == nil {
		t.Error("the validator accepts anything")
	}
}

func TestGuides(t *testing.T) {
	w := newWorld(t)
	for _, topic := range topics() {
		r := w.ok("get_guide", map[string]any{"topic": topic})
		guide, _ := r.Data["guide"].(string)
		if r.Data["topic"] != topic || !strings.HasPrefix(guide, "# ") || utf8.RuneCountInString(guide) < 2500 {
			t.Errorf("%s: %d characters", topic, utf8.RuneCountInString(guide))
		}
	}
	// A guide reads no data: a user without a workspace stays without one.
	if list, err := w.workspaces(t.Context(), w.db, w.conn); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
}

// TestDialectGuide: every example of the guide is accepted.
func TestDialectGuide(t *testing.T) {
	w := newWorld(t)
	w.card("Q", "A", "tag")
	r := w.ok("get_guide", `{"topic":"sql_dialect"}`)
	guide, _ := r.Data["guide"].(string)
	n := 0
	for _, line := range strings.Split(guide, "\n") {
		if !strings.HasPrefix(line, "SELECT ") || strings.Contains(line, "list FROM") {
			continue
		}
		n++
		w.ok("sql_query", map[string]any{"sql": line})
	}
	if n < 5 {
		t.Errorf("only %d examples", n)
	}
}

func TestUsageLimits(t *testing.T) {
	w := newWorld(t)
	want := `{"accountKind":"account","entitlement":{"tier":"free","tierRank":10,"tierDisplayName":"Free","status":"none","until":null,"isTrial":false,"willRenew":false,"limits":{"aiMonthlyMessages":null,"aiMonthlyWeightedTokens":null}},"usage":{"monthStartsAt":"2026-11-01T00:00:00.000Z","monthEndsAt":"2026-12-01T00:00:00.000Z","usedMessages":0,"remainingMessages":null,"ownKeyMessages":0,"usedWeightedTokens":0,"remainingWeightedTokens":null,"weightedOutputTokenMultiplier":6}}`
	if r := w.ok("get_usage_limits", ""); !strings.HasPrefix(r.Text, `{"ok":true,"data":`+want+`,"instructions"`) {
		t.Errorf("%s", r.Text)
	}
}
