package stack_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// flaky answers in every way that there is, by turns.
func flaky(w http.ResponseWriter, q *asked) {
	switch q.Number % 11 {
	case 0:
		w.Header().Set("Retry-After-Ms", "5")
		fail(w, 429, "rate_limit_exceeded", "slow down")
	case 1:
		fail(w, 529, "overloaded_error", "full")
	case 2:
		delta(w, "cut")
	case 3:
		panic(http.ErrAbortHandler)
	case 4:
		fail(w, 500, "server_error", "no")
	case 5:
		time.Sleep(30 * time.Millisecond) // beyond the wait for a first token
		say(w, q, "late")
	default:
		say(w, q, "a b c d")
	}
}

// keep copies an effect, whose parts are the core's.
func keep(e *stack.Effect) stack.Effect {
	k := *e
	if e.Result != nil {
		r := *e.Result
		r.Steps = append([]stack.Step(nil), r.Steps...)
		k.Result = &r
	}
	return k
}

// restless makes every decision of a core happen within milliseconds.
func restless(s *stack.Config) {
	s.Timeouts.FirstToken, s.Timeouts.PrefillPerToken = 20*time.Millisecond, 0
	s.Concurrency.Start, s.Concurrency.Interval = 16, 10*time.Millisecond
	s.Rotation.Exclude = 3 * time.Millisecond
	s.Fallback.MaxWait = 5 * time.Millisecond
	s.Queue.Bound = 200
	s.Timeouts.Deadline[stack.P2] = 60 * time.Millisecond
	s.Breaker = stack.Default().Breaker
	s.Breaker.Enabled, s.Breaker.OpenFor, s.Breaker.OpenMax = true, 5*time.Millisecond, 10*time.Millisecond
}

// Ensure the client decides what a core decides that is told the same at the same instants: what a
// run over real sockets told its core, with calls in parallel, retries, time-outs and
// cancellations, has the same effects in another (INV-5).
func TestReplayHasTheSameEffects_INV5(t *testing.T) {
	v := newVendor(t, flaky)
	cfg := setup(v.URL, v.URL)
	restless(&cfg.Stack)
	var inputs []stack.Input
	var effects []stack.Effect
	watch := newEnds()
	cfg.Tape, cfg.Observer = func(in stack.Input) { inputs = append(inputs, in) }, watch
	c := newClient(t, cfg)
	c.Watch(func(e *stack.Effect) { effects = append(effects, keep(e)) })

	const n = 200
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i%5 == 0 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(40)+1)*time.Millisecond)
				defer cancel()
			}
			call := ask(i, "ping")
			call.Class, call.Write, call.Whole, call.Agent = stack.Class(i%3), i%4 == 0, i%2 != 0, uint32(i%7)
			_, _ = c.Do(ctx, call)
		})
	}
	all.Wait()
	_ = c.Close()
	watch.check(t, len(watch.done))

	fresh, err := stack.New(cfg.Stack)
	if err != nil {
		t.Fatal(err)
	}
	kinds, at := map[stack.InputKind]int{}, 0
	for i, in := range inputs {
		kinds[in.Kind]++
		fresh.Apply(in)
		for _, e := range fresh.Effects() {
			if at == len(effects) {
				t.Fatalf("input %d has an effect more: %+v", i, e)
			}
			if got := keep(&e); !reflect.DeepEqual(got, effects[at]) {
				t.Fatalf("input %d, effect %d: %+v, the client did %+v", i, at, got, effects[at])
			}
			at++
		}
	}
	if at != len(effects) {
		t.Errorf("%d effects, the client did %d", at, len(effects))
	}
	done := map[stack.EffectKind]int{}
	for _, e := range effects {
		done[e.Kind]++
	}
	if done[stack.EffectDone] != kinds[stack.InputSubmit] || done[stack.EffectSend] == 0 || done[stack.EffectAbort] == 0 {
		t.Errorf("inputs %v, effects %v", kinds, done)
	}
	for k := stack.InputSubmit; k <= stack.InputAdvance; k++ {
		if kinds[k] == 0 && k != stack.InputProgress { // which takes a quarter of the gap
			t.Errorf("the run has no input of kind %d", k)
		}
	}
}

// Ensure Apply makes the call that the input stands for.
func TestApply(t *testing.T) {
	cfg := setup("http://x").Stack
	core, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ticket := core.Apply(stack.Input{Kind: stack.InputSubmit, Request: stack.Request{ID: 1, EstIn: 1, MaxOut: 1}})
	id := core.Effects()[0].Attempt.ID
	for _, in := range []stack.Input{
		{At: 1, Kind: stack.InputFirstToken, Attempt: id},
		{At: 2, Kind: stack.InputProgress, Attempt: id},
		{At: 3, Kind: stack.InputAdvance},
		{At: 4, Kind: 0},
	} {
		if got := core.Apply(in); got != 0 || len(core.Effects()) != 0 {
			t.Errorf("%+v has effects", in)
		}
	}
	if wake, _ := core.NextWake(); wake != 2+cfg.Timeouts.Gap {
		t.Errorf("wake at %v", wake)
	}
	core.Apply(stack.Input{At: 5, Kind: stack.InputCancel, Ticket: ticket})
	if e := core.Effects(); len(e) != 2 || e[0].Kind != stack.EffectAbort || e[1].Result.Steps[0].FirstToken != 1 {
		t.Errorf("effects %+v", e)
	}
}
