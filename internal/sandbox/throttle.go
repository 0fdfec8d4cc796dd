package sandbox

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// throttle is the gateway in front of the flashcard service: so many requests
// a second, with room for a burst. Its refusal is the gateway's own, opaque to
// clients and without Retry-After.
func throttle(perSecond, burst float64, now func() time.Time, next http.Handler) http.Handler {
	var mu sync.Mutex
	level, last := burst, now()
	allow := func() bool {
		mu.Lock()
		defer mu.Unlock()
		t := now()
		level, last = min(burst, level+perSecond*t.Sub(last).Seconds()), t
		if level < 1 {
			return false
		}
		level--
		return true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allow() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"message":"Too Many Requests"}`)
			return
		}
		next.ServeHTTP(w, r)
	})
}
