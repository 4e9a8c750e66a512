package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// benchConfig resembles the fleet of 2000 agents: every draw is a real one.
func benchConfig(count int) Config {
	profile := func(interval, context, growth, output float64) Profile {
		return Profile{
			Interval: Must(Exponential(interval)), Context: Must(LogNormal(context, 2*context)), Growth: Must(LogNormal(growth, 2*growth)),
			MaxContext: 32_000, Output: Must(LogNormal(output, 2*output)), MaxOutput: 4000, WriteShare: 0.1, EstimateSigma: 0.1,
		}
	}
	return Config{
		Seed: 1, Duration: 1 << 62,
		Profiles: []Profile{profile(30, 4000, 900, 300), profile(12, 1500, 200, 200), profile(45, 800, 100, 100)},
		Agents: []AgentGroup{{Count: count, RandomStart: true, Stagger: 20 * time.Second, Phases: []Phase{
			{Profile: 0, Rounds: Must(Uniform(5, 15))}, {Profile: 1, Rounds: Must(Uniform(10, 30)), Keep: true}, {Profile: 2, Rounds: Must(Uniform(1, 4))},
		}}},
	}
}

func BenchmarkNext(b *testing.B) {
	for _, count := range []int{2000, 20_000, 200_000} {
		b.Run(fmt.Sprintf("agents=%d", count), func(b *testing.B) {
			w := open(b, benchConfig(count))
			for s := range count {
				w.Next(s)
			}
			b.ReportAllocs()
			source := 0
			for b.Loop() {
				if _, ok := w.Next(source); !ok {
					b.Fatal("the run has ended")
				}
				if source++; source == count {
					source = 0
				}
			}
		})
	}
	for name, arrivals := range map[string]Arrivals{"constant": ArrivalsConstant, "poisson": ArrivalsPoisson} {
		b.Run(name, func(b *testing.B) {
			cfg := benchConfig(1)
			cfg.Agents = nil
			cfg.Streams = []Stream{{Rate: 1000, Arrivals: arrivals, Clients: 100}}
			w := open(b, cfg)
			b.ReportAllocs()
			for b.Loop() {
				w.Next(0)
			}
		})
	}
	b.Run("trace", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "trace.csv")
		row := "2023-11-16 18:15:46.6805900,374,44\n"
		if err := os.WriteFile(path, []byte(traceHeader+strings.Repeat(row, 100_000)), 0o600); err != nil {
			b.Fatal(err)
		}
		cfg := benchConfig(1)
		cfg.Agents = nil
		cfg.Traces = []Trace{{Path: path, Speed: 1, Clients: 100}}
		w := open(b, cfg)
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := w.Next(0); !ok {
				w.Close()
				w = open(b, cfg)
			}
		}
	})
}

// BenchmarkNew measures time and memory per agent, its first request included.
func BenchmarkNew(b *testing.B) {
	for _, count := range []int{2000, 200_000} {
		b.Run(fmt.Sprintf("agents=%d", count), func(b *testing.B) {
			cfg := benchConfig(count)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			runs := 0
			for b.Loop() {
				w := open(b, cfg)
				for s := range count {
					w.Next(s)
				}
				runs++
			}
			runtime.ReadMemStats(&after)
			per := float64(runs) * float64(count)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/per, "ns/agent")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/per, "B/agent")
		})
	}
}
