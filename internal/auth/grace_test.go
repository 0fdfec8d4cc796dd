package auth

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A session that ends while its token request does: the end of the one must not
// touch what the end of the other is just making. The race detector judges.
func TestGraceEndsWithItsRequest(t *testing.T) {
	s := &Session{}
	for range 200 {
		ctx, end := context.WithCancel(t.Context())
		longer, stop := s.grace(ctx)
		ended := make(chan struct{})
		go func() { defer close(ended); end() }()
		stop()
		<-ended
		if longer.Err() == nil {
			t.Fatal("the request goes on after its end")
		}
	}
}

// The request outlives the session by graceTime, and nothing of it is left.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		ctx, end := context.WithCancel(t.Context())
		longer, stop := s.grace(ctx)
		defer stop()
		end()
		began := time.Now()
		<-longer.Done()
		if took := time.Since(began); took != graceTime {
			t.Errorf("it outlived the session by %v", took)
		}
	})
}
