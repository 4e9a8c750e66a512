package fleet

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack/limit"
)

// small is books of one key of 62 requests in the window, one a second, with a burst of 5 s, and 60 slots.
func small() Config {
	return Config{
		Lease: 10 * sec, Quiet: 500 * ms,
		Quotas:  []Quota{{Requests: Limit{Capacity: 62, Burst: 5 * sec}}},
		Targets: []Target{{Keys: []KeyUse{{Weight: 1}}, Controller: "static", Limit: limit.Config{Start: 60}}},
	}.Exact()
}

func newMember(t *testing.T, cfg Config, own MemberConfig) *Member {
	t.Helper()
	m, err := NewMember(cfg, own)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func place(id uint64) Op { return Op{ID: id, Class: 1, Quota: -1} }

// speak carries all that a member has to say at an instant to books; nil: they are gone. It returns how many messages that were.
func speak(m *Member, b *Books, now time.Duration) (n int) {
	for n < 50 {
		msg, ok := m.Begin(now)
		if !ok {
			return n
		}
		n++
		if b == nil {
			m.Failed(now)
			continue
		}
		r := b.Exchange(*msg)
		m.Heard(now, &r)
	}
	return n
}

// Ensure a process that begins again under the name of one that has died is not taken for it: it joins at once, and what the
// dead one held is free.
func TestMemberOfADeadOnesName(t *testing.T) {
	cfg := small()
	b, err := NewBooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	first := newMember(t, cfg, MemberConfig{Name: "a"})
	speak(first, b, 100*sec)
	first.Ask(place(1))
	for i := range 30 {
		first.Wake()
		speak(first, b, 102*sec+time.Duration(i)*sec/10)
	}
	if b.Gate(0).InFlight != 1 {
		t.Fatalf("gate %+v", b.Gate(0))
	}
	second := newMember(t, cfg, MemberConfig{Name: "a"})
	second.Ask(place(1))
	if n := speak(second, b, 106*sec); n > 3 || !second.remote.joined || b.Gate(0).InFlight != 1 {
		t.Errorf("%d messages, joined %v, gate %+v", n, second.remote.joined, b.Gate(0))
	}
	// The two of one name at a time push each other out, and not as fast as they can.
	joins := 0
	for i := range 200 {
		now := 107*sec + time.Duration(i)*10*ms
		for _, m := range []*Member{first, second} {
			m.Wake()
			for range 10 {
				msg, ok := m.Begin(now)
				if !ok {
					break
				}
				if msg.Join {
					joins++
				}
				r := b.Exchange(*msg)
				m.Heard(now, &r)
			}
		}
	}
	if joins > 30 {
		t.Errorf("two processes of one name joined %d times in two seconds", joins)
	}
}

// INV-52: an open fleet goes on at its smooth rate when the store is back: what was used meanwhile counts in the window, and is not
// waited for once more. An answer that is lost on the way does not charge it twice.
func TestMemberGoesOnAfterItWasAlone_INV52(t *testing.T) {
	for _, lost := range []bool{false, true} {
		cfg := small()
		b, err := NewBooks(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m := newMember(t, cfg, MemberConfig{Name: "a", Open: true})
		now := 100 * sec
		speak(m, b, now)
		id, sent := uint64(0), 0
		tick := func(b *Books) {
			now += 100 * ms
			if m.queued == 0 {
				id++
				m.Ask(place(id))
			}
			speak(m, b, now)
			for _, g := range m.Told().Grants {
				sent++
				m.Settle(now, Op{ID: g.ID, Signal: -1})
			}
		}
		for range 400 {
			tick(nil)
		}
		if sent < 30 {
			t.Fatalf("%d sent alone in 40 s", sent)
		}
		for lost { // the first join is heard, and its answer is not
			now += 100 * ms
			msg, ok := m.Begin(now)
			if !ok {
				continue
			}
			r := b.Exchange(*msg)
			if msg.Join {
				m.Failed(now)
				break
			}
			m.Heard(now, &r)
		}
		before := sent
		for range 200 {
			tick(b)
		}
		if n := sent - before; n < 12 || n > 21 {
			t.Errorf("answer lost %v: %d sent in 20 s with the store, one a second is smooth", lost, n)
		}
		if used := b.quotas[0].limits[0].Used(now); int(used) > sent || int(used) < sent-3 {
			t.Errorf("answer lost %v: %d used in the window, %d were sent", lost, used, sent)
		}
	}
}

// Ensure what a member keeps in a closed outage is no more than what waits, and that its messages are no longer than maxOps.
func TestMemberKeepsLittle(t *testing.T) {
	cfg := small()
	b, err := NewBooks(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := newMember(t, cfg, MemberConfig{Name: "a"})
	speak(m, b, 100*sec)
	now := 101 * sec
	m.Wake()
	if _, ok := m.Begin(now); !ok {
		t.Fatal("nothing is said")
	}
	m.Failed(now)
	for id := range uint64(50_000) {
		m.Ask(place(id + 1))
		if id >= 2500 {
			m.Withdraw(id - 2500 + 1)
		}
	}
	if len(m.outbox) > 3*2500 {
		t.Errorf("%d operations are kept, 2500 wait", len(m.outbox))
	}
	asks, most := 0, 0
	for range 100 {
		now += sec
		msg, ok := m.Begin(now)
		if !ok {
			continue
		}
		most = max(most, len(msg.Ops))
		for _, o := range msg.Ops {
			if o.Kind == OpAsk {
				asks++
			}
		}
		r := b.Exchange(*msg)
		r.Grants = nil
		m.Heard(now, &r)
	}
	if asks != 2500 || most > maxOps {
		t.Errorf("%d asked for, %d in one message", asks, most)
	}
	// So it is when it joins with them.
	m = newMember(t, cfg, MemberConfig{Name: "b"})
	for id := range uint64(2500) {
		m.Ask(place(id + 1))
	}
	msg, _ := m.Begin(now)
	if !msg.Join || len(msg.Ops) != maxOps || len(m.outbox) != 1500 {
		t.Errorf("joins with %d, %d are left", len(msg.Ops), len(m.outbox))
	}
}

// Ensure the ledger of what was used alone does not grow with the outage.
func TestAloneForgets(t *testing.T) {
	m := newMember(t, small(), MemberConfig{Name: "a", Open: true})
	m.now = 100 * sec
	m.Failed(m.now)
	for i := range 100_000 {
		it := held{epoch: -1, taken: time.Duration(100+i) * sec}
		m.alone.used(&it, &Op{})
	}
	if n := len(m.alone.ledger); n > 400 {
		t.Errorf("%d entries of 100000 s", n)
	}
}

// INV-11: an open fleet does not go alone when the store answers that another fleet is alive there, which uses all of the limits.
func TestMemberOfAnotherFleetDoesNotGoAlone(t *testing.T) {
	cfg, other := small(), small()
	other.Quotas[0].Requests.Capacity = 31
	b, err := NewBooks(other)
	if err != nil {
		t.Fatal(err)
	}
	old := newMember(t, other, MemberConfig{Name: "old"})
	speak(old, b, 100*sec)
	for _, outage := range []bool{false, true} {
		m := newMember(t, cfg, MemberConfig{Name: "new", Open: true})
		now := 101 * sec
		if outage {
			speak(m, nil, now)
		}
		m.Ask(place(1))
		granted := 0
		for range 100 {
			now += 100 * ms
			old.Wake()
			speak(old, b, now)
			speak(m, b, now)
			if m.now > 103*sec {
				granted += len(m.Told().Grants)
				for id := range uint64(3) {
					m.Ask(place(uint64(now) + id))
				}
			}
		}
		if _, other := m.Gone(); granted > 0 && !outage || granted > 2 || !other {
			t.Errorf("after an outage %v: %d granted, another fleet's %v", outage, granted, other)
		}
	}
}
