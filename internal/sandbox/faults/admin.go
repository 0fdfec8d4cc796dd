package faults

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"

	"bridge/internal/sandbox/rpc"
)

// Admin serves the set to a test: GET /faults lists, POST /faults arms the
// fault in the body (the text that Parse reads, or {"fault":"…"}), DELETE
// /faults disarms. Every request needs the token as a bearer token.
func (s *Set) Admin(token string) http.Handler {
	mux := http.NewServeMux()
	list := func(w http.ResponseWriter, status int) {
		text := []string{}
		for _, f := range s.List() {
			text = append(text, f.String())
		}
		answer(w, status, map[string]any{"faults": text})
	}
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { list(w, http.StatusOK) })
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, _ *http.Request) {
		s.Clear()
		list(w, http.StatusOK)
	})
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			answer(w, http.StatusRequestEntityTooLarge, map[string]string{"error": "the body is too large"})
			return
		}
		text := string(body)
		var in struct {
			Fault string `json:"fault"`
		}
		if json.Unmarshal(body, &in) == nil {
			text = in.Fault
		}
		f, err := Parse(text)
		if err == nil {
			err = s.Add(f)
		}
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		list(w, http.StatusCreated)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			answer(w, http.StatusUnauthorized, map[string]string{"error": "the admin token is required"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(rpc.Marshal(v))
}
