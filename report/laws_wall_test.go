package report

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// Ensure that on the wall clock the books are held to what the client was told (INV-6): what it was
// told must be there, and more only if an attempt got no answer.
func TestLawsOnTheWallClock(t *testing.T) {
	use := stack.Usage{In: 100, Out: 5}
	success := stack.Outcome{Kind: stack.Success, Status: 200, Usage: use}
	cut := stack.Outcome{Kind: stack.StreamBroken, Status: 200}
	for name, c := range map[string]struct {
		outcomes []stack.Outcome
		received int64 // by the mock
		billed   mockupstream.Usage
		unknown  int64 // tokens in
		detail   string
	}{
		"all answered":                    {[]stack.Outcome{success, success}, 2, mockupstream.Usage{In: 200, Out: 10}, 0, ""},
		"more billed than told":           {[]stack.Outcome{success}, 1, mockupstream.Usage{In: 101, Out: 5}, 1, "prompt tokens: client 100, provider 101"},
		"less billed than told":           {[]stack.Outcome{success, cut}, 2, mockupstream.Usage{In: 99, Out: 5}, 0, "prompt tokens: client 100, provider 99"},
		"one cut, billed in part":         {[]stack.Outcome{success, cut}, 2, mockupstream.Usage{In: 200, Out: 7}, 100, ""},
		"one that never arrived":          {[]stack.Outcome{success, {Kind: stack.ConnectFailed}}, 1, mockupstream.Usage{In: 100, Out: 5}, 0, ""},
		"an answered one is not there":    {[]stack.Outcome{success, success}, 1, mockupstream.Usage{In: 200, Out: 10}, 0, "attempts: client 2 and at most 0 it could not see, provider 1"},
		"one more than was sent arrived":  {[]stack.Outcome{success, cut}, 3, mockupstream.Usage{In: 100, Out: 5}, 0, "attempts: client 1 and at most 1 it could not see, provider 3"},
		"an answer of a cut one is there": {[]stack.Outcome{cut}, 1, mockupstream.Usage{In: 100, Out: 5}, 100, ""},
	} {
		t.Run(name, func(t *testing.T) {
			setup := testSetup()
			setup.Wall = true
			r := NewRecorder(setup)
			j := &Job{}
			for i := range c.outcomes {
				o := c.outcomes[i]
				r.Sent(time.Second, j, 0, 0, 1)
				r.Attempted(2*time.Second, j, &stack.Step{Outcome: o}, Bill{Usage: o.Usage}, o.Kind.Unknown() || o.Kind == stack.ConnectFailed)
			}
			v := r.Finish(Run{Now: setup.Duration, Books: &mockupstream.Books{
				Received: c.received, Admitted: c.received, Billed: c.billed, Keys: []mockupstream.KeyBook{{Received: c.received, Admitted: c.received, Billed: c.billed}},
			}})
			if all := strings.Join(v.Laws.Details, "; "); v.Laws.BooksAgree != (c.detail == "") || !strings.Contains(all, c.detail) {
				t.Errorf("books agree %t: %q, want %q", v.Laws.BooksAgree, all, c.detail)
			}
			if v.Upstream.UnknownIn != c.unknown {
				t.Errorf("%d prompt tokens were billed and not told, want %d", v.Upstream.UnknownIn, c.unknown)
			}
		})
	}
}
