package load

import (
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet"
)

func (l *leader) claimed(m *nats.Msg) {
	var c claim
	if json.Unmarshal(m.Data, &c) != nil || c.ID == "" {
		return
	}
	share, said := l.crew.Claim(l.now(), &c)
	if said != "" {
		l.Log(said)
	}
	respond(m, assignment{Share: share, Of: l.Workers, Brief: l.brief})
}

func respond(m *nats.Msg, what any) {
	if data, err := json.Marshal(what); err == nil {
		_ = m.Respond(data) // who does not hear it asks again
	}
}

func (l *leader) told(m *nats.Msg) {
	var w word
	if json.Unmarshal(m.Data, &w) != nil {
		return
	}
	if w.Begun != nil {
		w.Begun.Clock -= l.begun.UnixNano() // as the offsets have it
	}
	before := l.crew.Stopped()
	gone, said := l.crew.Word(l.now(), &w)
	if said != "" {
		l.Log(said)
	}
	respond(m, heard{Gone: gone})
	if l.crew.Stopped() != before {
		l.pulse()
	}
}

// tell shows how far the run is.
func (l *leader) tell() {
	if l.Progress == nil {
		return
	}
	whole, _ := l.load.Duration()
	p := sim.Progress{Scenario: l.name, Variant: l.task.Variant, End: whole, SimulatedFull: whole, Part: 1, Parts: 1}
	if !l.crew.started {
		p.Note = l.crew.Waiting()
		l.Progress(p)
		return
	}
	s := l.crew.Sums()
	p.Now = min(max(0, l.now()-l.crew.start), whole)
	p.SimulatedDone, p.Requests, p.Attempts, p.HTTP429, p.Pending = p.Now, s.Submitted, s.Attempts, s.HTTP429, s.Pending
	p.Note = fmt.Sprintf("%d of %s", s.Alive, fleet.Number(s.Workers, "worker"))
	if s.P95 > 0 {
		p.Note += fmt.Sprintf(", p95 %.3g s", s.P95.Seconds())
	}
	l.Progress(p)
}
