package sim

import (
	"net/http"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// noteKind says what a client tells.
type noteKind uint8

const (
	noteSent noteKind = iota
	noteEnded
	noteDone
)

// note is what a client tells of a job.
type note struct {
	kind    noteKind
	at      time.Duration
	attempt stack.Attempt
	step    stack.Step
	result  stack.Result
}

// push appends a note. The run is woken when a request is done; what came before can wait until then.
func (w *wallLink) push(n *note) {
	w.mu.Lock()
	w.inbox = append(w.inbox, *n)
	w.mu.Unlock()
	if n.kind != noteDone {
		return
	}
	select {
	case w.bell <- struct{}{}:
	default:
	}
}

// Sent implements stack.Observer.
func (w *wallLink) Sent(now time.Duration, a *stack.Attempt) {
	w.push(&note{kind: noteSent, at: now, attempt: *a})
}

// Ended implements stack.Observer.
func (w *wallLink) Ended(now time.Duration, a *stack.Attempt, s *stack.Step) {
	w.push(&note{kind: noteEnded, at: now, attempt: *a, step: *s})
}

// Done implements stack.Observer.
func (w *wallLink) Done(now time.Duration, r *stack.Result) {
	n := note{kind: noteDone, at: now, result: *r}
	n.result.Steps = append([]stack.Step(nil), r.Steps...)
	w.push(&n)
}

// hear takes what the clients have told.
func (r *run) hear() {
	w := r.wall
	w.mu.Lock()
	w.read, w.inbox = w.inbox, w.read[:0]
	w.mu.Unlock()
	for i := range w.read {
		n := &w.read[i]
		// Clients tell in the order of their own clocks' readings; between them and the
		// agents' the later one counts.
		if at := max(n.at, r.now); at != r.now {
			r.advance(at, evProgress, 0)
		}
		switch n.kind {
		case noteSent:
			j := &r.jobs[n.attempt.Tag]
			j.step = stack.Step{Target: n.attempt.Target, Key: n.attempt.Key, Degrade: n.attempt.Step, Sent: n.at}
			r.attempts++
			r.rec.Sent(r.now, &j.report, n.attempt.Target, n.attempt.Key, n.attempt.Number)
		case noteEnded:
			r.told(n)
		case noteDone:
			r.done(&n.result)
		}
		*n = note{}
	}
}

// told records the end of an attempt: what the client knows is what the answer said.
func (r *run) told(n *note) {
	j := &r.jobs[n.attempt.Tag]
	o := &n.step.Outcome
	if o.Status == http.StatusTooManyRequests {
		r.refused++
	}
	bill := report.Bill{Usage: o.Usage}
	bill.Long = r.set.Report.Models[n.step.Target].Price.IsLong(o.Usage.In)
	if r.wall.ours && o.Usage.In > 0 {
		bill.CacheWrite = r.set.Upstream.Models[n.step.Target].Written(o.Usage.In, o.Usage.Cached)
	}
	r.rec.Attempted(r.now, &j.report, &n.step, bill, o.Kind.Unknown() || o.Kind == stack.ConnectFailed)
}
