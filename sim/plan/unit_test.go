package plan

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Ensure units that are carried out elsewhere, as JSON and in any order, give the report of this machine (INV-4).
func TestUnitsElsewhere(t *testing.T) {
	want := text(t, small(t, nil), Session{})
	for _, seed := range []uint64{1, 2, 3} {
		p := small(t, nil)
		dice := rand.New(rand.NewPCG(seed, 0))
		n := 0
		got := text(t, p, Session{Execute: func(units []Unit, done func(int, Sample, error)) {
			for _, i := range dice.Perm(len(units)) {
				n++
				done(i, elsewhere(t, p, units[i]), nil)
			}
		}})
		if got != want {
			t.Errorf("order %d: another report than here", seed)
		}
		if n == 0 {
			t.Error("nothing was carried out elsewhere")
		}
	}
}

// elsewhere carries a unit out after it was written and read, and so with its result.
func elsewhere(t *testing.T, p *Plan, u Unit) Sample {
	t.Helper()
	var got Unit
	var s Sample
	for _, step := range []struct{ from, to any }{{u, &got}, {nil, &s}} {
		if step.from == nil {
			out, err := got.Run(p.Scenario(), nil)
			if err != nil {
				t.Fatal(err)
			}
			step.from = out
		}
		data, err := json.Marshal(step.from)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, step.to); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Ensure a result that is not that of its unit is an error and not taken for it.
func TestResultOfAnotherUnit(t *testing.T) {
	for name, change := range map[string]func(*Sample){
		"no checks":       func(s *Sample) { s.Checks = nil },
		"another point":   func(s *Sample) { s.Point = "x" },
		"another seed":    func(s *Sample) { s.Seed++ },
		"another variant": func(s *Sample) { s.Variant = "x" },
		"another run":     func(s *Sample) { *s = Sample{} },
	} {
		p := small(t, nil)
		_, err := p.Run(Session{Execute: func(units []Unit, done func(int, Sample, error)) {
			for i, u := range units {
				o := Outcome{Margin: 1, OK: true}
				s := Sample{Point: u.Point, Variant: u.Variant, Rep: u.Rep, Seed: u.Seed, Checks: []Outcome{o, o}}
				change(&s)
				done(i, s, nil)
			}
		}})
		if err == nil || !strings.HasPrefix(err.Error(), "the result of upstreams.openai.keys.main.count=1, variant base, replication 0: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ensure a unit that cannot be run says why, and one that is stopped that it was.
func TestUnitFails(t *testing.T) {
	p := small(t, nil)
	var units []Unit
	r, err := p.Run(Session{Execute: func(list []Unit, done func(int, Sample, error)) {
		units = append(units, list...)
		for i := range list {
			done(i, Sample{}, ErrStopped)
		}
	}})
	if err != nil || r.Status != Partial || len(units) == 0 {
		t.Fatalf("%d units, status %s, %v", len(units), r.Status, err)
	}
	for name, change := range map[string]func(*Unit){
		"no such path":    func(u *Unit) { u.Sets = []string{"upstreams.nowhere.keys=1"} },
		"no such variant": func(u *Unit) { u.Variant = "none" },
		"no objective":    func(u *Unit) { u.Objectives = []string{"p99 <"} },
	} {
		u := units[0]
		u.Sets = slices.Clone(u.Sets)
		change(&u)
		if _, err := u.Run(p.Scenario(), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var stop atomic.Bool
	stop.Store(true)
	if _, err := units[0].Run(p.Scenario(), &stop); err != ErrStopped {
		t.Errorf("stopped: %v", err)
	}
}
