package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/report"
)

const sec = time.Second

// readyCrew is one whose n workers are ready, named a, b, c ...
func readyCrew(t interface{ Fatalf(string, ...any) }, s Settings, n int) *Crew {
	c := NewCrew(s, n)
	for i := range n {
		name := string(rune('a' + i))
		if share, said := c.Claim(0, &claim{Worker: name, Called: name, ID: name}); share != i || said == "" {
			t.Fatalf("worker %s got share %d, %q", name, share, said)
		}
		c.Word(0, &word{ID: name, Share: i, Ready: &ready{Agents: 10 + i}})
		c.Aim(i, Offset{time.Duration(i) * sec, time.Millisecond})
	}
	if !c.Ready() || c.Missing() != 0 {
		t.Fatalf("%s", c.Waiting())
	}
	return c
}

// started is a readyCrew that starts at 1 s.
func started(t interface{ Fatalf(string, ...any) }, s Settings, n int) *Crew {
	c := readyCrew(t, s, n)
	c.Start(sec)
	return c
}

// ended hands in what a worker did in one interval.
func ended(c *Crew, now time.Duration, worker string, share int) (gone, said string) {
	iv := interval(0, 5, true)
	c.Word(now, &word{ID: worker, Share: share, Begun: &begun{Clock: int64(sec + c.members[share].offset.Offset)}})
	if gone, said = c.Word(now, &word{ID: worker, Share: share, Interval: &iv}); said != "" {
		return gone, said
	}
	return c.Word(now, &word{ID: worker, Share: share, Final: &Final{
		Counts: report.ShareCounts{Submitted: 7, Ended: 6, Measured: 5}, Harness: report.Harness{Issued: 7, LagP99MS: report.Num(share + 1)},
	}})
}

// Ensure shares go to those who claim them, each to one, and a worker that asks again gets its own.
func TestClaims(t *testing.T) {
	c := NewCrew(Settings{}, 2)
	for i, tc := range []struct {
		worker, id, refusal string
		share               int
		said                string
	}{
		{"a", "1", "", 0, "worker a has share 1 of 2"},
		{"a", "1", "", 0, ""},
		{"x", "2", "another version", -1, "worker x does not take part: another version"},
		{"x", "2", "another version", -1, ""},
		{"a", "3", "", 1, "worker a has share 2 of 2"}, // a name that was given twice
		{"c", "4", "", -1, ""},
	} {
		if share, said := c.Claim(sec, &claim{Worker: tc.worker, Called: tc.worker, ID: tc.id, Refusal: tc.refusal}); share != tc.share || said != tc.said {
			t.Errorf("claim %d: share %d, %q", i, share, said)
		}
	}
	if got := c.Waiting(); got != "0 of 2 workers ready, a, a preparing" {
		t.Error(got)
	}
}

// Ensure the start is the same instant by every clock, and what is told of it afterwards is measured by the leader's.
func TestStartIsCommon(t *testing.T) {
	c := readyCrew(t, Settings{}, 3)
	if got := c.Start(5 * sec); !slices.Equal(got, []time.Duration{5 * sec, 6 * sec, 7 * sec}) {
		t.Errorf("told to start at %v", got)
	}
	for i, late := range []time.Duration{0, 2 * time.Millisecond, 7 * time.Millisecond} {
		at := 5*sec + late + c.members[i].offset.Offset
		c.Word(5*sec, &word{ID: string(rune('a' + i)), Share: i, Begun: &begun{Clock: int64(at)}})
	}
	h := c.Harness(nil)
	if h.StartSkewMS != 9 || h.Workers[2].StartMS != 7 || h.Workers[2].OffsetMS != 2000 || h.Workers[2].OffsetErrorMS != 1 || len(h.Reasons) > 0 {
		t.Errorf("skew %v ms with 1 ms of uncertainty at both ends, workers %+v, %v", h.StartSkewMS, h.Workers, h.Reasons)
	}
	c.members[2].began += 60 * time.Millisecond
	if h := c.Harness(nil); len(h.Reasons) != 1 || !strings.HasPrefix(h.Reasons[0], "the workers did not start together: within 69ms") {
		t.Errorf("a start 69 ms apart: %v", h.Reasons)
	}
}

// Ensure a worker that is silent is late, then lost, that nobody gets its share, and that the run is not valid: it goes on, or ends, as configured.
func TestLostWorker(t *testing.T) {
	for _, stop := range []bool{false, true} {
		c := started(t, Settings{StopOnLoss: stop}, 2)
		var said []string
		for now := sec; now <= 9*sec; now += 250 * time.Millisecond {
			c.Beat(now, Beat{ID: "a", Share: 0, Seq: int64(now / sec)})
			if now <= 2*sec {
				c.Beat(now, Beat{ID: "b", Share: 1, Seq: int64(now / sec)})
			}
			said = append(said, c.Tick(now)...)
		}
		want := []string{
			"worker b is late: no sign of life for 1.8s",
			"worker b (share 2 of 2) was lost: no sign of life since 1s after the start",
		}
		if !slices.Equal(said, want) {
			t.Errorf("said %q", said)
		}
		if (c.Stopped() != "") != stop || c.Alive() != 1 || c.Over() {
			t.Errorf("stop %v: %q, %d alive, over %v", stop, c.Stopped(), c.Alive(), c.Over())
		}
		if share, _ := c.Claim(9*sec, &claim{Worker: "c", Called: "c", ID: "c"}); share >= 0 {
			t.Error("the share was given to another worker")
		}
		if gone, _ := c.Word(9*sec, &word{ID: "b", Share: 1, Ready: &ready{}}); gone == "" {
			t.Error("the lost worker, back again, was not told to stop")
		}
		if _, said := ended(c, 9*sec, "a", 0); said != "" || !c.Over() {
			t.Errorf("the other one ended: %q, over %v", said, c.Over())
		}
		h := c.Harness(nil)
		if len(h.Reasons) != 1 || !strings.Contains(h.Reasons[0], "worker b") || !strings.Contains(h.Reasons[0], "carried by nobody else") {
			t.Errorf("reasons %q", h.Reasons)
		}
		if f := c.Finals(); f[0] == nil || f[1] != nil || h.Workers[1].State != report.WorkerLost || h.Workers[1].SilenceS < 5 {
			t.Errorf("finals %v, workers %+v", f, h.Workers)
		}
	}
}

// Ensure a worker that goes before the start is replaced: no load has been given yet.
func TestGoneBeforeTheStart(t *testing.T) {
	c := readyCrew(t, Settings{}, 2)
	c.Beat(6*sec, Beat{ID: "a"})
	if said := c.Tick(6 * sec); len(said) != 1 || !strings.Contains(said[0], "worker b is gone before the start") {
		t.Errorf("said %q", said)
	}
	if c.Ready() || c.Missing() != 1 {
		t.Error(c.Waiting())
	}
	if share, _ := c.Claim(7*sec, &claim{Worker: "c", Called: "c", ID: "c"}); share != 1 {
		t.Errorf("the next one got share %d", share)
	}
	for now := 7 * sec; now < 200*sec; now += sec {
		c.Beat(now, Beat{ID: "a"})
		c.Beat(now, Beat{ID: "c", Share: 1})
		c.Tick(now)
	}
	if c.Missing() != 1 {
		t.Error("a worker that is never ready keeps its share")
	}
}

// Ensure what is wrong with the scenario or a worker before the start ends the run, and after it makes it invalid.
func TestProblems(t *testing.T) {
	c := NewCrew(Settings{}, 2)
	c.Claim(0, &claim{Worker: "a", Called: "a", ID: "a"})
	c.Word(0, &word{ID: "a", Problem: &problem{"no key", true}})
	if text, usage, found := c.Problem(); text != "worker a: no key" || !usage || !found {
		t.Errorf("%q %v %v", text, usage, found)
	}
	c = started(t, Settings{}, 2)
	if _, said := c.Word(4*sec, &word{ID: "a", Problem: &problem{"no memory", false}}); said != "worker a (share 1 of 2) failed 3s after the start: no memory" {
		t.Error(said)
	}
	iv := interval(1, 1, false)
	if _, said := c.Word(5*sec, &word{ID: "b", Share: 1, Interval: &iv}); !strings.Contains(said, "interval 0 is missing") {
		t.Error(said)
	}
	if h := c.Harness(nil); !c.Over() || len(h.Reasons) != 2 || h.Workers[0].State != report.WorkerFailed {
		t.Errorf("over %v, %q", c.Over(), h.Reasons)
	}
}

// Ensure a worker that hands in something else than it told, or ends before its time, makes the run invalid.
func TestAccountsAreCompared(t *testing.T) {
	c := started(t, Settings{}, 2)
	iv := interval(0, 5, true)
	c.Word(2*sec, &word{ID: "a", Interval: &iv})
	if _, said := c.Word(2*sec, &word{ID: "a", Final: &Final{Counts: report.ShareCounts{Submitted: 7, Ended: 6, Measured: 4}}}); !strings.Contains(said, "what was recorded to") {
		t.Error(said)
	}
	ended(c, 2*sec, "b", 1)
	c.members[1].final.Stopped = ""
	if !c.Over() || c.Finals()[1] == nil {
		t.Error("worker b is not done")
	}
	c.Discard(1, "it is of another run")
	if h := c.Harness(nil); c.Finals()[1] != nil || len(h.Reasons) != 2 || !strings.Contains(h.Reasons[1], "it is of another run") {
		t.Errorf("%q", h.Reasons)
	}
}

// Ensure the harness of the whole is the worst of its workers, with their names in the reasons, and the process with the mock.
func TestHarnessOfWorkers(t *testing.T) {
	c := started(t, Settings{}, 3)
	for i := range 3 {
		ended(c, 3*sec, string(rune('a'+i)), i)
	}
	c.members[1].final.Harness.Reasons = []string{"the harness was late"}
	h := c.Harness(&report.Harness{CPUShare: 0.99, Reasons: []string{"out of processor time"}})
	if h.Issued != 21 || h.LagP99MS != 3 || h.CPUShare != 0.99 || len(h.Workers) != 4 || h.Workers[0].Requests != 7 || h.Workers[2].Agents != 12 {
		t.Errorf("%+v", h)
	}
	if want := []string{"worker b: the harness was late", "the mock's process: out of processor time"}; !slices.Equal(h.Reasons, want) {
		t.Errorf("%q", h.Reasons)
	}
	if s := c.Sums(); s.Submitted != 21 || s.Ended != 18 || s.Attempts != 24 || s.HTTP429 != 3 || s.Alive != 3 || s.P95 < time.Millisecond || s.P95 > 1001*time.Microsecond {
		t.Errorf("%+v", s)
	}
}

// Whatever comes, in whatever order: no share has two owners, a share that was given up after the start stays so, and then the run is not valid.
func TestCrewNeverRebalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "workers")
		c := NewCrew(Settings{}, n)
		now := time.Duration(0)
		owner := make([]string, n) // at the start
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 2e9).Draw(t, "pause"))
			name, share := fmt.Sprint("w", rapid.IntRange(0, 5).Draw(t, "worker")), rapid.IntRange(0, n-1).Draw(t, "share")
			switch rapid.IntRange(0, 7).Draw(t, "what") {
			case 0, 1:
				c.Claim(now, &claim{Worker: name, Called: name, ID: name})
			case 2:
				c.Word(now, &word{ID: name, Share: share, Ready: &ready{}})
			case 3:
				c.Beat(now, Beat{ID: name, Share: share})
			case 4:
				iv := interval(rapid.IntRange(0, 2).Draw(t, "seq"), 1, rapid.Bool().Draw(t, "last"))
				c.Word(now, &word{ID: name, Share: share, Interval: &iv})
			case 5:
				c.Word(now, &word{ID: name, Share: share, Final: &Final{Counts: report.ShareCounts{Submitted: 3, Ended: 2, Measured: 1}}})
			case 6:
				c.Tick(now)
			case 7:
				if c.Ready() {
					c.Start(now)
					for i, m := range c.members {
						owner[i] = m.name
					}
				}
			}
			seen := map[string]bool{}
			for i, m := range c.members {
				if m == nil {
					continue
				}
				if seen[m.name] {
					t.Fatalf("worker %s has two shares", m.name)
				}
				seen[m.name] = true
				if c.started && (m.name != owner[i] || m.state >= lost && len(c.invalid) == 0) {
					t.Fatalf("share %d, of %s at the start, is %s's, state %d, invalid %q", i, owner[i], m.name, m.state, c.invalid)
				}
			}
		}
	})
}
