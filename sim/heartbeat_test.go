package sim

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// Ensure a stream lives as long as bytes come within the client's gap, 30 s: tokens that are
// slower end it, unless heartbeats come in between; and heartbeats keep a stalled stream
// alive too, until the request's deadline, or for ten gaps.
func TestHeartbeatsKeepSilentStreams(t *testing.T) {
	for _, tt := range []struct {
		name             string
		token, heartbeat time.Duration
		stalls           bool
		deadline         time.Duration
		want             stack.OutcomeKind // of every attempt
	}{
		{name: "tokens within the gap", token: 20 * time.Second, want: stack.Success},
		{name: "tokens slower than the gap", token: 40 * time.Second, want: stack.GapTimeout},
		{name: "slow tokens, heartbeats", token: 40 * time.Second, heartbeat: 15 * time.Second, want: stack.Success},
		{name: "heartbeats slower than the gap", token: 40 * time.Second, heartbeat: 35 * time.Second, want: stack.GapTimeout},
		{name: "stall", token: time.Second, stalls: true, want: stack.GapTimeout},
		{name: "stall with heartbeats", token: time.Second, heartbeat: 15 * time.Second, stalls: true, deadline: 4 * time.Minute, want: stack.DeadlineExceeded},
		{name: "heartbeats alone for ten gaps", token: time.Second, heartbeat: 15 * time.Second, stalls: true, want: stack.GapTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := fleet(3, 1, 0, 10*time.Minute)
			set.Workload.Profiles[0].Output = workload.Must(workload.Constant(10))
			m := &set.Upstream.Models[0]
			m.Capacity, m.Heartbeat = nil, tt.heartbeat
			m.Latency = mockupstream.Latency{Base: time.Second, PerOutputToken: tt.token}
			set.Stack.Timeouts.Gap = 30 * time.Second
			set.Stack.Retry.Attempts = 1
			set.Stack.Breaker.Enabled = false
			set.Stack.Timeouts.Deadline[stack.P0] = tt.deadline
			if tt.stalls {
				set.Upstream.Faults = []mockupstream.Fault{{Name: "f", Kind: mockupstream.FaultStall, For: 24 * time.Hour, Share: 1}}
			}
			r, err := newRun(set)
			if err != nil {
				t.Fatal(err)
			}
			ended := 0
			r.probe.ended = func(j *job) {
				ended++
				if o := j.step.Outcome; o.Kind != tt.want {
					t.Errorf("after %v: %v, want %v", j.step.Ended-j.step.Sent, o.Kind, tt.want)
				}
			}
			if err := r.execute(); err != nil {
				t.Fatal(err)
			}
			if v := r.rec.Finish(r.closing()); ended == 0 || !v.Laws.ConservationOK || !v.Laws.BooksAgree {
				t.Errorf("%d attempts ended, laws %+v", ended, v.Laws)
			}
		})
	}
}
