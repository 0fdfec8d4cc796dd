package bridge_test

import (
	"bytes"
	"strings"
	"testing"
)

// A notification that was on its way when the relay was ended was warned of, though
// nothing was wrong.
func TestNoWarningOfTheEnd(t *testing.T) {
	p := startPeer(t, nil, echoServer)
	arrived, end := make(chan struct{}), make(chan struct{})
	p.watch(func(body []byte) {
		if bytes.Contains(body, []byte("notifications/held")) {
			close(arrived)
			<-end
		}
	})
	p.send(`{"jsonrpc":"2.0","method":"notifications/held"}` + "\n")
	<-arrived
	p.cancel()
	err := p.host.waitEnd(exitWithin)
	close(end)
	if err != nil {
		t.Error(err)
	}
	if said := p.output.String(); strings.Contains(said, "WARN") {
		t.Errorf("it says\n%s", said)
	}
}
