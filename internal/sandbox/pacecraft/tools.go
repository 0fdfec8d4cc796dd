package pacecraft

import (
	"context"
	"encoding/json"
	"sync"

	"bridge/internal/sandbox/rpc"
)

// tool is one entry of tools/list and what a call of it does. run's errors are
// toolErrors for the assistant, or faults of the service.
type tool struct {
	name, title, desc string
	params            []param
	writes            bool
	destroys          bool
	run               func(*Service, context.Context, scope, args) (json.RawMessage, error)
}

// scope is where a call may look: one account in one workspace.
type scope struct {
	who Account
	ws  Workspace
}

const (
	defaultLimit = 50
	maxLimit     = 200
	maxTitle     = 200
)

func limitParam() param {
	return param{name: "limit", typ: pInt, min: 1, max: maxLimit, def: defaultLimit, desc: "Jumlah hasil paling banyak."}
}

func offsetParam() param {
	return param{name: "offset", typ: pInt, max: 1_000_000, def: 0, desc: "Lewati sekian hasil pertama, untuk mengambil halaman berikutnya."}
}

func spaceParam(required bool, desc string) param {
	return param{name: "spaceId", required: required, desc: desc, max: maxTitle}
}

func confirmedParam() param {
	return param{name: "confirmed", typ: pBool, def: false,
		desc: "Tanpa ini, atau dengan false, hanya usulan yang dijawab dan tidak ada yang ditulis. Isi true hanya setelah pengguna menyetujui usulan itu."}
}

// markdownDesc is what both writing tools say of their content.
const markdownDesc = "Isi dalam Markdown: judul # ## ###, paragraf, daftar - dan 1., kutipan >, blok kode berpagar, garis ---; di dalam baris **tebal**, *miring*, ***tebal miring***, ~~coret~~, `kode`, [teks](url). Yang lain menjadi teks biasa."

func contentParam(required bool) param {
	return param{name: "content", required: required, desc: markdownDesc}
}

var allTools = sync.OnceValue(func() []*tool {
	return []*tool{
		{name: "list_spaces", title: "Daftar space", desc: "Mendaftar semua space di workspace ini.", run: listSpaces},
		{name: "search_tasks", title: "Cari tugas", run: searchTasks,
			desc: "Mencari tugas di workspace ini. Pakai overdueOnly: true untuk tugas yang lewat tenggat dan belum selesai.",
			params: []param{
				{name: "query", desc: "Kata yang dicari di judul dan deskripsi tugas.", max: maxTitle},
				{name: "overdueOnly", typ: pBool, def: false, desc: "Hanya tugas yang sudah lewat tenggat dan belum selesai."},
				spaceParam(false, "Hanya tugas di space ini (id dari list_spaces)."),
				{name: "status", enum: []string{StatusTodo, StatusInProgress, StatusReview, StatusDone}, desc: "Hanya tugas dengan status ini."},
				{name: "assignee", desc: `Hanya tugas orang ini: id, nama, atau e-mailnya, atau "me" untuk pemilik token.`, max: maxTitle},
				{name: "dueBefore", typ: pTime, desc: "Hanya tugas dengan tenggat sebelum saat ini (tanggal, atau tanggal dan jam menurut RFC 3339)."},
				{name: "dueAfter", typ: pTime, desc: "Hanya tugas dengan tenggat pada atau sesudah saat ini."},
				limitParam(), offsetParam(),
			}},
		{name: "get_task", title: "Baca tugas", desc: "Membaca satu tugas lengkap dengan deskripsinya.", run: getTask,
			params: []param{{name: "taskId", required: true, desc: "Id tugas, dari search_tasks.", max: maxTitle}}},
		{name: "list_docs", title: "Daftar dokumen", desc: "Mendaftar dokumen di workspace ini, yang terakhir diubah lebih dulu.", run: listDocs,
			params: []param{
				spaceParam(false, "Hanya dokumen di space ini (id dari list_spaces)."),
				{name: "query", desc: "Kata yang dicari di judul dokumen.", max: maxTitle},
				limitParam(), offsetParam(),
			}},
		{name: "read_doc", title: "Baca dokumen", run: readDoc,
			desc:   "Membaca isi satu dokumen sebagai Markdown. Tabel, callout, checklist, dan toggle tidak ikut tampil.",
			params: []param{{name: "docId", required: true, desc: "Id dokumen, dari list_docs.", max: maxTitle}}},
		{name: "list_activity", title: "Aktivitas tim", desc: "Mendaftar aktivitas tim di workspace ini, yang terbaru lebih dulu.", run: listActivity,
			params: []param{
				spaceParam(false, "Hanya aktivitas di space ini (id dari list_spaces)."),
				{name: "since", typ: pTime, desc: "Hanya aktivitas sejak saat ini (tanggal, atau tanggal dan jam menurut RFC 3339)."},
				limitParam(), offsetParam(),
			}},
		{name: "create_doc", title: "Buat dokumen", writes: true, run: createDoc,
			desc: "Membuat dokumen baru di sebuah space. Dua langkah: tanpa confirmed hanya menjawab usulan; ulangi dengan confirmed: true setelah pengguna setuju.",
			params: []param{
				spaceParam(true, "Space tempat dokumen dibuat (id dari list_spaces)."),
				{name: "title", required: true, desc: "Judul dokumen, satu baris.", max: maxTitle},
				contentParam(false), confirmedParam(),
			}},
		{name: "update_doc", title: "Ubah dokumen", writes: true, destroys: true, run: updateDoc,
			desc: "Mengubah isi dokumen. Dua langkah: tanpa confirmed hanya menjawab usulan; ulangi dengan confirmed: true setelah pengguna setuju. PERHATIAN: mode \"replace\" menghapus seluruh isi lama, termasuk tabel, callout, checklist, dan toggle, dan tidak ada riwayat versi.",
			params: []param{
				{name: "docId", required: true, desc: "Id dokumen, dari list_docs.", max: maxTitle},
				contentParam(true),
				{name: "mode", enum: []string{modeAppend, modeReplace}, def: modeAppend, desc: `"append" menaruh isi baru sesudah isi lama, yang tidak disentuh. "replace" menulis ulang seluruh dokumen; isi lama hilang.`},
				confirmedParam(),
			}},
	}
})

func findTool(name string) *tool {
	for _, t := range allTools() {
		if t.name == name {
			return t
		}
	}
	return nil
}

// internalTool reports whether PaceCraft has a tool of this name that is not
// offered through MCP. The page names the kinds, tasks, statuses, comments and
// custom fields; the names are ours.
func internalTool(name string) bool {
	switch name {
	case "create_task", "update_task", "delete_task", "move_task", "assign_task", "complete_task",
		"update_task_status", "set_task_status", "create_status", "update_status", "delete_status",
		"create_comment", "add_comment", "update_comment", "delete_comment",
		"create_custom_field", "update_custom_field", "delete_custom_field", "set_custom_field",
		"create_space", "update_space", "delete_space", "delete_doc":
		return true
	}
	return false
}

// Tools returns the descriptors for tools/list, a JSON array.
func (s *Service) Tools() []byte { return toolsJSON() }

var toolsJSON = sync.OnceValue(func() []byte {
	type annotations struct {
		Title       string `json:"title"`
		ReadOnly    bool   `json:"readOnlyHint"`
		Destructive *bool  `json:"destructiveHint,omitempty"` // means nothing where ReadOnly is set
		Idempotent  *bool  `json:"idempotentHint,omitempty"`  // likewise
		OpenWorld   bool   `json:"openWorldHint"`
	}
	type descriptor struct {
		Name        string      `json:"name"`
		Title       string      `json:"title"`
		Description string      `json:"description"`
		InputSchema any         `json:"inputSchema"`
		Annotations annotations `json:"annotations"`
	}
	var out []descriptor
	for _, t := range allTools() {
		props, required := map[string]any{}, []string{}
		for _, p := range t.params {
			props[p.name] = p.schema()
			if p.required {
				required = append(required, p.name)
			}
		}
		schema := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
		if len(required) > 0 {
			schema["required"] = required
		}
		a := annotations{Title: t.title, ReadOnly: !t.writes}
		if t.writes {
			a.Destructive, a.Idempotent = &t.destroys, new(bool)
		}
		out = append(out, descriptor{t.name, t.title, t.desc, schema, a})
	}
	return rpc.Marshal(out)
})
