package report

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// TestSlowestAreInOrder compares with a sorted list, and adds up the parts.
func TestSlowestAreInOrder(t *testing.T) {
	s := testSetup()
	all := lives(newRand(11), 400)
	r := NewRecorder(s)
	v := r.Finish(play(r, all, forever))
	want := map[string][]Num{}
	byID := map[string]*life{}
	for i := range all {
		l := &all[i]
		byID[fmt.Sprintf("%016x", l.job.ID)] = l
		if l.job.Intended >= s.Warmup && l.job.Intended < s.Duration && l.res.Ending != stack.Cancelled {
			p := s.Profiles[l.job.Profile].Name
			want[p] = append(want[p], inMS(l.res.Ended-l.job.Intended))
		}
	}
	got := map[string][]Num{}
	for _, q := range v.Slowest {
		got[q.Profile] = append(got[q.Profile], q.TotalMS)
		l := byID[q.Request]
		if len(q.Steps) != len(l.res.Steps) || q.Ending != l.res.Ending.String() || q.Agent != int(l.job.Agent) {
			t.Errorf("%+v does not describe %+v", q, l.res)
		}
		for i, st := range q.Steps {
			if st.SentS != inSeconds(l.res.Steps[i].Sent) {
				t.Errorf("step %d sent at %v, want %v", i, st.SentS, l.res.Steps[i].Sent)
			}
		}
		var parts float64
		for _, p := range q.Parts {
			parts += float64(p.MS)
		}
		if math.Abs(parts-float64(q.TotalMS)) > 1e-6 {
			t.Errorf("parts sum to %v of %v ms", parts, q.TotalMS)
		}
	}
	for p, list := range want {
		slices.SortFunc(list, func(a, b Num) int {
			if a > b {
				return -1
			}
			return 1
		})
		if !slices.Equal(got[p], list[:3]) {
			t.Errorf("%s: slowest %v, want %v", p, got[p], list[:3])
		}
	}
}

// TestSlowestKeepsOwnSteps ensures that the caller's steps are copied.
func TestSlowestKeepsOwnSteps(t *testing.T) {
	s := newSlowest(1, 2, 1)
	steps := make([]stack.Step, 1)
	for i, total := range []time.Duration{3, 9, 5, 1, 7} {
		steps[0].Key = i
		s.offer(&Job{ID: uint64(i)}, &stack.Result{Steps: steps}, total)
	}
	for i, want := range []int{1, 4} {
		if got := s.top[0][i]; got.id != uint64(want) || got.steps[0].key != want {
			t.Errorf("place %d: request %d with key %d, want %d", i, got.id, got.steps[0].key, want)
		}
	}
}
