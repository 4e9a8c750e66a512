package mockupstream

import (
	"testing"
	"time"
)

// A call of these tests has its first token after 1 s and its last 90 ms later.
func write(id, writeID, key uint64) Call {
	return Call{ID: id, In: 100, Out: 10, Write: true, WriteID: writeID, IdempotencyKey: key}
}

func expectWrites(t *testing.T, p *Provider, committed, duplicate, replayed int64) {
	t.Helper()
	b := p.Books()
	if b.CommittedWrites != committed || b.DuplicateWrites != duplicate || b.ReplayedWrites != replayed {
		t.Errorf("%d committed, %d duplicates, %d replayed; want %d, %d, %d",
			b.CommittedWrites, b.DuplicateWrites, b.ReplayedWrites, committed, duplicate, replayed)
	}
}

func TestWriteCommitsAtFirstToken(t *testing.T) {
	for at, committed := range map[time.Duration]int64{0: 0, ts - 1: 0, ts: 1, 5 * ts: 1} {
		p := mustNew(t, single(0, 0))
		plan := p.Admit(0, write(1, 1, 0))
		expectWrites(t, p, 0, 0, 0)
		p.Disconnect(at, plan.ID)
		expectWrites(t, p, committed, 0, 0)
	}
}

func TestDuplicateWritesWithoutKeys(t *testing.T) {
	p := mustNew(t, single(0, 0))
	first, second := p.Admit(0, write(1, 77, 0)), p.Admit(0, write(2, 77, 0)) // at the same time
	p.Complete(second.End, second.ID)
	p.Complete(first.End, first.ID)
	third := p.Admit(10*ts, write(3, 77, 0))
	p.Disconnect(11*ts, third.ID)
	expectWrites(t, p, 1, 2, 0)
	other := p.Admit(20*ts, write(4, 78, 0))
	p.Complete(other.End, other.ID)
	expectWrites(t, p, 2, 2, 0)
}

func TestWriteWithoutIDIsItsCalls(t *testing.T) {
	p := mustNew(t, single(0, 0))
	for _, id := range []uint64{1, 2, 2} {
		plan := p.Admit(p.now, write(id, 0, 0))
		p.Complete(plan.End, plan.ID)
	}
	expectWrites(t, p, 2, 1, 0)
}

func TestIdempotencyKey(t *testing.T) {
	p := mustNew(t, single(100, 10_000))
	first := p.Admit(0, write(1, 77, 5))
	if plan := p.Admit(500*tms, write(1, 77, 5)); plan.Status != 409 || plan.Code != CodeConflict {
		t.Errorf("while the first runs: %+v", plan)
	}
	// The first token is out, but the call still runs.
	if plan := p.Admit(1050*tms, write(1, 77, 5)); plan.Status != 409 {
		t.Errorf("while the first runs: %+v", plan)
	}
	p.Complete(first.End, first.ID)
	replay := p.Admit(2*ts, write(1, 77, 5))
	if replay.Status != 200 || replay.FirstToken != 3*ts || replay.End != 3*ts {
		t.Errorf("after the first: %+v, want an answer from the store", replay)
	}
	if replay.Limits.RemainingRequests != 99 || replay.Limits.RemainingTokens != 10_000-100 {
		t.Errorf("limits %+v: a replay is a request like any other", replay.Limits)
	}
	if u := p.Complete(replay.End, replay.ID); u != (Usage{}) {
		t.Errorf("billed %+v: nothing was generated", u)
	}
	expectWrites(t, p, 1, 0, 1)
	if b := p.Books(); b.Refused != 2 || b.Keys[0].Refused429 != 0 {
		t.Errorf("books %+v", b)
	}
}

func TestIdempotencyKeyOfACallThatWasCutShort(t *testing.T) {
	p := mustNew(t, single(0, 0))
	first := p.Admit(0, write(1, 77, 5))
	p.Disconnect(999*tms, first.ID)
	second := p.Admit(ts, write(1, 77, 5))
	if second.Status != 200 || second.FirstToken != 2*ts {
		t.Errorf("the first was not carried out, so the second must be: %+v", second)
	}
	p.Disconnect(2*ts, second.ID)
	expectWrites(t, p, 1, 0, 0)
	p.Complete(3*ts, p.Admit(2*ts, write(1, 77, 5)).ID)
	expectWrites(t, p, 1, 0, 1)
}

func TestIdempotencyKeyAfterALostResponse(t *testing.T) {
	p := mustNew(t, withFault(single(0, 0), Fault{Kind: FaultLostResponse, For: ts}))
	lost := p.Admit(0, write(1, 77, 5))
	again := p.Admit(500*tms, write(1, 77, 5))
	if again.Fate != FateHang {
		t.Errorf("within the fault the replay is lost, too: %+v", again)
	}
	p.Disconnect(500*tms, again.ID)
	if plan := p.Admit(2*ts, write(1, 77, 5)); plan.Status != 200 || plan.End != 3*ts {
		t.Errorf("the first connection hangs, but its call is done: %+v", plan)
	}
	p.Disconnect(2*ts, lost.ID)
	expectWrites(t, p, 1, 0, 2)
	if b := p.Books(); b.Billed != (Usage{In: 100, Out: 10}) {
		t.Errorf("billed %+v, want the first call alone", b.Billed)
	}
}

func TestIdempotencyKeysAreTheVendors(t *testing.T) {
	cfg := fleet(3, 1)
	cfg.Models[2].Vendor = "other"
	p := mustNew(t, cfg)
	for _, s := range []struct {
		model                         int
		committed, duplicate, replays int64
	}{{0, 1, 0, 0}, {1, 1, 0, 1}, {2, 1, 1, 1}} {
		c := write(1, 77, 5)
		c.Model = s.model
		plan := p.Admit(p.now, c)
		p.Complete(plan.End, plan.ID)
		expectWrites(t, p, s.committed, s.duplicate, s.replays)
	}
}

func TestReadsHaveNoKeys(t *testing.T) {
	p := mustNew(t, single(0, 0))
	for range 2 {
		if plan := p.Admit(0, Call{ID: 1, IdempotencyKey: 5}); plan.Status != 200 || plan.FirstToken != ts {
			t.Errorf("plan %+v", plan)
		}
	}
	expectWrites(t, p, 0, 0, 0)
}
