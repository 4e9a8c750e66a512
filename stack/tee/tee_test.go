package tee_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/tee"
)

// diary notes what it is told.
type diary struct {
	name string
	to   *[]string
}

func (d diary) note(what string, now time.Duration, id any) {
	*d.to = append(*d.to, fmt.Sprint(d.name, " ", what, " ", id, " at ", now))
}

func (d diary) Sent(now time.Duration, a *stack.Attempt) { d.note("sent", now, a.ID) }

func (d diary) Ended(now time.Duration, a *stack.Attempt, s *stack.Step) {
	d.note("ended "+s.Outcome.Kind.String(), now, a.ID)
}

func (d diary) Done(now time.Duration, r *stack.Result) { d.note("done", now, r.Request.ID) }

// Ensure all observers are told everything, in the order in which they are given.
func TestNew(t *testing.T) {
	var notes []string
	o := tee.New(diary{"a", &notes}, nil, diary{"b", &notes})
	o.Sent(1, &stack.Attempt{ID: 7})
	o.Ended(2, &stack.Attempt{ID: 7}, &stack.Step{Outcome: stack.Outcome{Kind: stack.Success}})
	o.Done(3, &stack.Result{Request: stack.Request{ID: 9}})
	want := []string{
		"a sent 7 at 1ns", "b sent 7 at 1ns", "a ended success 7 at 2ns", "b ended success 7 at 2ns",
		"a done 9 at 3ns", "b done 9 at 3ns",
	}
	if !slices.Equal(notes, want) {
		t.Errorf("told %q, want %q", notes, want)
	}
}

func TestNewOfFew(t *testing.T) {
	if o := tee.New(nil, nil); o != nil {
		t.Errorf("an observer out of nothing: %v", o)
	}
	one := diary{name: "one"}
	if o := tee.New(nil, one); o != stack.Observer(one) {
		t.Errorf("%v, want the only one", o)
	}
}
