package pacecraft

import (
	"slices"

	"bridge/internal/sandbox/rpc"
)

// Error is a JSON-RPC error object.
type Error = rpc.Error

// Revision is the one of the service's own page, and the answer to a client
// that asks for one the service does not know.
const Revision = "2025-06-18"

// Revisions lists the revisions of MCP the service speaks, its own first.
func Revisions() []string { return []string{Revision, "2025-11-25", "2025-03-26", "2024-11-05"} }

// Negotiate returns the revision to answer to an initialize that asks for requested.
func Negotiate(requested string) string {
	if slices.Contains(Revisions(), requested) {
		return requested
	}
	return Revision
}

// Describe returns what the service says of itself in initialize.
func (s *Service) Describe() rpc.Description {
	return rpc.Description{
		ServerInfo:   rpc.Marshal(map[string]string{"name": "pacecraft", "title": "PaceCraft", "version": "1.0.0"}),
		Capabilities: []byte(`{"tools":{}}`),
		Instructions: instructions,
	}
}

const instructions = `PaceCraft: space, tugas, dokumen, dan aktivitas tim di satu workspace. Semua bisa dibaca; yang bisa ditulis hanya dokumen.

Menulis berjalan dua langkah: panggil create_doc atau update_doc tanpa confirmed untuk mendapat usulan, tunjukkan usulan itu kepada pengguna, lalu ulangi panggilan yang sama dengan confirmed: true setelah pengguna setuju. update_doc dengan mode "replace" menghapus seluruh isi lama dan tidak ada riwayat versi; "append" menambah di akhir tanpa menyentuh isi lama. Blok tabel, callout, checklist, dan toggle tidak tampak di read_doc.

Satu koneksi berarti satu workspace, dipilih lewat ?workspace= pada URL server.`

// InitializeResult returns the result of an initialize request that asks for
// the revision requested, which may be empty.
func (s *Service) InitializeResult(requested string) []byte {
	d := s.Describe()
	return rpc.Marshal(struct {
		ProtocolVersion string `json:"protocolVersion"`
		Capabilities    any    `json:"capabilities"`
		ServerInfo      any    `json:"serverInfo"`
		Instructions    string `json:"instructions"`
	}{Negotiate(requested), d.Capabilities, d.ServerInfo, d.Instructions})
}
