package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// Ensure lengths keep the number and, to the rounding, the mean of what they stand for, and that
// no share of the requests is off by more than a cell.
func TestLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Int64Range(1, 100_000), 1, 3000).Draw(t, "lengths")
		l := FitLengths(xs)
		if !slices.IsSorted(l.Values) || len(l.Values) != len(l.Counts) || len(l.Values) > max(exact, len(edges)) {
			t.Fatalf("values %v, counts %v", l.Values, l.Counts)
		}
		n, sum, want := int64(0), 0.0, 0.0
		var drawn, recorded []float64
		for i, v := range l.Values {
			n += l.Counts[i]
			sum += float64(v * l.Counts[i])
			for range l.Counts[i] {
				drawn = append(drawn, float64(v))
			}
		}
		for _, x := range xs {
			want += float64(x)
			recorded = append(recorded, float64(x))
		}
		if n != int64(len(xs)) || math.Abs(sum-want) > 0.5*float64(n) {
			t.Errorf("%d requests of %v tokens, want %d of %v", n, sum, len(xs), want)
		}
		if ks := KS(drawn, recorded); ks > 0.02+1/float64(n)+1e-9 && len(l.Values) > exact {
			t.Errorf("KS distance %v of %d values", ks, len(l.Values))
		}
	})
}

// Ensure the Kolmogorov-Smirnov distance is that of the definition, with ties.
func TestKS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(i int) float64 { return float64(i) }), 1, 30)
		xs, ys := some.Draw(t, "xs"), some.Draw(t, "ys")
		want := 0.0
		for v := 0.0; v < 10; v++ {
			share := func(of []float64) float64 {
				n := 0
				for _, x := range of {
					if x <= v {
						n++
					}
				}
				return float64(n) / float64(len(of))
			}
			want = max(want, math.Abs(share(xs)-share(ys)))
		}
		if got := KS(xs, ys); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

// Ensure the index of dispersion is variance over mean of the counts of whole windows.
func TestDispersion(t *testing.T) {
	var at []time.Duration
	for s := range 20 {
		for i := range s % 2 * 3 { // 0, 3, 0, 3, ...
			at = append(at, time.Duration(s)*time.Second+time.Duration(i))
		}
	}
	counts := []float64{}
	for s := range 20 {
		counts = append(counts, float64(s%2*3))
	}
	want := stat.Variance(counts, nil) / stat.Mean(counts, nil)
	if got := Dispersion(at, time.Second, 20*time.Second+500*time.Millisecond); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Dispersion(at, 3*time.Second, 20*time.Second); !math.IsNaN(got) {
		t.Errorf("%v of six windows, want none", got)
	}
}

// Ensure a tick is found by the instants alone, jitter and pauses included, and none where there
// is none.
func TestFindTick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	series := func(tick, jitter time.Duration, perTick float64) []time.Duration {
		var at []time.Duration
		for i := time.Duration(0); i < 2000; i++ {
			for range int(perTick * (0.5 + rng.Float64())) {
				at = append(at, i*tick+time.Duration(rng.Int64N(int64(jitter)+1)))
			}
		}
		slices.Sort(at)
		return at
	}
	for _, tc := range []struct {
		tick, jitter time.Duration
		perTick      float64
		want         time.Duration
	}{
		{3 * time.Second, 0, 10, 3 * time.Second},
		{time.Second, 0, 2, time.Second},
		{100 * time.Millisecond, 0, 4, 100 * time.Millisecond},
		{time.Second, 900 * time.Millisecond, 10, 0},
	} {
		if got := findTick(series(tc.tick, tc.jitter, tc.perTick)); got != tc.want {
			t.Errorf("tick %v, jitter %v: found %v, want %v", tc.tick, tc.jitter, got, tc.want)
		}
	}
}

// Ensure prompt and answer are drawn together where the answer depends on the prompt, and only there.
func TestKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var bound, free []workload.TraceRow
	for range 4000 {
		in := 100 + rng.Int64N(10_000)
		bound = append(bound, workload.TraceRow{In: in, Out: in/10 + rng.Int64N(50)})
		free = append(free, workload.TraceRow{In: in, Out: 1 + rng.Int64N(500), Model: "a"})
	}
	kindsOf := func(rows []workload.TraceRow) []Kind { return FitKinds(rows, Link(&Trace{Rows: rows})) }
	if kinds := kindsOf(bound); len(kinds) != bands || kinds[0].In.Max() > kinds[3].In.Values[0] {
		t.Errorf("%d kinds of dependent lengths", len(kinds))
	}
	free[0].Model, free[1].Failed = "rare", true
	kinds := kindsOf(free)
	if len(kinds) != 2 || kinds[0].Name != "a" || kinds[1].Name != "other" || kinds[0].Failed != 1 || kinds[0].Requests != 3999 {
		t.Errorf("kinds %+v", kinds)
	}
}

// Ensure named sessions are counted, and none are where no row bears one.
func TestClients(t *testing.T) {
	var rows []workload.TraceRow
	for i := range 100 {
		rows = append(rows, workload.TraceRow{At: time.Duration(i) * time.Second, Session: uint64(i % 10), HasSession: true})
	}
	want := Clients{Count: 10, Requests: 100, PerSession: [2]int64{10, 10}, Gap: [2]time.Duration{10 * time.Second, 10 * time.Second}, Top: 0.1}
	if got := FitClients(rows); got == nil || *got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := FitClients([]workload.TraceRow{{}, {}}); got != nil {
		t.Errorf("%+v, want none", got)
	}
}

// Ensure a trace that no fit can be made of says so, and a part of one begins at 0.
func TestRead(t *testing.T) {
	lines := func(n int, gap float64) string {
		s := "TIMESTAMP,ContextTokens,GeneratedTokens\n"
		for i := range n {
			s += fmt.Sprintf("%.3f,10,20\n", float64(i)*gap)
		}
		return s
	}
	read := func(text string, from, length time.Duration) (*Trace, error) {
		r, err := workload.ReadTrace(strings.NewReader(text), "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		return Read(r, from, length)
	}
	for name, text := range map[string]string{"few": lines(19, 1), "one instant": lines(50, 0)} {
		if _, err := read(text, 0, 0); !errors.Is(err, ErrRows) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read(lines(50, 1)+"x,1,1\n", 0, 0); err == nil || errors.Is(err, ErrRows) {
		t.Errorf("a bad row: %v", err)
	}
	tr, err := read(lines(100, 1), 30*time.Second, 40*time.Second)
	if err != nil || len(tr.Rows) != 40 || tr.Rows[0].At != 0 || tr.Length != 40*time.Second {
		t.Fatalf("%+v, %v", tr, err)
	}
	if requests, tokens := tr.Peak(100); requests != 40 || tokens != 40*110 {
		t.Errorf("peak of %d requests, %d tokens", requests, tokens)
	}
}

// Ensure robust least squares find known figures although a tenth of the calls is far off.
func TestLatencyWithOutliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var calls []Call
	for i := range 2000 {
		in, out := 100+rng.Int64N(20_000), 2+rng.Int64N(800)
		first := (0.2 + 5e-5*float64(in)) * math.Exp(0.25*rng.NormFloat64())
		rest := 0.02 * float64(out-1) * math.Exp(0.1*rng.NormFloat64())
		if i%10 == 0 {
			first, rest = first*8, rest*5
		}
		calls = append(calls, Call{In: in, Out: out, First: seconds(first), Total: seconds(first + rest)})
	}
	l, err := FitLatency("m", calls)
	if err != nil {
		t.Fatal(err)
	}
	for what, off := range map[string]float64{
		"base": l.Base.Seconds()/0.2 - 1, "per prompt token": l.PerPromptToken.Seconds()/5e-5 - 1, "per output token": l.PerOutputToken.Seconds()/0.02 - 1,
		"first sigma": (l.FirstToken.Sigma/0.25 - 1) / 2, "output sigma": (l.Output.Sigma/0.1 - 1) / 2,
	} {
		if math.Abs(off) > 0.10 {
			t.Errorf("%s: off by %+.1f %%", what, 100*off)
		}
	}
}

// Ensure calls with one length of prompt have a base alone, and too few calls are an error.
func TestLatencyEdges(t *testing.T) {
	var calls []Call
	for i := range 50 {
		calls = append(calls, Call{In: 100, Out: 1, First: time.Duration(100+i%5) * time.Millisecond, Total: time.Duration(200) * time.Millisecond})
	}
	l, err := FitLatency("", calls)
	if err != nil || !l.OnePrompt || !l.NoOutput || l.PerPromptToken != 0 || l.Base < 100*time.Millisecond || l.Base > 105*time.Millisecond {
		t.Errorf("%+v, %v", l, err)
	}
	if _, _, err := FitLatencies(calls[:19]); !errors.Is(err, ErrCalls) {
		t.Errorf("nineteen calls: %v", err)
	}
	if _, _, err := FitLatencies(nil); !errors.Is(err, ErrCalls) {
		t.Errorf("no calls: %v", err)
	}
}

// FuzzReadCalls ensures that no file of calls crashes the reader, and that what it returns makes sense.
func FuzzReadCalls(f *testing.F) {
	f.Add("in,out,first_token_s,total_s\n1,2,0.5,1\n")
	f.Add("\ufeffOUT,IN,total_s,first_token_s,model\n1,2,5,1,m\n")
	f.Add(`{"profile":"p","ending":"succeeded","used_in":5,"used_out":6,"steps":[{"model":"m","sent_s":1,"first_token_s":1.5,"ended_s":2,"outcome":"success"}]}`)
	f.Add("{}\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, in string) {
		calls, rest, err := ReadCalls(strings.NewReader(in), "c")
		if err != nil && !strings.HasPrefix(err.Error(), "reading calls c") {
			t.Errorf("the error does not name the file: %v", err)
		}
		if most := strings.Count(in, "\n") + 1; rest < 0 || len(calls)+rest > most {
			t.Errorf("%d calls and %d others on %d lines", len(calls), rest, most)
		}
		for _, c := range calls {
			if c.First < micro || c.Total < c.First || c.In < 0 || c.Out < 0 {
				t.Errorf("%+v", c)
			}
		}
	})
}
