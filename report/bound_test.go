package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// use is a second of a gate with so many in flight under the limit.
func use(limit, inFlight int) stack.GateUse {
	return stack.GateUse{
		Limit: int64(limit) * 1e9, InFlight: int64(inFlight) * 1e9, LimitMin: limit, LimitMax: limit, InFlightMax: inFlight,
	}
}

// waits adds a second in which requests of the classes wait.
func waits(u *stack.GateUse, why stack.Blocked, p0, p1, p2 int) {
	u.Waiting = [stack.NumClasses]int64{int64(p0) * 1e9, int64(p1) * 1e9, int64(p2) * 1e9}
	u.WaitingMax = p0 + p1 + p2
	u.Blocked[why], u.Waited[why] = 1e9, int64(u.WaitingMax)*1e9
}

// sample feeds a gauge per second. Of every ten seconds, the first model's head waits
// tpm for tokens, and the second's slots for a slot.
func sample(r *Recorder, tpm, slots int) {
	for now := time.Duration(0); now < r.setup.Duration; now += time.Second {
		g := Gauges{Span: time.Second, ExcludedKeys: 1, Models: []stack.GateUse{use(40, 20), use(10, 5)}}
		second := int(now/time.Second) % 10
		if second < tpm {
			waits(&g.Models[0], stack.BlockedTPM, 0, 3, 1)
		}
		if second < slots {
			waits(&g.Models[1], stack.BlockedSlots, 1, 0, 0)
		}
		r.Gauge(now, &g)
	}
}

func TestBoundNamesWhatWasWaitedFor(t *testing.T) {
	books := &mockupstream.Books{Quotas: []mockupstream.QuotaBook{
		{Quota: 0, Minutes: []mockupstream.Minute{{Tokens: 2e6}, {Tokens: 400_000, Requests: 100}, {Tokens: 970_000, Requests: 50}}},
	}}
	for _, c := range []struct {
		name       string
		tpm, slots int
		want       string
	}{
		{"nobody waits", 0, 0, "nothing: no request waited"},
		{"tokens", 2, 5, "TPM of gpt-4.1 keys (97 % in the worst minute, requests waited for it 20 % of the time)"},
		{"slots", 0, 5, "concurrency of gemini-2.5-flash (requests waited for it 50 % of the time)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRecorder(testSetup())
			sample(r, c.tpm, c.slots)
			v := r.Finish(Run{Now: 10 * time.Minute, Books: books, Gates: []GateCount{{Increases: 3, Decreases: 2}, {}}})
			if v.Bound.Resource != c.want {
				t.Errorf("%q, want %q", v.Bound.Resource, c.want)
			}
			if first := v.Bound.Resources[0]; first.Name != "TPM of gpt-4.1 keys" || first.Share != 0.97 {
				t.Errorf("resources %+v", v.Bound.Resources)
			}
			g := v.Stack.Gates[0]
			if g.LimitMean != 40 || g.LimitMax != 40 || g.InFlightMean != 20 || g.Decreases != 2 || g.QueueMax != int64(4*min(c.tpm, 1)) {
				t.Errorf("gate %+v", g)
			}
		})
	}
}

func TestBoundOfShortWaits(t *testing.T) {
	r := NewRecorder(testSetup())
	j := &Job{Intended: 2 * time.Minute}
	r.Done(j.Intended, j, &stack.Result{Ending: stack.Succeeded, Queued: 3 * time.Millisecond, Ended: j.Intended})
	if got, want := r.Finish(Run{Now: 10 * time.Minute}).Bound.Resource, "nothing for long: a request waited 3 ms on average"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBoundOutsideOfGates: agents, their caps and backoff hold requests up as gates do.
func TestBoundOutsideOfGates(t *testing.T) {
	for _, c := range []struct {
		name                  string
		busy, capped, backoff time.Duration
		wire                  time.Duration
		tpm                   int // as in sample
		want                  string
	}{
		{"agents", 30 * time.Second, time.Second, 2 * time.Second, 67 * time.Second, 0, "agents are busy: answers take longer than their interval (30 % of the time of requests)"},
		{"caps", 3 * time.Second, 50 * time.Second, 2 * time.Second, 45 * time.Second, 0, "the agents' own rate caps (50 % of the time of requests)"},
		{"backoff", 0, 0, 20 * time.Second, 80 * time.Second, 0, "backoff between attempts (20 % of the time of requests)"},
		{"a little", 900 * time.Millisecond, 0, 900 * time.Millisecond, 98 * time.Second, 0, "nothing: no request waited"},
		{"agents that are busy because a gate is", 90 * time.Second, 0, 0, time.Second, 1, "TPM of gpt-4.1 keys (requests waited for it 10 % of the time)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRecorder(testSetup())
			sample(r, c.tpm, 0)
			for range 10 {
				j := &Job{Intended: 2 * time.Minute, Issued: 2*time.Minute + c.busy}
				r.Done(4*time.Minute, j, &stack.Result{Ending: stack.Failed, Capped: c.capped, Backoff: c.backoff, OnWire: c.wire, Ended: j.Intended + 100*time.Second})
			}
			if got := r.Finish(Run{Now: 10 * time.Minute}).Bound.Resource; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestKeyUtilisation(t *testing.T) {
	r := NewRecorder(testSetup())
	minutes := []mockupstream.Minute{{Requests: 9999, Tokens: 9e6}} // warm-up
	for i := range 9 {
		minutes = append(minutes, mockupstream.Minute{Requests: int64(100 * i), Tokens: int64(50_000 * i)})
	}
	minutes = append(minutes, mockupstream.Minute{Requests: 9999}) // after the end
	v := r.Finish(Run{
		Now: 11 * time.Minute,
		Books: &mockupstream.Books{
			Keys:   []mockupstream.KeyBook{{Key: 0, Model: 0, Received: 5, Refused429: 2}, {Key: 2, Model: 1, Received: 1}},
			Quotas: []mockupstream.QuotaBook{{Quota: 0, Minutes: minutes}},
		},
		Excluded: [][]time.Duration{{90 * time.Second, 0}, {0, 0}, {0, 0}},
	})
	if len(v.Keys) != 2 {
		t.Fatalf("keys %+v", v.Keys)
	}
	if k := v.Keys[0]; k.Key != "k1" || k.HTTP429 != 2 || k.RPMUtilisation != 0.8 || k.RPMWorst != 0.8 || k.TPMWorst != 0.4 || k.ExcludedS != 90 {
		t.Errorf("%+v", k)
	}
	if k := v.Keys[1]; k.Key != "k3" || !math.IsNaN(float64(k.TPMWorst)) {
		t.Errorf("%+v", k)
	}
}

// TestSeries checks lengths, counts by interval and what is left out.
func TestSeries(t *testing.T) {
	s := testSetup()
	s.Duration, s.Interval = 95*time.Second, 20*time.Second
	r := NewRecorder(s)
	for now := time.Duration(0); now < 3*time.Minute; now += time.Second {
		r.Gauge(now, &Gauges{Span: time.Second, Models: []stack.GateUse{use(int(now/time.Second), 0), {}}})
		r.Attempted(now, &Job{}, &stack.Step{Outcome: stack.Outcome{Status: 429}}, Bill{Usage: stack.Usage{In: 10}}, true)
		j := &Job{Intended: now - 2*time.Second}
		r.Done(now, j, &stack.Result{Ending: stack.Succeeded, Ended: now})
	}
	v := r.Finish(Run{Now: 3 * time.Minute})
	columns := map[string][]Num{}
	for _, c := range v.Series.Columns {
		columns[c.Name] = c.Values
		if len(c.Values) != 5 {
			t.Errorf("%s has %d values", c.Name, len(c.Values))
		}
	}
	for name, want := range map[string][2]Num{ // first and last interval
		"requests": {20, 15}, "http_429": {20, 15}, "limit{gpt-4.1}": {9.5, 87}, "tokens_per_min": {600, 600}, "queue{P0}": {0, 0},
	} {
		if c := columns[name]; len(c) != 5 || c[0] != want[0] || c[4] != want[1] {
			t.Errorf("%s: %v, want %v ... %v", name, c, want[0], want[1])
		}
	}
	if p99 := float64(columns["p99_ms{hypothesis}"][1]); math.Abs(p99-2000) > 0.016*2000 {
		t.Errorf("p99 %v ms, want 2000", p99)
	}
}

// TestUtilisationSeries: an interval has the worst minute that it touches, of the worst quota of
// the model's keys; what has no limit, no use or no books has no column.
func TestUtilisationSeries(t *testing.T) {
	s := testSetup()
	s.Faults = []Fault{{Name: "burst", Kind: "burst_429", FromS: 60, ToS: 90}}
	s.Quotas = append(s.Quotas, QuotaInfo{Name: "other/gpt-4.1", RPM: 100, TPM: 1_000_000})
	s.KeyQuota = [][]int{{0, 1}, {2, 1}, {0, -1}}
	minute := func(requests, tokens int64) mockupstream.Minute {
		return mockupstream.Minute{Requests: requests, Tokens: tokens}
	}
	books := &mockupstream.Books{Quotas: []mockupstream.QuotaBook{
		{Quota: 0, Minutes: []mockupstream.Minute{minute(100, 500_000), minute(900, 200_000), minute(0, 0)}},
		{Quota: 1},
		{Quota: 2, Minutes: []mockupstream.Minute{minute(50, 100_000), minute(10, 300_000)}},
	}}
	for _, c := range []struct {
		interval time.Duration
		books    *mockupstream.Books
		rpm, tpm []Num
	}{
		{20 * time.Second, books, []Num{0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0, 0}, []Num{0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0, 0}},
		{40 * time.Second, books, []Num{0.5, 0.9, 0.9, 0}, []Num{0.5, 0.5, 0.3, 0}},
		{2 * time.Minute, books, []Num{0.9, 0}, []Num{0.5, 0}},
		{20 * time.Second, nil, nil, nil},
	} {
		s.Duration, s.Interval = 160*time.Second, c.interval
		r := NewRecorder(s)
		r.Gauge(time.Second, &Gauges{Span: time.Second, Models: []stack.GateUse{{InFlight: 3e9}, {InFlight: 4e9}}})
		v := r.Finish(Run{Now: s.Duration, Books: c.books})
		got := map[string][]Num{}
		for _, col := range v.Series.Columns {
			got[col.Name] = col.Values
		}
		if !slices.Equal(got["rpm_use{gpt-4.1}"], c.rpm) || !slices.Equal(got["tpm_use{gpt-4.1}"], c.tpm) {
			t.Errorf("intervals of %v: RPM %v, TPM %v, want %v, %v", c.interval, got["rpm_use{gpt-4.1}"], got["tpm_use{gpt-4.1}"], c.rpm, c.tpm)
		}
		if got["tpm_use{gemini-2.5-flash}"] != nil || got["rpm_use{gemini-2.5-flash}"] != nil {
			t.Errorf("columns of a model without use: %v", got)
		}
		if all, a, b := got["in_flight"][0], got["in_flight{gpt-4.1}"][0], got["in_flight{gemini-2.5-flash}"][0]; all != 7 || a != 3 || b != 4 {
			t.Errorf("in flight %v = %v + %v, want 7 = 3 + 4", all, a, b)
		}
		if told := len(v.Faults) == 1; told != (c.books != nil) {
			t.Errorf("faults %v with books %v", v.Faults, c.books != nil)
		}
	}
}
