package bridge

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkCall is a whole call: the server's and the benchmark's own work are
// in it, so it is for comparing two versions, not for what a call costs.
func BenchmarkCall(b *testing.B) {
	for _, form := range []string{"json", "events"} {
		for _, size := range []int{256, 1 << 20, 10 << 20} {
			b.Run(fmt.Sprintf("%s/%d", form, size), func(b *testing.B) {
				call := benchCell(b, "L", "L", size, form == "events")
				call()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
			})
		}
	}
}

func BenchmarkEnvelope(b *testing.B) {
	msg := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search_tasks","arguments":{"overdueOnly":true,"query":"release plan"},"_meta":{"progressToken":17}}}`)
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := scanEnvelope(msg); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	stream := strings.Repeat("event: message\nid: 42\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n", 1000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		p := newEventReader(strings.NewReader(stream), 1<<20)
		for {
			if _, err := p.next(); err != nil {
				break
			}
		}
	}
}
