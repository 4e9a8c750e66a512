package workload

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// open returns a new workload that is closed with the test.
func open(t interface {
	Fatalf(string, ...any)
	Cleanup(func())
}, cfg Config,
) *Workload {
	w, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// all asks a source for all its demands.
func all(w *Workload, source int) []Demand {
	var ds []Demand
	for {
		d, ok := w.Next(source)
		if !ok {
			return ds
		}
		ds = append(ds, d)
	}
}

// anyDist generates a distribution of any kind with values around mean.
func anyDist(mean float64) *rapid.Generator[Dist] {
	return rapid.Custom(func(t *rapid.T) Dist {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return Must(Constant(mean))
		case 1:
			return Must(Uniform(mean/2, mean*1.5))
		case 2:
			return Must(Exponential(mean))
		case 3:
			return Must(LogNormal(mean, 2*mean))
		case 4:
			return Must(Empirical([]float64{mean / 2, mean, 2 * mean}, []float64{1, 2, 1}))
		default:
			return Must(Quantiles([]float64{0, 0.5, 1}, []float64{mean / 2, mean, 2 * mean}))
		}
	})
}

// anyConfig generates agents and streams, small enough for a quick run.
var anyConfig = rapid.Custom(func(t *rapid.T) Config {
	cfg := Config{Seed: rapid.Uint64().Draw(t, "seed"), Duration: 20 * time.Second}
	for range rapid.IntRange(1, 3).Draw(t, "profiles") {
		cfg.Profiles = append(cfg.Profiles, Profile{
			Interval:      anyDist(rapid.Float64Range(0.2, 3).Draw(t, "interval")).Draw(t, "intervals"),
			Context:       anyDist(rapid.Float64Range(0.1, 5000).Draw(t, "context")).Draw(t, "contexts"),
			Growth:        anyDist(rapid.Float64Range(0.1, 900).Draw(t, "growth")).Draw(t, "growths"),
			MaxContext:    rapid.SampledFrom([]int64{0, 1, 700, 8000}).Draw(t, "max context"),
			Output:        anyDist(rapid.Float64Range(0.1, 500).Draw(t, "output")).Draw(t, "outputs"),
			MaxOutput:     rapid.SampledFrom([]int64{0, 1, 300}).Draw(t, "max output"),
			WriteShare:    rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "writes"),
			EstimateSigma: rapid.SampledFrom([]float64{0, 0.1, 3}).Draw(t, "sigma"),
		})
	}
	profile := rapid.IntRange(0, len(cfg.Profiles)-1)
	for range rapid.IntRange(1, 3).Draw(t, "groups") {
		g := AgentGroup{
			Count:       rapid.IntRange(1, 4).Draw(t, "count"),
			Stagger:     time.Duration(rapid.Int64Range(0, 5e9).Draw(t, "stagger")),
			RandomStart: rapid.Bool().Draw(t, "random start"),
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "phases") {
			g.Phases = append(g.Phases, Phase{
				Profile: profile.Draw(t, "profile"),
				Rounds:  anyDist(rapid.Float64Range(1, 6).Draw(t, "rounds")).Draw(t, "roundses"),
				Keep:    i > 0 && rapid.Bool().Draw(t, "keep"),
			})
		}
		cfg.Agents = append(cfg.Agents, g)
	}
	for range rapid.IntRange(0, 2).Draw(t, "streams") {
		cfg.Streams = append(cfg.Streams, Stream{
			Profile:  profile.Draw(t, "profile"),
			Rate:     rapid.Float64Range(0.01, 20).Draw(t, "rate"),
			Arrivals: rapid.SampledFrom([]Arrivals{ArrivalsConstant, ArrivalsPoisson}).Draw(t, "arrivals"),
			Clients:  rapid.IntRange(1, 5).Draw(t, "clients"),
		})
	}
	return cfg
})

// INV-4: the demand is a function of the configuration, in whatever order the sources
// are asked, and an agent group or stream more, coming last of its kind, leaves those
// before it as they were.
func TestDemandDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig.Draw(t, "config")
		straight, mixed := open(t, cfg), open(t, cfg)
		want, got := make([][]Demand, straight.Sources()), make([][]Demand, straight.Sources())
		for s := range want {
			want[s] = all(straight, s)
		}
		for _, s := range rapid.SliceOfN(rapid.IntRange(0, len(got)-1), 0, 200).Draw(t, "order") {
			if d, ok := mixed.Next(s); ok {
				got[s] = append(got[s], d)
			}
		}
		for s := len(got) - 1; s >= 0; s-- {
			got[s] = append(got[s], all(mixed, s)...)
			if !reflect.DeepEqual(got[s], want[s]) {
				t.Fatalf("source %d: demands depend on the order of asking", s)
			}
			if _, ok := mixed.Next(s); ok {
				t.Fatalf("source %d: a demand after the end", s)
			}
		}
		if len(cfg.Streams) > 0 {
			return
		}
		cfg.Agents = append(cfg.Agents, cfg.Agents[0])
		more := open(t, cfg)
		for s := range want {
			if !reflect.DeepEqual(all(more, s), want[s]) {
				t.Fatalf("source %d: another group changed its demands", s)
			}
		}
	})
}

// INV-3, INV-4: instants rise within the run, tasks and rounds follow each other, and
// every token count is in its range; no two requests share an identity.
func TestDemandIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig.Draw(t, "config")
		w := open(t, cfg)
		seen := map[uint64]bool{}
		for s := range w.Sources() {
			var before Demand
			for i, d := range all(w, s) {
				p := cfg.Profiles[d.Profile]
				switch {
				case d.Source != s || int(d.Client) >= w.Clients() || !w.Open(s) && int(d.Client) != s:
					t.Fatalf("source %d, client %d asked as source %d of %d clients", d.Source, d.Client, s, w.Clients())
				case d.Intended < 0 || d.Intended >= cfg.Duration || i > 0 && d.Intended <= before.Intended:
					t.Fatalf("intended at %v after %v", d.Intended, before.Intended)
				case seen[d.ID]:
					t.Fatalf("identity %x is there twice", d.ID)
				case d.In < 1 || p.MaxContext > 0 && d.In > p.MaxContext:
					t.Fatalf("In is %d, cap %d", d.In, p.MaxContext)
				case d.Out < 1 || d.Out > d.MaxOut || p.MaxOutput > 0 && d.MaxOut != p.MaxOutput:
					t.Fatalf("Out is %d, MaxOut %d", d.Out, d.MaxOut)
				case d.EstIn < 1 || p.EstimateSigma == 0 && d.EstIn != d.In:
					t.Fatalf("EstIn is %d of %d", d.EstIn, d.In)
				case d.Prefix < 0 || d.Prefix > d.In || d.Prefix > before.In:
					t.Fatalf("Prefix is %d of %d after %d", d.Prefix, d.In, before.In)
				case (i == 0 || d.Task != before.Task || w.Open(s)) && d.Prefix != 0:
					t.Fatalf("Prefix of a first round is %d", d.Prefix)
				case p.WriteShare == 0 && d.Write || p.WriteShare == 1 && !d.Write:
					t.Fatalf("Write is %v at a share of %v", d.Write, p.WriteShare)
				}
				follows := d.Task == before.Task && d.Op == before.Op+1 || d.Task == before.Task+1 && d.Op == 0
				if i > 0 && !follows {
					t.Fatalf("task %d round %d follows task %d round %d", d.Task, d.Op, before.Task, before.Op)
				}
				seen[d.ID] = true
				before = d
			}
		}
	})
}

// Ensure another seed gives other demands.
func TestSeedMatters(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Exponential(1)), Context: Must(LogNormal(100, 200)), Output: Must(Exponential(50))}, 1)
	first := all(open(t, cfg), 0)
	cfg.Seed++
	second := all(open(t, cfg), 0)
	same := 0
	for i := range min(len(first), len(second)) {
		if first[i].ID == second[i].ID || first[i].In == second[i].In && first[i].Out == second[i].Out {
			same++
		}
	}
	if len(first) == 0 || same > len(first)/50 {
		t.Errorf("%d of %d demands are the same with another seed", same, len(first))
	}
}

// Ensure estimates, writes and outputs have the distribution the profile says.
func TestProfileShares(t *testing.T) {
	cfg := Config{
		Seed: 5, Duration: 200 * time.Second,
		Profiles: []Profile{{
			Context: Must(LogNormal(8000, 16000)), Output: Must(Uniform(100, 300)),
			WriteShare: 0.3, EstimateSigma: 0.2,
		}},
		Streams: []Stream{{Rate: 200, Clients: 1}},
	}
	ds := all(open(t, cfg), 0)
	if len(ds) != 40_000 {
		t.Fatalf("%d demands, want 40000", len(ds))
	}
	writes := 0
	var in, out, ratio, square []float64
	for _, d := range ds {
		if d.Write {
			writes++
		}
		z := math.Log(float64(d.EstIn)/float64(d.In)) / 0.2
		in, out = append(in, float64(d.In)), append(out, float64(d.Out))
		ratio, square = append(ratio, z), append(square, z*z)
	}
	checkShare(t, "writes", writes, len(ds), 0.3)
	checkMeanOf(t, "In", in, cfg.Profiles[0].Context.Mean())
	checkMeanOf(t, "Out", out, 200)
	checkMeanOf(t, "logarithm of EstIn/In", ratio, 0)
	checkMeanOf(t, "its square", square, 1)
}

// Ensure sources are numbered agents, streams, traces, and identities likewise.
func TestSourcesAndClients(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.csv")
	if err := os.WriteFile(path, []byte("TIMESTAMP,ContextTokens,GeneratedTokens\n0,5,6\n1,7,8\n2,9,10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := oneGroup(Profile{Interval: Must(Constant(1))}, 3)
	cfg.Streams = []Stream{{Rate: 1, Clients: 4}}
	cfg.Traces = []Trace{{Path: path, Speed: 2, Clients: 2}}
	w := open(t, cfg)
	if w.Sources() != 5 || w.Clients() != 3+4+2 {
		t.Errorf("%d sources, %d clients, want 5 and 9", w.Sources(), w.Clients())
	}
	for s, want := range []bool{false, false, false, true, true} {
		if w.Open(s) != want {
			t.Errorf("Open(%d) = %v", s, !want)
		}
	}
	var clients []uint32
	var instants []time.Duration
	for _, d := range all(w, 4) {
		clients = append(clients, d.Client)
		instants = append(instants, d.Intended)
	}
	if !reflect.DeepEqual(clients, []uint32{7, 8, 7}) {
		t.Errorf("clients of the trace are %v", clients)
	}
	if !reflect.DeepEqual(instants, []time.Duration{0, 500 * time.Millisecond, time.Second}) {
		t.Errorf("instants at double speed are %v", instants)
	}
	if err := w.Err(); err != nil {
		t.Errorf("Err() = %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
}
