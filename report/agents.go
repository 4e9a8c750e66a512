package report

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// agents records what each agent of a run asked for and got, over the measured
// requests. An agent takes 8 bytes for each class in which it asks and 8 for each
// profile of that class: at most 48 where there are three profiles. It takes them in one
// place, since with many agents it is the memory that takes the time.
type agents struct {
	classes []classBook
	place   []place   // by profile
	waits   []longest // by profile, the longest queue wait of a request
	starved [stack.NumClasses]longest

	cohorts []cohort // by minute of the intended instant
	// Time of requests between attempts, before their agent was free to ask, on the wire,
	// and from the intended instant to the end.
	backoff, busy, wire, stay wide
}

// place says where a profile is counted.
type place struct {
	book  *classBook
	slot  int
	class stack.Class
}

// longest is the longest time of its kind, and the agent whose it was: of equal ones the first.
type longest struct {
	d     time.Duration
	agent uint32
	at    time.Duration // when it was noted, to tell the first of several parts of a run
}

// noteAt notes a time that was known at an instant.
func (l *longest) noteAt(at, d time.Duration, agent uint32) {
	if d > l.d {
		*l = longest{d, agent, at}
	}
}

func (l *longest) note(d time.Duration, agent uint32) {
	if d > l.d {
		l.d, l.agent = d, agent
	}
}

// cohort counts the requests intended in one minute that have ended, and their attempts.
type cohort struct {
	requests, attempts int64
}

// worse reports whether the cohort had more attempts per request than o.
func (c cohort) worse(o cohort) bool { return c.attempts*o.requests > o.attempts*c.requests }

func newAgents(s *Setup) agents {
	a := agents{
		classes: newClassBooks(),
		place:   make([]place, len(s.Profiles)),
		waits:   make([]longest, len(s.Profiles)),
		cohorts: make([]cohort, max(0, s.Duration+time.Minute-1)/time.Minute),
	}
	for p, info := range s.Profiles {
		b := &a.classes[info.Class]
		a.place[p] = place{book: b, slot: b.each, class: info.Class}
		b.each++
	}
	return a
}

// offered notes that the agent wants something.
func (a *agents) offered(j *Job) {
	at := &a.place[j.Profile]
	at.book.of(j.Agent)[at.slot] += oneAsked
}

// done notes that a request ended, total after its intended instant.
func (a *agents) done(j *Job, res *stack.Result, total time.Duration) {
	at := &a.place[j.Profile]
	of := at.book.of(j.Agent)
	served := res.Ending == stack.Succeeded
	if served {
		of[at.slot] += oneServed
	}
	s := of[0].spell()
	lasted := s.ends(spellMS(j.Intended), spellMS(res.Ended), served)
	of[0] = s.entry()
	a.starved[at.class].noteAt(res.Ended, time.Duration(lasted)*time.Millisecond, j.Agent)
	a.waits[j.Profile].noteAt(res.Ended, res.Queued+res.Capped, j.Agent)
	c := &a.cohorts[j.Intended/time.Minute]
	c.requests++
	c.attempts += int64(len(res.Steps))
	a.backoff.add(res.Backoff)
	a.busy.add(j.Issued - j.Intended)
	a.wire.add(res.OnWire)
	a.stay.add(total)
}
