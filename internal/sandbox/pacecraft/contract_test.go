package pacecraft

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests of this file go down the page on PaceCraft's MCP endpoint.

func TestHandshake(t *testing.T) {
	f := newFixture(t)
	for asked, want := range map[string]string{
		"2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26", "2024-11-05": "2024-11-05", "2025-11-25": "2025-11-25",
		"": "2025-06-18", "2026-07-28": "2025-06-18", "1999-01-01": "2025-06-18",
	} {
		var r struct {
			ProtocolVersion, Instructions string
			Capabilities                  struct{ Tools *struct{} }
			ServerInfo                    struct{ Name, Version string }
		}
		if err := json.Unmarshal(f.s.InitializeResult(asked), &r); err != nil {
			t.Fatal(err)
		}
		if r.ProtocolVersion != want {
			t.Errorf("asked for %q, got %q, want %q", asked, r.ProtocolVersion, want)
		}
		if r.ServerInfo.Name == "" || r.ServerInfo.Version == "" || r.Capabilities.Tools == nil || !strings.Contains(r.Instructions, "confirmed") {
			t.Errorf("incomplete: %+v", r)
		}
	}
}

// tools/list needs no workspace, nor does anything about the account matter.
func TestToolsListWithoutWorkspace(t *testing.T) {
	f := newFixture(t)
	raw, rpcErr := f.s.Handle(t.Context(), f.rani, "", "tools/list", nil)
	if rpcErr != nil {
		t.Fatal(rpcErr)
	}
	var r struct {
		Tools []struct {
			Name, Title, Description string
			InputSchema              struct {
				Type                 string
				Properties           map[string]struct{ Type, Description string }
				Required             []string
				AdditionalProperties *bool
			}
			Annotations struct {
				Title                         string
				ReadOnlyHint, DestructiveHint *bool
			}
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
		a, s := tool.Annotations, tool.InputSchema
		writes := tool.Name == "create_doc" || tool.Name == "update_doc"
		if a.ReadOnlyHint == nil || *a.ReadOnlyHint == writes {
			t.Errorf("%s: readOnlyHint is wrong", tool.Name)
		}
		if writes && (a.DestructiveHint == nil || *a.DestructiveHint != (tool.Name == "update_doc")) {
			t.Errorf("%s: destructiveHint is wrong", tool.Name)
		}
		if tool.Title == "" || a.Title == "" || tool.Description == "" {
			t.Errorf("%s: no title or description", tool.Name)
		}
		if s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s: schema %+v", tool.Name, s)
		}
		for name, p := range s.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: argument %s has no type or description", tool.Name, name)
			}
		}
		for _, req := range s.Required {
			if _, ok := s.Properties[req]; !ok {
				t.Errorf("%s: requires %q, which it lacks", tool.Name, req)
			}
		}
	}
	want := []string{"list_spaces", "search_tasks", "get_task", "list_docs", "read_doc", "list_activity", "create_doc", "update_doc"}
	if !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

func TestWorkspaceParameter(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	where := func(who Account, param string) result {
		t.Helper()
		raw, rpcErr := f.s.Call(ctx, who, param, "list_spaces", json.RawMessage(`{}`))
		if rpcErr != nil {
			t.Fatal(rpcErr)
		}
		var r result
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	in := func(who Account, param string, want Workspace) {
		t.Helper()
		var d struct{ Workspace Workspace }
		r := where(who, param)
		if r.IsError || json.Unmarshal(r.Data, &d) != nil || d.Workspace != want {
			t.Errorf("?workspace=%s: %s, want %v", param, r.text(), want)
		}
	}
	says := func(who Account, param string, parts ...string) {
		t.Helper()
		r := where(who, param)
		if !r.IsError {
			t.Errorf("?workspace=%s succeeded: %s", param, r.text())
		}
		for _, p := range parts {
			if !strings.Contains(r.text(), p) {
				t.Errorf("?workspace=%s: %q lacks %q", param, r.text(), p)
			}
		}
	}

	in(f.rani, "alfagift", f.alfa)
	in(f.rani, f.alfa.ID, f.alfa)
	in(f.rani, "ALFAGIFT", f.alfa)
	in(f.rani, "Kedai Teh Séruni", f.tea)
	in(f.rani, "kedai teh sÉruni", f.tea)
	in(f.rani, f.tea.ID, f.tea)
	list := []string{f.alfa.Name, f.alfa.ID, f.tea.Name, f.tea.ID, "?workspace=alfagift", "?workspace=Kedai%20Teh%20S%C3%A9runi"}
	says(f.rani, "", append(list, "2 workspace")...)
	says(f.rani, "tokopedia", append(list, `"tokopedia"`, "tidak ditemukan")...)

	// Every tool call, also one that is refused or has wrong arguments, says so first.
	for _, tool := range append(names(), "create_task") {
		for _, args := range []string{`{}`, `{"nonsense":1}`} {
			if r := f.call("", tool, args); !r.IsError || !strings.Contains(r.text(), f.tea.Name) {
				t.Errorf("%s without a workspace: %s", tool, r.text())
			}
		}
	}

	solo := must(f.s.CreateAccount(ctx, "Solo", "solo@example.com"))(t)
	says(solo, "", "belum menjadi anggota")
	says(solo, "alfagift", "belum menjadi anggota") // exists, but not for this account
	mine := must(f.s.CreateWorkspace(ctx, solo.ID, "Satu-satunya"))(t)
	in(solo, "", mine)
	in(solo, "Satu-satunya", mine)
	says(solo, "alfagift", `"alfagift"`, "tidak ditemukan", mine.Name)
	if r := where(solo, "alfagift"); strings.Contains(r.text(), f.alfa.ID) {
		t.Errorf("names a workspace of another account: %s", r.text())
	}

	twin := must(f.s.CreateWorkspace(ctx, solo.ID, "Satu-satunya"))(t)
	says(solo, "Satu-satunya", mine.ID, twin.ID, "id")
	in(solo, twin.ID, twin)
}

func names() []string {
	var out []string
	for _, t := range allTools() {
		out = append(out, t.name)
	}
	return out
}

// One connection is one workspace: ids of the other one find nothing, and
// lists do not mix.
func TestNoToolReachesIntoAnotherWorkspace(t *testing.T) {
	f := newFixture(t)
	foreign := map[string]string{
		"get_task":      js(map[string]any{"taskId": f.teaTask.ID}),
		"read_doc":      js(map[string]any{"docId": f.teaDoc}),
		"search_tasks":  js(map[string]any{"spaceId": f.teaSpace.ID}),
		"list_docs":     js(map[string]any{"spaceId": f.teaSpace.ID}),
		"list_activity": js(map[string]any{"spaceId": f.teaSpace.ID}),
		"create_doc":    js(map[string]any{"spaceId": f.teaSpace.ID, "title": "x", "confirmed": true}),
		"update_doc":    js(map[string]any{"docId": f.teaDoc, "content": "x", "confirmed": true}),
	}
	before := f.stored()
	for tool, args := range foreign {
		f.fails(tool, args, "tidak ada di workspace", `"alfagift"`)
		f.fails(tool, strings.Replace(args, `"confirmed":true`, `"confirmed":false`, 1), "tidak ada di workspace", `"alfagift"`)
	}
	if f.stored() != before {
		t.Fatal("something was written")
	}
	for tool, args := range foreign { // the same calls are good where they belong
		if r := f.call(f.tea.ID, tool, args); r.IsError {
			t.Errorf("%s in its own workspace: %s", tool, r.text())
		}
	}
	for _, tool := range []string{"list_spaces", "search_tasks", "list_docs", "list_activity"} {
		r := f.call(f.tea.ID, tool, `{}`)
		if strings.Contains(r.text(), f.space.ID) || !strings.Contains(r.text(), f.teaSpace.ID) {
			t.Errorf("%s: %s", tool, r.text())
		}
	}
}

func TestListSpaces(t *testing.T) {
	f := newFixture(t)
	var d struct {
		Workspace Workspace
		Spaces    []Space
	}
	r := f.ok("list_spaces", `{}`, &d)
	if d.Workspace != f.alfa || !reflect.DeepEqual(d.Spaces, []Space{f.space}) {
		t.Errorf("got %+v", d)
	}
	if r.text() != string(r.Data) {
		t.Errorf("text %q is not the structured content %s", r.text(), r.Data)
	}
}

func TestSearchTasks(t *testing.T) {
	f := newFixture(t)
	for args, want := range map[string][]string{
		`{}`:                                            {"Selesai terlambat", "Terlambat", "Besok", "Tanpa tenggat"},
		`{"overdueOnly":true}`:                          {"Terlambat"},
		`{"overdueOnly":false,"limit":1}`:               {"Selesai terlambat"},
		`{"limit":2,"offset":1}`:                        {"Terlambat", "Besok"},
		`{"query":"terlambat"}`:                         {"Selesai terlambat", "Terlambat"},
		`{"query":"100% untuk"}`:                        {"Terlambat"},
		`{"query":"1__%"}`:                              {},
		`{"query":"kode_promo"}`:                        {"Terlambat"},
		`{"status":"in_progress"}`:                      {"Besok"},
		`{"assignee":"me"}`:                             {"Besok"},
		`{"assignee":"budi santoso"}`:                   {"Terlambat"},
		`{"assignee":"BUDI@example.com"}`:               {"Terlambat"},
		`{"dueAfter":"2026-11-30"}`:                     {"Terlambat", "Besok"},
		`{"dueBefore":"2026-11-30T08:00:00Z"}`:          {"Selesai terlambat"},
		`{"spaceId":"` + f.space.ID + `","query":null}`: {"Selesai terlambat", "Terlambat", "Besok", "Tanpa tenggat"},
	} {
		var d struct {
			Total, Offset int
			Tasks         []struct {
				Title, Status, SpaceName string
				Overdue                  bool
				Deadline                 *time.Time
				Assignee                 *person
			}
		}
		f.ok("search_tasks", args, &d)
		got := []string{}
		for _, k := range d.Tasks {
			got = append(got, k.Title)
			if k.Overdue != (k.Title == "Terlambat") || k.SpaceName != "Rilis" || (k.Deadline == nil) != (k.Title == "Tanpa tenggat") {
				t.Errorf("%s: %+v", args, k)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", args, got, want)
		}
		if strings.Contains(args, "limit") && d.Total != 4 {
			t.Errorf("%s: total %d", args, d.Total)
		}
	}
}

// A deadline passes while the service runs.
func TestOverdueFollowsTheClock(t *testing.T) {
	f := newFixture(t)
	titles := func() string { return f.ok("search_tasks", `{"overdueOnly":true}`, nil).text() }
	if strings.Contains(titles(), "Besok") {
		t.Fatal("overdue before its deadline")
	}
	f.s.now = func() time.Time { return today.Add(25 * time.Hour) }
	if !strings.Contains(titles(), "Besok") {
		t.Fatal("not overdue after its deadline")
	}
}

func TestGetTask(t *testing.T) {
	f := newFixture(t)
	var d struct {
		ID, Title, Description, Status string
		Assignee                       person
		Deadline, CreatedAt            time.Time
		Overdue                        bool
	}
	f.ok("get_task", js(map[string]any{"taskId": f.overdue.ID}), &d)
	if d.ID != f.overdue.ID || d.Description != f.overdue.Description || d.Status != StatusTodo || d.Assignee.Name != "Budi Santoso" ||
		!d.Deadline.Equal(f.overdue.Deadline) || !d.CreatedAt.Equal(today) || !d.Overdue {
		t.Errorf("got %+v", d)
	}
	f.fails("get_task", `{"taskId":"task_x"}`, `"taskId"`, `"task_x"`, "search_tasks")
}

// "Sum up the release plan doc": list_docs, then read_doc.
func TestListDocsThenReadDoc(t *testing.T) {
	f := newFixture(t)
	var d struct {
		Total int
		Docs  []docView
	}
	f.ok("list_docs", `{"query":"renc"}`, &d)
	if d.Total != 1 || d.Docs[0].ID != f.doc || d.Docs[0].CreatedBy.Name != "Budi Santoso" || d.Docs[0].SpaceName != "Rilis" {
		t.Fatalf("got %+v", d)
	}
	r := f.ok("read_doc", js(map[string]any{"docId": d.Docs[0].ID}), nil)
	want := "# Satu\n\n## Dua\n\n### Tiga\n\nteks\n\n- a\n- b\n\n1. c\n\n> d\n\n```go\ne\n```\n\n---\n"
	if r.text() != want {
		t.Errorf("read_doc = %q, want %q", r.text(), want)
	}
	f.fails("read_doc", `{"docId":"doc_x"}`, `"docId"`, `"doc_x"`, "list_docs")
	if f.ok("list_docs", `{"query":"tidak ada"}`, &d); d.Total != 0 || d.Docs == nil {
		t.Errorf("no documents: %+v", d)
	}
}

func TestListActivity(t *testing.T) {
	f := newFixture(t)
	f.s.now = func() time.Time { return today.Add(time.Hour) }
	f.ok("create_doc", js(map[string]any{"spaceId": f.space.ID, "title": "Baru", "confirmed": true}), nil)
	var d struct {
		Total    int
		Activity []activityView
	}
	f.ok("list_activity", `{"limit":1}`, &d)
	if d.Total != 6 || len(d.Activity) != 1 || d.Activity[0].Title != "Baru" || d.Activity[0].At != "2026-11-30T10:00:00Z" {
		t.Errorf("newest: %+v", d)
	}
	f.ok("list_activity", `{"since":"2026-11-30T09:30:00Z"}`, &d)
	if d.Total != 1 {
		t.Errorf("since: %+v", d)
	}
	f.ok("list_activity", `{"offset":5}`, &d)
	if len(d.Activity) != 1 || d.Activity[0].Type != "DOC_CREATED" || d.Activity[0].Actor.Name != "Budi Santoso" {
		t.Errorf("oldest: %+v", d)
	}
}

func TestTaskWritesAreRefusedInTheDocumentedWords(t *testing.T) {
	f := newFixture(t)
	before := f.stored()
	for _, name := range []string{"create_task", "update_task", "update_task_status", "create_comment", "set_custom_field", "delete_doc"} {
		r := f.call("alfagift", name, `{"title":"x","confirmed":true}`)
		if want := `Tool "` + name + `" tidak tersedia via MCP eksternal.`; !r.IsError || r.text() != want {
			t.Errorf("%s: %q, want %q", name, r.text(), want)
		}
		if strings.Contains(string(f.s.Tools()), `"`+name+`"`) {
			t.Errorf("%s is listed", name)
		}
	}
	if f.stored() != before {
		t.Error("something was written")
	}
	if _, e := f.s.Call(t.Context(), f.rani, "alfagift", "make_coffee", nil); e == nil || e.Code != -32602 || !strings.Contains(e.Message, "make_coffee") {
		t.Errorf("unknown tool: %v", e)
	}
}

func TestHandle(t *testing.T) {
	f := newFixture(t)
	raw, e := f.s.Handle(t.Context(), f.rani, "alfagift", "tools/call", json.RawMessage(`{"name":"list_spaces","arguments":{}}`))
	if e != nil || !strings.Contains(string(raw), f.space.ID) {
		t.Errorf("tools/call: %s, %v", raw, e)
	}
	if raw, e := f.s.Handle(t.Context(), f.rani, "alfagift", "tools/call", json.RawMessage(`{"name":"list_spaces"}`)); e != nil || !strings.Contains(string(raw), f.space.ID) {
		t.Errorf("tools/call without arguments: %s, %v", raw, e)
	}
	for params, code := range map[string]int{``: -32602, `{}`: -32602, `[]`: -32602, `{"name":1}`: -32602, `{"name":"list_spaces","arguments":[]}`: -32602, `{"name":"list_spaces","arguments":"{}"}`: -32602} {
		if _, e := f.s.Handle(t.Context(), f.rani, "alfagift", "tools/call", json.RawMessage(params)); e == nil || e.Code != code {
			t.Errorf("tools/call %s: %v", params, e)
		}
	}
	if _, e := f.s.Handle(t.Context(), f.rani, "alfagift", "resources/list", nil); e == nil || e.Code != -32601 {
		t.Errorf("resources/list: %v", e)
	}
}
