package pacecraft

import (
	"fmt"

	"bridge/internal/sandbox/pacecraft/blocks"
)

// seedDoc is a document of the sample; by is an index into the team.
type seedDoc struct {
	title string
	by    int
	body  []blocks.Block
}

func (s *seeder) docs(sp Space, list ...seedDoc) {
	for i, d := range list {
		if s.err != nil {
			return
		}
		s.at(i - 15)
		_, err := s.doc(s.ctx, s.team[d.by].ID, sp.ID, d.title, d.body)
		s.fail(err)
	}
}

// md makes the blocks that have a Markdown form.
func md(text string) []blocks.Block {
	bs, err := blocks.Parse(text)
	if err != nil {
		panic(fmt.Sprintf("pacecraft: sample document: %v", err)) // constants of this file
	}
	return bs
}

func join(parts ...[]blocks.Block) []blocks.Block {
	var out []blocks.Block
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func one(b blocks.Block) []blocks.Block { return []blocks.Block{b} }

func releasePlan() []blocks.Block {
	return join(
		md("# Rencana Rilis 2.4\n\nRilis ini membawa **pembayaran QRIS** dan perbaikan keranjang. Target: *dua minggu lagi*, ~~akhir bulan lalu~~.\n"),
		one(blocks.Block{Type: blocks.Callout, Icon: "⚠️", Text: blocks.Plain("Pembekuan kode mulai tiga hari sebelum rilis.")}),
		md("## Cakupan\n\n- QRIS di Android dan iOS\n- Keranjang bertahan setelah masuk ulang\n  - termasuk saat sesi kedaluwarsa\n- Layar promo baru\n\n## Urutan kerja\n\n1. Bekukan kode\n2. Kirim `2.4.0-rc1` ke penguji\n3. Rilis bertahap: 5%, 25%, 100%\n"),
		one(blocks.Block{Type: blocks.Checklist, Checks: []blocks.Check{
			{Done: true, Text: blocks.Plain("Sertifikat iOS diperbarui")}, {Text: blocks.Plain("Catatan rilis diterjemahkan")},
		}}),
		md("### Risiko\n\n> Gerbang pembayaran bisa lambat pada jam makan siang.\n> Siapkan batas waktu 8 detik.\n\nRincian ada di [panduan rilis](https://example.com/panduan-rilis).\n\n---\n\n```sh\n./rilis.sh --versi 2.4.0 --bertahap\n```\n"),
		one(blocks.Block{Type: blocks.Table, Rows: [][]string{{"Tahap", "Tanggal", "Penanggung jawab"}, {"RC1", "Senin", "Budi"}, {"5%", "Kamis", "Rani"}}}),
		one(blocks.Block{Type: blocks.Toggle, Text: blocks.Plain("Riwayat keputusan"), Blocks: md("Rapat memilih rilis bertahap.\n")}),
	)
}

func meetingNotes() []blocks.Block {
	return join(
		md("## Hadir\n\nRani, Budi, Dewi, Amélie\n\n## Keputusan\n\n1. QRIS tetap masuk 2.4\n2. Uji beban dipindah ke *staging*\n\n## Tindak lanjut\n"),
		one(blocks.Block{Type: blocks.Checklist, Checks: []blocks.Check{
			{Text: blocks.Plain("Budi: perbaiki keranjang")}, {Done: true, Text: blocks.Plain("Dewi: kirim terjemahan")},
		}}),
	)
}

func apiGuidelines() []blocks.Block {
	return join(
		md("# API Guidelines\n\nEvery endpoint answers JSON and ***never*** breaks a field in use.\n\n## Errors\n\n- Use `application/problem+json`\n- Say **what to do next**, not only what failed\n\n```json\n{\"type\": \"about:blank\", \"title\": \"Too many requests\", \"status\": 429}\n```\n\n## Pagination\n\n> Cursors, not page numbers: rows move while somebody reads.\n\nSee [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).\n"),
		one(blocks.Block{Type: blocks.Table, Rows: [][]string{{"Status", "Meaning"}, {"409", "The resource changed"}, {"429", "Wait for Retry-After"}}}),
		one(blocks.Block{Type: blocks.Callout, Icon: "💡", Text: blocks.Plain("Deprecate first, remove two releases later.")}),
	)
}

func glossary() []blocks.Block {
	return join(
		md("Istilah yang dipakai di seluruh tim.\n\n- **Tenggat**: *deadline*\n- **Rilis bertahap**: *staged rollout*\n- **Pembekuan kode**: *code freeze*\n"),
		one(blocks.Block{Type: blocks.Toggle, Text: blocks.Plain("English"), Blocks: md("- *tenggat*: deadline\n")}),
	)
}

func openingMenu() []blocks.Block {
	return join(
		md("# Menu Pembukaan\n\n## Kopi\n\n- Kopi susu gula aren\n- *Café crème*\n- V60 Gayo\n\n## Camilan\n\n- Pisang goreng madu\n"),
		one(blocks.Block{Type: blocks.Table, Rows: [][]string{{"Menu", "Harga"}, {"Kopi susu gula aren", "Rp22.000"}, {"V60 Gayo", "Rp28.000"}}}),
	)
}
