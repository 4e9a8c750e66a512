package mockupstream

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Stats is what GET /stats answers: [Books] and what its indices mean. The names of the fields in JSON
// are stable. Instants and durations are in nanoseconds.
type Stats struct {
	// Now is the provider's instant, Uptime the time since the server's start; they differ after a reset.
	Now    time.Duration `json:"now_ns"`
	Uptime time.Duration `json:"uptime_ns"`
	// InFlight is Books.Running.
	InFlight int64 `json:"in_flight"`
	// Models, Keys and Quotas are the names behind the books' indices.
	Models []string `json:"model_names"`
	Keys   []string `json:"key_names"`
	Quotas []string `json:"quota_names"`
	Books  Books    `json:"books"`
}

// Stats returns the books, with the clock.
func (s *Server) Stats() Stats {
	t := s.term.Load()
	books := t.books()
	st := Stats{Now: t.now(), Uptime: time.Since(s.start), InFlight: books.Running, Books: books}
	for _, m := range s.cfg.Provider.Models {
		st.Models = append(st.Models, m.Name)
	}
	for _, k := range s.cfg.Provider.Keys {
		st.Keys = append(st.Keys, k.ID)
	}
	for _, q := range s.cfg.Provider.Quotas {
		st.Quotas = append(st.Quotas, q.Name)
	}
	return st
}

// serveOwn serves the paths that are no vendor's.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request) {
	allowed := "GET"
	if r.URL.Path == "/reset" {
		allowed = "POST"
	}
	if r.Method != allowed {
		w.Header().Set("Allow", allowed)
		http.Error(w, "use "+allowed, http.StatusMethodNotAllowed)
		return
	}
	// What a call left behind on this connection may be over.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
	switch r.URL.Path {
	case "/healthz":
		_, _ = io.WriteString(w, "ok")
	case "/stats":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.Stats())
	case "/metrics":
		s.term.Load().metrics.ServeHTTP(w, r)
	case "/reset":
		if err := s.Reset(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
