package report

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// TestLawsHold ensures that INV-1, INV-2 and INV-6 are found to hold in runs that keep
// them, whether all requests have ended or some are in flight.
func TestLawsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(0, 300).Draw(t, "n"))
		until := time.Duration(rapid.Int64Range(0, int64(12*time.Minute)).Draw(t, "until"))
		r := NewRecorder(testSetup())
		r.Close(play(r, all, until))
		laws := r.ended.laws
		if !laws.ConservationOK || !laws.BooksAgree || laws.LittleResidual != 0 || len(laws.Details) > 0 {
			t.Fatalf("%+v", laws)
		}
	})
}

// TestLawsAreBroken ensures that each kind of fault in a driver is found and told
// with both numbers.
func TestLawsAreBroken(t *testing.T) {
	setup := testSetup()
	j := &Job{Profile: 1}
	done := &stack.Result{Ending: stack.Succeeded, Submitted: time.Second, Ended: 3 * time.Second}
	for _, c := range []struct {
		name         string
		do           func(r *Recorder, run *Run)
		conservation bool
		books        bool
		residual     Num
		detail       string
	}{
		{
			"INV-1 a request is lost",
			func(r *Recorder, _ *Run) { r.Submitted(600*time.Second, j) },
			false, true, 0, "profile literature submitted 1, ended or in flight 0",
		},
		{
			"INV-1 a request ends twice",
			func(r *Recorder, _ *Run) {
				r.Submitted(time.Second, j)
				r.Done(3*time.Second, j, done)
				r.Done(600*time.Second, j, &stack.Result{Ending: stack.Failed, Submitted: 600 * time.Second, Ended: 600 * time.Second})
			},
			false, true, 0, "class P1 submitted 1, ended or in flight 2",
		},
		{
			"INV-1 a request ends without an ending",
			func(r *Recorder, _ *Run) {
				r.Submitted(time.Second, j)
				r.Done(time.Second, j, &stack.Result{Submitted: time.Second, Ended: time.Second})
			},
			false, true, 0, "submitted 1, ended or in flight 0",
		},
		{
			"INV-2 a result is misdated",
			func(r *Recorder, _ *Run) {
				r.Submitted(time.Second, j)
				r.Done(4*time.Second, j, done)
			},
			true, true, Num(1.0 / 3), "little",
		},
		{
			"INV-6 an attempt does not arrive",
			func(r *Recorder, _ *Run) { r.Sent(time.Second, j, 0, 1, 1) },
			true, false, 0, "attempts of key k2 at gpt-4.1: client 1, provider 0",
		},
		{
			"INV-6 a 429 is not in the books",
			func(r *Recorder, run *Run) {
				r.Sent(time.Second, j, 0, 0, 1)
				r.Attempted(time.Second, j, &stack.Step{Outcome: stack.Outcome{Kind: stack.RateLimited, Status: 429}}, Bill{}, false)
				run.Books.Received, run.Books.Admitted = 1, 1
				run.Books.Keys = []mockupstream.KeyBook{{Received: 1, Admitted: 1}}
			},
			true, false, 0, "429s: client 1 and at most 0 it could not see, provider 0",
		},
		{
			"INV-6 tokens are billed that nobody knows of",
			func(_ *Recorder, run *Run) { run.Books.Billed.Out = 7 },
			true, false, 0, "output tokens: client 0, provider 7",
		},
		{
			"INV-6 the provider bills tokens at a price of their own that the cost leaves out",
			func(_ *Recorder, run *Run) {
				run.Books.Tariff.CacheWrite = 9
				run.Books.Keys = []mockupstream.KeyBook{{Key: 1, Model: 1, Tariff: mockupstream.Tariff{CacheWrite: 9}}}
			},
			true, false, 0, "tokens written to the cache by key k2 at gemini-2.5-flash: client 0, provider 9",
		},
		{
			"INV-6 a long price that the provider does not ask",
			func(r *Recorder, run *Run) {
				r.Sent(time.Second, j, 0, 0, 1)
				use := stack.Usage{In: 7}
				r.Attempted(time.Second, j, &stack.Step{Outcome: stack.Outcome{Kind: stack.Success, Status: 200, Usage: use}}, Bill{Usage: use, Long: true}, false)
				run.Books.Received, run.Books.Admitted, run.Books.Billed.In = 1, 1, 7
				run.Books.Keys = []mockupstream.KeyBook{{Received: 1, Admitted: 1}}
			},
			true, false, 0, "long prompt tokens: client 7, provider 0",
		},
		{
			"INV-3 time goes back",
			func(r *Recorder, _ *Run) {
				r.Sent(time.Second, j, 0, 0, 1)
				r.Attempted(time.Second/2, j, &stack.Step{Outcome: stack.Outcome{Kind: stack.ConnectFailed}}, Bill{}, false)
			},
			true, false, 0, "time went back 1 times",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRecorder(setup)
			run := Run{Now: setup.Duration, Books: &mockupstream.Books{}}
			c.do(r, &run)
			laws := r.Finish(run).Laws
			if laws.ConservationOK != c.conservation || laws.BooksAgree != c.books {
				t.Errorf("conservation %v, books %v", laws.ConservationOK, laws.BooksAgree)
			}
			if d := laws.LittleResidual - c.residual; d > 1e-12 || d < -1e-12 {
				t.Errorf("residual %v, want %v", laws.LittleResidual, c.residual)
			}
			if all := strings.Join(laws.Details, "; "); !strings.Contains(all, c.detail) {
				t.Errorf("details %q lack %q", all, c.detail)
			}
		})
	}
}

// TestUnknownAttemptsHaveTheirRow ensures that what the client cannot know is allowed for in
// the books and counted apart (INV-6).
func TestUnknownAttemptsHaveTheirRow(t *testing.T) {
	r := NewRecorder(testSetup())
	j := &Job{}
	billed := Bill{Usage: stack.Usage{In: 100, Cached: 10, Out: 5}}
	r.Sent(time.Second, j, 1, 0, 1)
	r.Attempted(9*time.Second, j, &stack.Step{Target: 1, Outcome: stack.Outcome{Kind: stack.FirstTokenTimeout}}, billed, true)
	v := r.Finish(Run{Now: 10 * time.Minute, Books: &mockupstream.Books{
		Received: 1, Admitted: 1, CommittedWrites: 1, DuplicateWrites: 1, Billed: mockupstream.Usage{In: 100, Cached: 10, Out: 5},
		Keys: []mockupstream.KeyBook{{Key: 0, Model: 1, Received: 1, Admitted: 1}},
	}})
	if !v.Laws.BooksAgree {
		t.Errorf("details %q", v.Laws.Details)
	}
	u := v.Upstream
	if u.UnknownAttempts != 1 || u.UnknownIn != 100 || u.UnknownOut != 5 || v.Totals.DuplicateWrites != 1 {
		t.Errorf("%+v, duplicate writes %d", u, v.Totals.DuplicateWrites)
	}
}

// TestWideSums compares sums of 128 bits with big integers.
func TestWideSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w wide
		want := new(big.Int)
		for range rapid.IntRange(0, 8).Draw(t, "terms") {
			n := rapid.Int64Range(-1, 1<<62).Draw(t, "n")
			d := rapid.Int64Range(-1, 1<<62).Draw(t, "d")
			w.addProduct(n, time.Duration(d))
			if n > 0 && d > 0 {
				want.Add(want, new(big.Int).Mul(big.NewInt(n), big.NewInt(d)))
			}
		}
		if w.big().Cmp(want) != 0 {
			t.Fatalf("%v, want %v", w.big(), want)
		}
	})
}
