package fit

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// talk is a trace of conversations that a stream of sessions makes: requests with a session's name, and
// with what the format of an events log tells if told.
func talk(t *testing.T, rounds workload.Dist, gap float64, length time.Duration, told bool) *Trace {
	t.Helper()
	must := workload.Must
	w, err := workload.New(workload.Config{
		Seed: 5, Duration: length,
		Profiles: []workload.Profile{{
			Context: must(workload.LogNormal(2000, 6000)), Growth: must(workload.Exponential(400)), MaxContext: 30_000,
			Interval: must(workload.Exponential(gap)), Output: must(workload.Constant(200)), SharedPrefix: must(workload.Constant(300)),
		}},
		Streams: []workload.Stream{{Rate: 5, Arrivals: workload.ArrivalsPoisson, Clients: 1000, Sessions: []workload.Session{{Rounds: rounds}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tr := &Trace{Length: length}
	for d, ok := w.Next(0); ok; d, ok = w.Next(0) {
		r := workload.TraceRow{At: d.Intended, In: d.In, Out: d.Out, Session: uint64(d.Task), HasSession: true}
		if told {
			r.Prefix, r.Conversation = d.Prefix, uint64(d.Task)+1
		}
		tr.Rows = append(tr.Rows, r)
	}
	for i := range tr.Rows {
		tr.Rows[i].At -= tr.Rows[0].At
	}
	return tr
}

// Ensure sessions are found as they were made, also those that the end of the recording cuts: the
// share of each number of rounds within four standard errors, growth and gaps within 5 %, and runs of
// the fit like the trace.
func TestKnownSessions(t *testing.T) {
	values, weights := []float64{1, 2, 3, 8}, []float64{0.5, 0.2, 0.2, 0.1}
	rounds := workload.Must(workload.Empirical(values, weights))
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
			// Gaps of 3 minutes in an hour: of the sessions that are begun, a tenth is cut.
			tr := talk(t, rounds, 180, time.Hour, told)
			f, err := New(tr)
			if err != nil {
				t.Fatal(err)
			}
			if f.Links.Guessed == told || len(f.Kinds) != 3 {
				t.Fatalf("guessed: %v, %d kinds", f.Links.Guessed, len(f.Kinds))
			}
			n := float64(len(f.Links.Sessions))
			ends := f.Links.ends(tr.Rows, f.Links.Sessions)
			for i, v := range values {
				if got, se := ends[int(v)-1], math.Sqrt(weights[i]*(1-weights[i])/n); math.Abs(got-weights[i]) > 4*se+0.005 {
					t.Errorf("%v of the sessions have %v rounds, want %v", got, v, weights[i])
				}
			}
			sum, gap, of := 0.0, 0.0, 0.0
			for _, k := range f.Kinds {
				for i, v := range k.Growth.Values {
					sum += float64(v * k.Growth.Counts[i])
					of += float64(k.Growth.Counts[i])
				}
				for i, v := range k.Gap.Values {
					gap += float64(v * k.Gap.Counts[i])
				}
			}
			if math.Abs(sum/of/400-1) > 0.05 || math.Abs(gap/of/180_000-1) > 0.05 {
				t.Errorf("growth %v, want 400; %v ms between requests, want 180000", sum/of, gap/of)
			}
			g, err := f.Judge(tr)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "requests of a session", g.Sessions.Rounds, 0.03)
			near(t, "mean of tokens in", g.In.Mean, 0.05)
			near(t, "tokens seen before", g.Prefix, 0.03)
			if !(g.Prefix.Trace > 0.2) {
				t.Errorf("%v of the tokens seen before", g.Prefix.Trace)
			}
		})
	}
}

// Ensure sessions whose prompts have nothing to do with each other are no conversations, and it is said.
func TestUnrelatedPromptsAreNoConversations(t *testing.T) {
	tr := &Trace{}
	for i := range 400 {
		tr.Rows = append(tr.Rows, workload.TraceRow{At: time.Duration(i), In: int64(100 + i*7919%1000), Session: uint64(i % 20), HasSession: true})
	}
	if l := Link(tr); l.GoOn != 0 || !(l.Unrelated > 0.3 && l.Unrelated < 0.7) || len(l.Sessions) != 400 || l.words() == "" {
		t.Errorf("%d go on, %v unrelated, %d sessions", l.GoOn, l.Unrelated, len(l.Sessions))
	}
}

// Ensure what a session ends with is told: a shorter prompt, one that begins anew, another name; and
// that at a cap of the context what is new counts as growth.
func TestLink(t *testing.T) {
	row := func(c uint64, in, prefix int64, name string) workload.TraceRow {
		return workload.TraceRow{Conversation: c, In: in, Prefix: prefix, Model: name}
	}
	var rows []workload.TraceRow
	for range minGoOn { // so that there are enough
		rows = append(rows, row(9, 100, 100, "x"))
	}
	rows = append(rows,
		row(1, 100, 0, "a"), row(1, 150, 100, "a"), row(2, 70, 0, "a"), row(1, 150, 120, "a"), // at a cap of 150
		row(1, 40, 40, "a"), row(1, 60, 0, "a"), row(1, 90, 60, "b"), row(2, 90, 70, "a"), row(0, 95, 90, "a"), row(0, 99, 95, "a"),
	)
	l := Link(&Trace{Rows: rows})
	at := minGoOn
	want := [][]int{{at, at + 1, at + 3}, {at + 2, at + 7}, {at + 4}, {at + 5}, {at + 6}, {at + 8}, {at + 9}}
	if got := l.Sessions[1:]; !reflect.DeepEqual(got, want) {
		t.Errorf("sessions %v, want %v", got, want)
	}
	if g := l.growth(&rows[at+1], &rows[at+3]); g != 30 {
		t.Errorf("growth at the cap is %d, want 30", g)
	}
	if g := l.growth(&rows[at], &rows[at+1]); g != 50 {
		t.Errorf("growth is %d, want 50", g)
	}
}
