package mockupstream

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
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
	// Rejected counts the requests that never became a call, by their status: a wrong path, key, model or body.
	// The books do not know them.
	Rejected map[int]int64 `json:"rejected"`
	// Books without the quotas that only guests have and that were not used.
	Books Books `json:"books"`
}

// Stats returns the books, with the clock.
func (s *Server) Stats() Stats {
	t := s.term.Load()
	books, rejected := t.account()
	books.Quotas = s.usedQuotas(books.Quotas)
	st := Stats{Now: t.now(), Uptime: time.Since(s.start), InFlight: books.Running, Rejected: rejected, Books: books}
	for _, m := range s.cfg.Provider.Models {
		st.Models = append(st.Models, m.Name)
	}
	for _, k := range s.cfg.Provider.Keys {
		st.Keys = append(st.Keys, k.ID)
	}
	last := 0 // the names of guests' quotas come last, and are as many as the books need
	for _, q := range books.Quotas {
		last = max(last, q.Quota+1)
	}
	for _, q := range s.cfg.Provider.Quotas[:last] {
		st.Quotas = append(st.Quotas, q.Name)
	}
	return st
}

// usedQuotas leaves out the quotas that no key but guests' counts against, unless they were used.
func (s *Server) usedQuotas(all []QuotaBook) []QuotaBook {
	first := s.cfg.Codec.FirstGuest
	known := make([]bool, len(all))
	for k := range s.cfg.Provider.Keys {
		if k >= first && k < first+s.cfg.Codec.Guests {
			continue
		}
		key := &s.cfg.Provider.Keys[k]
		for m := range s.cfg.Provider.Models {
			for _, q := range append(key.usual(m), key.longer(m)...) {
				known[q] = true
			}
		}
	}
	return slices.DeleteFunc(all, func(q QuotaBook) bool { return !known[q.Quota] && len(q.Minutes) == 0 })
}

// serveOwn serves the paths that are no vendor's.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request) {
	allowed := "GET"
	if r.URL.Path == "/reset" {
		allowed = "POST"
	}
	if r.Method != allowed && !(r.Method == http.MethodHead && allowed == http.MethodGet) {
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
