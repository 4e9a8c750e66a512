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

type slowRequest struct {
	total  time.Duration
	job    Job
	ending stack.Ending
	parts  [5]time.Duration
	steps  []stack.Step
	seed   uint64 // of its run
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
	var steps []stack.Step
	if n == s.keep {
		steps = top[n-1].steps[:0] // its memory is free now
		top = top[:n-1]
	}
	s.top[j.Profile] = inserted(top, slowRequest{
		total: total, job: *j, ending: res.Ending, steps: append(steps, res.Steps...), seed: s.seed,
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
		Profile: setup.Profiles[q.job.Profile].Name, Request: fmt.Sprintf("%016x", q.job.ID), Agent: int(q.job.Agent),
		IntendedS: inSeconds(q.job.Intended), TotalMS: inMS(q.total), Ending: q.ending.String(),
	}
	for i, d := range q.parts {
		if i == 1 && q.job.Held > 0 {
			out.Parts = append(out.Parts, Part{Name: "summary", MS: inMS(q.job.Held)})
		}
		out.Parts = append(out.Parts, Part{Name: partNames[i], MS: inMS(d)})
	}
	for i := range q.steps {
		st := &q.steps[i]
		out.Steps = append(out.Steps, SlowStep{
			Model: setup.Models[st.Target].Name, Key: setup.Keys[st.Key], SentS: inSeconds(st.Sent), EndedS: inSeconds(st.Ended),
			Outcome: st.Outcome.Kind.String(), Status: st.Outcome.Status,
		})
	}
	return out
}
