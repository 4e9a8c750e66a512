package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/sim/fleet"
)

// state is where a worker stands.
type state uint8

const (
	claimed state = iota // it has a share, and gets it ready
	prepared
	running // it was told when to start
	done
	lost
	failed
)

// Crew is the leader's view of the workers of one run. It is a state machine; now is the time since it began, by the leader's
// monotonic clock.
type Crew struct {
	set      Settings
	members  []*member // by share; nil: nobody has it
	start    time.Duration
	started  bool
	stop     string
	problem  *problem // why the run cannot begin
	invalid  []string
	refusals map[string]string // by process, as they were told; asked, never walked
}

// member is a worker with a share.
type member struct {
	name   string
	id     string
	share  int
	state  state
	agents int
	since  time.Duration // of the claim

	seen, silence time.Duration // last sign of life, and the longest time without
	beats, gaps   int64         // of the next beat; how many are missing
	late          bool          // it is said that there are some missing

	offset  Offset
	aimed   bool // the offset is known
	began   time.Duration
	hasGone bool // began is known
	ledger  *Ledger
	final   *Final
}

// NewCrew returns the view of a run that wants so many workers.
func NewCrew(s Settings, workers int) *Crew {
	return &Crew{set: s.withDefaults(), members: make([]*member, workers), refusals: make(map[string]string)}
}

// Missing is how many shares nobody has.
func (c *Crew) Missing() int {
	n := 0
	for _, m := range c.members {
		if m == nil {
			n++
		}
	}
	return n
}

// Waiting says who is there and who is missing, before the start.
func (c *Crew) Waiting() string {
	var preparing, ready []string
	for _, m := range c.members {
		switch {
		case m == nil:
		case m.state == claimed:
			preparing = append(preparing, m.name)
		default:
			ready = append(ready, m.name)
		}
	}
	text := fmt.Sprintf("%d of %s ready", len(ready), fleet.Number(len(c.members), "worker"))
	if len(preparing) > 0 {
		text += ", " + strings.Join(preparing, ", ") + " preparing"
	}
	if n := c.Missing(); n > 0 {
		text += fmt.Sprintf(", %d missing", n)
	}
	return text
}

// Claim gives a worker a share if one is left, the same one again if it has one. The share is -1 if there is none for it. said is what
// is new, "" if nothing is.
func (c *Crew) Claim(now time.Duration, by *claim) (share int, said string) {
	if by.Refusal != "" {
		if c.refusals[by.ID] == by.Refusal {
			return -1, ""
		}
		c.refusals[by.ID] = by.Refusal
		return -1, fmt.Sprintf("worker %s does not take part: %s", by.Worker, by.Refusal)
	}
	free := -1
	for i, m := range c.members {
		switch {
		case m == nil && free < 0:
			free = i
		case m != nil && m.id == by.ID && m.state == claimed:
			return i, ""
		case m != nil && m.id == by.ID:
			return -1, ""
		}
	}
	if free < 0 || c.started || c.stop != "" {
		return -1, ""
	}
	c.members[free] = &member{name: cmp.Or(by.Called, strconv.Itoa(free+1)), id: by.ID, share: free, since: now, seen: now, ledger: NewLedger()}
	return free, fmt.Sprintf("worker %s has share %d of %d", by.Worker, free+1, len(c.members))
}

// of returns the member that a message claims to come from; nil: it has no share, or has it no more.
func (c *Crew) of(id string, share int) *member {
	if share < 0 || share >= len(c.members) {
		return nil
	}
	if m := c.members[share]; m != nil && m.id == id && m.state < lost {
		return m
	}
	return nil
}

// saw notes a sign of life.
func (m *member) saw(now time.Duration) {
	m.silence = max(m.silence, now-m.seen)
	m.seen, m.late = max(m.seen, now), false
}

// Beat takes a sign of life.
func (c *Crew) Beat(now time.Duration, b Beat) {
	m := c.of(b.ID, b.Share)
	if m == nil {
		return
	}
	if b.Seq > m.beats && c.started {
		m.gaps += b.Seq - m.beats
	}
	m.beats = b.Seq + 1
	m.saw(now)
}

// Word takes what a worker tells. gone says why it is to stop, as it has no share any more; said is what is new.
func (c *Crew) Word(now time.Duration, w *word) (gone, said string) {
	m := c.of(w.ID, w.Share)
	if m == nil {
		return "its share is not its own any more", ""
	}
	m.saw(now)
	switch {
	case w.Problem != nil:
		return "", c.cannot(now, m, w.Problem)
	case w.Ready != nil:
		if m.state == claimed {
			m.state, m.agents = prepared, w.Ready.Agents
		}
	case w.Begun != nil:
		m.began, m.hasGone = time.Duration(w.Begun.Clock)-m.offset.Offset, true
	case w.Interval != nil:
		if _, err := m.ledger.Take(*w.Interval); err != nil {
			return "", c.fail(now, m, err.Error())
		}
	case w.Final != nil && m.state != done:
		if err := m.ledger.Settle(w.Final.Counts); err != nil {
			return "", c.fail(now, m, err.Error())
		}
		m.state, m.final = done, w.Final
		if w.Final.Stopped != "" && c.stop == "" {
			c.invalid = append(c.invalid, fmt.Sprintf("worker %s ended its share before its time: %s", m.name, w.Final.Stopped))
		}
	}
	return "", ""
}

// cannot notes that a worker cannot go on. Before the start the run has to be given up: others would fare the same.
func (c *Crew) cannot(now time.Duration, m *member, p *problem) string {
	if c.started {
		return c.fail(now, m, p.Text)
	}
	if c.problem == nil {
		c.problem = &problem{fmt.Sprintf("worker %s: %s", m.name, p.Text), p.Usage}
	}
	c.members[m.share] = nil
	return ""
}

// fail gives up a worker after the start.
func (c *Crew) fail(now time.Duration, m *member, why string) string {
	m.state = failed
	return c.without(fmt.Sprintf("worker %s (share %d of %d) failed %v after the start: %s", m.name, m.share+1, len(c.members), since(now, c.start), why))
}

func since(now, start time.Duration) time.Duration {
	return max(0, now-start).Round(100 * time.Millisecond)
}

// without notes that the run goes on without a worker, or ends.
func (c *Crew) without(why string) string {
	c.invalid = append(c.invalid, why+"; its share was carried by nobody else")
	if c.set.StopOnLoss {
		c.Stop("a worker was lost")
	}
	return why
}

// Tick looks who has been silent for too long, and says so.
func (c *Crew) Tick(now time.Duration) (said []string) {
	for i, m := range c.members {
		if m == nil || m.state >= done {
			continue
		}
		silent := now - m.seen
		switch {
		case silent > c.set.lost():
			said = append(said, c.lose(now, m, silent))
		case m.state == claimed && now-m.since > c.set.Prepare:
			c.members[i] = nil
			said = append(said, fmt.Sprintf("worker %s was not ready within %v; its share is offered again", m.name, c.set.Prepare))
		case silent > c.set.Beat+c.set.Beat/2 && !m.late && c.started:
			m.late = true
			said = append(said, fmt.Sprintf("worker %s is late: no sign of life for %v", m.name, silent.Round(100*time.Millisecond)))
		}
	}
	return said
}

func (c *Crew) lose(now time.Duration, m *member, silent time.Duration) string {
	m.silence = max(m.silence, silent)
	if !c.started {
		c.members[m.share] = nil
		return fmt.Sprintf("worker %s is gone before the start; its share is offered again", m.name)
	}
	m.state = lost
	return c.without(fmt.Sprintf("worker %s (share %d of %d) was lost: no sign of life since %v after the start", m.name, m.share+1, len(c.members), since(m.seen, c.start)))
}

// Ready reports whether all workers could begin.
func (c *Crew) Ready() bool {
	return !c.started && !slices.ContainsFunc(c.members, func(m *member) bool { return m == nil || m.state != prepared })
}

// Problem says why the run cannot begin; nil: it can, or has.
func (c *Crew) Problem() (text string, usage, found bool) {
	if c.problem == nil {
		return "", false, false
	}
	return c.problem.Text, c.problem.Usage, true
}

// Aim notes what the clock of the worker with a share says.
func (c *Crew) Aim(share int, o Offset) {
	if m := c.members[share]; m != nil {
		m.offset, m.aimed = o, true
	}
}

// Start sets the instant of the start, for workers that are all ready and aimed. It returns the instant by each one's clock.
func (c *Crew) Start(at time.Duration) []time.Duration {
	c.start, c.started = at, true
	theirs := make([]time.Duration, len(c.members))
	for i, m := range c.members {
		m.state = running
		m.silence = 0
		theirs[i] = at + m.offset.Offset
	}
	return theirs
}

// Stop ends the run; why is told to the workers.
func (c *Crew) Stop(why string) {
	if c.stop == "" {
		c.stop = why
	}
}

// Stopped says why the run is to end, "" if it is not.
func (c *Crew) Stopped() string { return c.stop }

// Over reports whether nobody is at work any more.
func (c *Crew) Over() bool {
	if !c.started {
		return c.stop != ""
	}
	return !slices.ContainsFunc(c.members, func(m *member) bool { return m.state < done })
}

// Alive is how many workers have not been lost.
func (c *Crew) Alive() int {
	n := 0
	for _, m := range c.members {
		if m != nil && m.state < lost {
			n++
		}
	}
	return n
}

// processes are those of the shares; "": a share has none.
func (c *Crew) processes() []string {
	ids := make([]string, len(c.members))
	for i, m := range c.members {
		if m != nil {
			ids[i] = m.id
		}
	}
	return ids
}

// Deaf gives up a worker that did not take the order to start; "": it has been given up before.
func (c *Crew) Deaf(now time.Duration, share int) string {
	if c.members[share].state != running {
		return ""
	}
	return c.fail(now, c.members[share], "it did not answer to the order to start")
}
