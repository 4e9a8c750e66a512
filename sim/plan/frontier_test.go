package plan

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// pretendGrid carries out a grid of keys in which the margin of row i, column j in replication k is what f says.
func pretendGrid(t *testing.T, rows, cols, reps int, f func(i, j, rep int) float64) *Report {
	t.Helper()
	p, err := New(starter(t), Config{
		Vary: []string{"stack.queue.bound=1.." + strconv.Itoa(rows), keys + "1.." + strconv.Itoa(cols)}, Reps: reps, Objectives: []string{"p99 < 6s"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(Session{Execute: func(units []Unit, done func(int, Sample, error)) {
		for n, u := range units {
			var at [2]int
			for k, set := range u.Sets {
				_, value, _ := strings.Cut(set, "=")
				if at[k], err = strconv.Atoi(value); err != nil {
					t.Fatal(err)
				}
			}
			m := f(at[0], at[1], u.Rep)
			done(n, Sample{
				Point: u.Point, Variant: u.Variant, Rep: u.Rep, Seed: u.Seed,
				Checks: []Outcome{{Value: report.Num(6 - m), Margin: report.Num(m), OK: m > 0}}, Bound: "pretence",
			}, nil)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Ensure a grid whose frontier depends on the seed is called uncertain, in its status and in words.
func TestFrontierIsUncertain(t *testing.T) {
	for want, edge := range map[string]float64{Uncertain: .3, Found: 0} {
		r := pretendGrid(t, 3, 4, 4, func(i, j, rep int) float64 {
			if i == 2 && j == 3 && edge > 0 { // in a row of three the one before the frontier
				return edge * float64(2*(rep%2)-1)
			}
			return wobble(.3*float64(2*j-7)/7, rep)
		})
		if said := strings.Contains(r.Sentence[0], "at 1 of them it depends on the seed"); r.Status != want || said != (want == Uncertain) {
			t.Errorf("%s, want %s: %s", r.Status, want, r.Sentence[0])
		}
	}
}

// Ensure a grid of which nothing passes names the point that comes nearest, wherever it lies.
func TestFrontierNamesTheNearest(t *testing.T) {
	r := pretendGrid(t, 3, 4, 3, func(i, j, rep int) float64 {
		if i == 2 && j == 2 {
			return wobble(-.1, rep)
		}
		return wobble(-.4, rep)
	})
	if s := r.Sentence[0]; r.Status != Unattainable || !strings.Contains(report.Plain(s), "the nearest to it is queue.bound = 2 with 2 keys of main (0 of 3 runs meet them, p99 6.10 s), bound by pretence") {
		t.Errorf("%s: %s", r.Status, s)
	}
	if row := r.Frontier[0].Rows[1]; r.Frontier[0].Points[row.Point].Values[1] != "2" {
		t.Errorf("the row's point is %v", r.Frontier[0].Points[row.Point].Values)
	}
}

// Ensure a plan with a run that breaks a law is invalid, whatever else it found.
func TestBrokenRunsAreInvalid(t *testing.T) {
	for _, margin := range []float64{.3, -.3} {
		p := small(t, func(c *Config) { c.Sensitivity = false })
		r, err := p.Run(Session{Execute: func(units []Unit, done func(int, Sample, error)) {
			for n, u := range units {
				o := Outcome{Value: 6, Margin: report.Num(margin), OK: margin > 0}
				done(n, Sample{Point: u.Point, Variant: u.Variant, Rep: u.Rep, Seed: u.Seed, Checks: []Outcome{o, o}, Broken: "books disagree"}, nil)
			}
		}})
		if err != nil || r.Status != Invalid || len(r.Broken) == 0 || r.ExitCode() != report.ExitInvalid {
			t.Errorf("margin %v: %s, %v", margin, r.Status, err)
		}
	}
}
