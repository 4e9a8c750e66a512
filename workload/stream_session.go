package workload

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// sessionSalt sets the draws of a stream's sessions apart from those of its arrivals.
const sessionSalt = 0x6a09e667f3bcc909

// sessions are those of a stream that go on, and how long new ones will be.
//
// The stream's arrivals are what they are: each is taken by the session that has been due for
// longest, and begins a new one if none is. So sessions neither add nor move an arrival, but those
// that are due wait in line for one: with r rounds a session for (r-1)/rate on average, as in a queue
// of one server with a load of 1-1/r. To have their intervals right on average, sessions are taken for due
// that much earlier, by what the ones before came late.
type sessions struct {
	rounds []Dist // by profile; the zero value: a session of one request
	begun  uint64
	open   heap[session, *session]
	tick   time.Duration
	early  time.Duration // before it is due a session is taken for due
}

// lateShare of what a session comes late moves sessions.early: its mean settles within some
// hundreds of requests.
const lateShare = 64

// session is where one session stands before its coming request.
type session struct {
	due     time.Duration
	task    uint64
	left    int64 // rounds, the coming one included
	context int64 // prompt of the round before, in tokens
	profile int
	client  uint32
	op      uint32
}

func (s *session) before(o *session) bool {
	return s.due < o.due || s.due == o.due && s.task < o.task
}

// newSessions returns the sessions of a stream; nil if it has none.
func newSessions(s *Stream, profiles int) *sessions {
	if len(s.Sessions) == 0 {
		return nil
	}
	out := &sessions{rounds: make([]Dist, profiles), tick: s.Tick}
	for _, r := range s.Sessions {
		out.rounds[r.Profile] = r.Rounds
	}
	return out
}

// alike returns such sessions for another source; nil if there are none.
func (in *sessions) alike() *sessions {
	if in == nil {
		return nil
	}
	return &sessions{rounds: in.rounds, tick: in.tick}
}

// nextOfSession returns the request that arrives at an instant.
func (w *Workload) nextOfSession(s *stream, base uint64, at time.Duration) Demand {
	in := s.sessions
	draws := jitter.Mix(base ^ sessionSalt)
	one, fresh := in.take(at)
	if fresh {
		one.profile, one.client = w.whoAsks(s, base)
		one.left = min(max(w.dice.tokens(&in.rounds[one.profile], draws, forRounds, one.task), 1), maxRounds)
	}
	p := &w.profiles[one.profile]
	prompt, added := w.prompt(p, draws, s.number, one.context, fresh)
	d := Demand{
		Source: s.source, Client: one.client, Profile: one.profile,
		Task: uint32(one.task), Op: one.op, Intended: at, In: prompt,
		Out: w.dice.tokens(&p.Output, draws, forOutput, s.number),
	}
	if fresh {
		w.sharedPrefix(&d, p, draws, s.number)
	} else {
		d.Prefix = max(min(one.context, prompt-added), 0)
	}
	w.complete(&d, p, draws, s.number)
	one.op++
	if one.left--; one.left > 0 {
		one.context = prompt
		one.due = later(at, w.dice.wait(&p.Interval, draws, forInterval, s.number))
		if in.tick > 0 {
			one.due -= one.due % in.tick // as arrivals are, see flow.arrive
		}
		in.open.push(one)
	}
	return d
}

// take returns the session that is taken for due and has been so for longest, or a new one.
func (in *sessions) take(at time.Duration) (one session, fresh bool) {
	if len(in.open) > 0 && in.open[0].due-in.early <= at {
		one = in.open.pop()
		in.early = max(in.early+(at-one.due)/lateShare, 0)
		return one, false
	}
	one.task = in.begun
	in.begun++
	return one, true
}
