package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// slowest keeps the slowest measured requests of each profile, slowest first; of equal ones,
// those that ended first. Cancelled requests are not among them.
type slowest struct {
	keep int
	seed uint64          // of the run
	top  [][]slowRequest // by profile
}

// slowRequest is what is kept of a slow request: what the report tells of it.
type slowRequest struct {
	total, intended, held time.Duration
	profile               int
	agent                 uint32
	id                    uint64
	ending                stack.Ending
	parts                 [5]time.Duration
	steps                 []slowStep
	seed                  uint64 // of its run
}

// slowStep is an attempt of it.
type slowStep struct {
	model, key  int
	sent, ended time.Duration
	kind        stack.OutcomeKind
	status      int
}

var partNames = [5]string{"agent busy", "agent cap", "queue", "backoff", "on wire"}

func newSlowest(profiles, keep int, seed uint64) slowest {
	s := slowest{keep: keep, seed: seed, top: make([][]slowRequest, profiles)}
	for p := range s.top {
		s.top[p] = make([]slowRequest, 0, max(keep, 0))
	}
	return s
}

// offer takes the request in if it is slow enough.
func (s *slowest) offer(j *Job, res *stack.Result, total time.Duration) {
	top := s.top[j.Profile]
	n := len(top)
	if n == s.keep && (n == 0 || total <= top[n-1].total) {
		return
	}
	var steps []slowStep
	if n == s.keep {
		steps = top[n-1].steps[:0] // its memory is free now
		top = top[:n-1]
	}
	for i := range res.Steps {
		st := &res.Steps[i]
		steps = append(steps, slowStep{st.Target, st.Key, st.Sent, st.Ended, st.Outcome.Kind, st.Outcome.Status})
	}
	s.top[j.Profile] = inserted(top, slowRequest{
		total: total, intended: j.Intended, held: j.Held, profile: j.Profile, agent: j.Agent, id: j.ID,
		ending: res.Ending, steps: steps, seed: s.seed,
		parts: [5]time.Duration{j.Issued - j.Intended, res.Capped, res.Queued, res.Backoff, res.OnWire},
	})
}

// inserted puts a request behind those that are as slow.
func inserted(top []slowRequest, q slowRequest) []slowRequest {
	i := len(top)
	for i > 0 && top[i-1].total < q.total {
		i--
	}
	return slices.Insert(top, i, q)
}

// merge keeps the slowest of both; those of o come after equal ones.
func (s *slowest) merge(o *slowest) {
	for p := range s.top {
		for _, q := range o.top[p] {
			s.top[p] = inserted(s.top[p], q)
		}
		s.top[p] = s.top[p][:min(len(s.top[p]), max(s.keep, 0))]
	}
}

func (s *slowest) report(setup *Setup) []Slow {
	var out []Slow
	for _, top := range s.top {
		for i := range top {
			out = append(out, top[i].report(setup))
		}
	}
	return out
}

func (q *slowRequest) report(setup *Setup) Slow {
	out := Slow{
		Steps: []SlowStep{}, Seed: q.seed,
		Profile: setup.Profiles[q.profile].Name, Request: fmt.Sprintf("%016x", q.id), Agent: int(q.agent),
		IntendedS: inSeconds(q.intended), TotalMS: inMS(q.total), Ending: q.ending.String(),
	}
	for i, d := range q.parts {
		if i == 1 && q.held > 0 {
			out.Parts = append(out.Parts, Part{Name: "summary", MS: inMS(q.held)})
		}
		out.Parts = append(out.Parts, Part{Name: partNames[i], MS: inMS(d)})
	}
	for i := range q.steps {
		st := &q.steps[i]
		out.Steps = append(out.Steps, SlowStep{
			Model: setup.Models[st.model].Name, Key: setup.Keys[st.key], SentS: inSeconds(st.sent), EndedS: inSeconds(st.ended),
			Outcome: st.kind.String(), Status: st.status,
		})
	}
	return out
}

func (s *slowest) carry(t *tape, setup *Setup) {
	number(t, &s.keep)
	t.word(&s.seed)
	fixed(t, &s.top, len(setup.Profiles), func(top *[]slowRequest) {
		list(t, top, func(q *slowRequest) { q.carry(t, setup) })
	})
}

func (q *slowRequest) carry(t *tape, setup *Setup) {
	t.spans(&q.total, &q.intended, &q.held)
	number(t, &q.profile)
	number(t, &q.agent)
	t.word(&q.id)
	number(t, &q.ending)
	for i := range q.parts {
		number(t, &q.parts[i])
	}
	t.check(q.profile >= 0 && q.profile < len(setup.Profiles), "a request of no profile")
	list(t, &q.steps, func(st *slowStep) {
		number(t, &st.model)
		number(t, &st.key)
		t.spans(&st.sent, &st.ended)
		number(t, &st.kind)
		number(t, &st.status)
		known := st.model >= 0 && st.model < len(setup.Models) && st.key >= 0 && st.key < len(setup.Keys)
		t.check(known, "an attempt at no model, or by no key")
	})
	t.word(&q.seed)
}
