package fleet

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// Heard takes the store's answer to the message that was begun last.
func (m *Member) Heard(now time.Duration, r *Reply) {
	m.now = max(m.now, now)
	msg := m.sent
	m.flying, m.fails, m.retry, m.other = false, 0, 0, false
	m.measure(r)
	m.alive = r.Members
	switch {
	case r.Status == StatusOther:
		m.other = true
		m.lost()
		return
	case msg.Probe:
		m.sent, m.epoch = nil, r.Epoch
		m.alone.leave(m)
		return
	case r.Status == StatusUnknown:
		m.sent, m.epoch, m.remote.joined = nil, r.Epoch, false
		m.outbox = nil                // it is in what the member joins with
		if m.astray++; m.astray > 1 { // once it is a loss; more often there is something wrong, such as another of its name
			m.retry = m.now + jitter.Backoff(retryBase, retryCap, m.astray-2, m.seed, uint64(m.now), m.astray)
		}
		return
	}
	m.sent, m.again = nil, 0
	if !msg.Join {
		m.astray = 0
	}
	if msg.Join {
		m.joined(r)
	}
	m.hear(&m.remote, msg, r, r.Epoch, m.now-m.sentAt)
	m.pace()
}

// joined notes that the store's books know all that the member holds.
func (m *Member) joined(r *Reply) {
	m.remote.joined, m.epoch, m.alone = true, r.Epoch, nil
	for _, it := range m.items {
		if it.granted {
			it.epoch = r.Epoch
		}
	}
}

// pace says when to be heard again at the latest: a heartbeat, which is sooner while something waits, in case that the
// news of a grant is lost, or while a grant is not acknowledged. Members do not keep step.
func (m *Member) pace() {
	every := m.cfg.Lease / heartbeats
	if m.queued > 0 {
		every = min(every, m.cfg.Quiet/2)
	}
	if m.remote.ack != m.remote.acked {
		every = min(every, m.cfg.Quiet/3)
	}
	m.beat = m.now + jitter.Backoff(every*2/3, every, 0, m.seed, m.remote.batch, 0)
}

// hear takes what books have answered, of which the way took so long.
func (m *Member) hear(t *talk, msg *Message, r *Reply, epoch int64, way time.Duration) {
	t.acked = msg.Ack
	for _, g := range r.Grants {
		if g.Number <= t.ack {
			continue
		}
		t.ack = g.Number
		it := m.items[g.ID]
		if it == nil || it.granted {
			continue // withdrawn meanwhile
		}
		if r.Now-g.Taken+way > m.cfg.Quiet {
			// It would reach the provider in another second than it was charged in: back to the line.
			m.outbox = append(m.outbox, Op{Kind: OpSettle, ID: g.ID, Unused: true, Signal: -1}, it.ask)
			continue
		}
		it.granted, it.key, it.quota, it.taken, it.epoch = true, g.Key, g.Quota, g.Taken, epoch
		m.queued--
		m.told.Grants = append(m.told.Grants, g)
	}
	m.next, m.told.Heard, m.told.Heads = Never, true, nil
	for _, h := range r.Heads {
		if h.At < Never {
			h.At = max(m.now, h.At-m.offset) // when a message of this member's would be of that instant
			m.next = min(m.next, h.At)
		}
		m.told.Heads = append(m.told.Heads, h)
	}
	if r.News != nil {
		t.knows = r.News.Version
		for i := range r.News.Rests {
			q := &r.News.Rests[i]
			q.Until -= m.offset
			m.rests[q.Quota] = max(m.rests[q.Quota], q.Until)
		}
		for _, k := range r.News.Dead {
			m.dead[k] = true
		}
		m.told.News = r.News
	}
}

// measure keeps the offset to the store's clock, of the shortest way there and back of the last minute.
func (m *Member) measure(r *Reply) {
	if r.Clock == 0 {
		return
	}
	way := m.now - m.sentAt
	if way <= m.trip || m.now > m.tripAt+offsetFor {
		m.trip, m.tripAt = way, m.now
		m.offset = r.Clock - (m.sentAt + way/2)
	}
}

// Failed tells that the message that was begun last has not been answered: nobody knows whether it was heard.
func (m *Member) Failed(now time.Duration) {
	m.now = max(m.now, now)
	m.lost()
}

func (m *Member) lost() {
	m.flying = false
	m.fails++
	most := retryCap
	if m.other {
		most = otherCap
	}
	m.retry = m.now + jitter.Backoff(retryBase, most, m.fails-1, m.seed, uint64(m.now), m.fails)
	switch {
	case m.other && m.alone == nil: // whoever is alive there uses all of the limits: nothing is left to go alone on
	case m.alone != nil && m.sent != nil && m.sent.Join && !m.other && m.again < rejoins:
		m.again++ // a new join would charge once more what this one may have charged already
	case m.alone != nil:
		m.sent, m.again = nil, 0
		if m.alone.leaving {
			m.alone.join(m)
		}
	case m.own.Open:
		m.sent, m.remote.joined = nil, false
		m.alone = newAlone(m)
	}
}
