package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// family has two models of one family behind the same keys, and a third behind keys of its own that does not count what is cached.
const family = `
name: family
duration: 10m
warmup: 0s
workload:
  profiles:
    a: {class: P0, model: big, context: 900, output: 100, max_output: 100}
    b: {class: P0, model: small, context: 400, output: 100, max_output: 100}
    c: {class: P0, model: other, context: 1000, output: 50, max_output: 50}
  streams:
    sa: {profile: a, rate: 10, arrivals: constant, clients: 10}
    sb: {profile: b, rate: 20, arrivals: constant, clients: 10}
    sc: {profile: c, rate: 5, arrivals: constant, clients: 10}
upstreams:
  v:
    dialect: openai
    models: {big: {family: f, catalogue: gpt-4.1}, small: {family: f, catalogue: gpt-4.1-mini}}
    keys: {k: {count: 10, limits: {f: {rpm: 500, tpm: 200k}}}, g: {count: 2, group: one, models: [big], limits: {f: {rpm: 1k, tpm: 100k}}}}
  w:
    dialect: anthropic
    models: {other: {catalogue: claude-haiku-4-5}}
    keys: {z: {count: 4, limits: {other: {rpm: 200, tpm: 100k, otpm: 20k}}}}
prices: {models: {big: {input: 1, output: 4}, small: {input: 1, output: 4}, other: {input: 1, output: 4}}}
`

// Ensure models that share quotas are added up, keys of a group count once, and what is read from a cache is not charged where the vendor does not.
func TestArithmeticOfSharedQuotas(t *testing.T) {
	b, err := parse(t, "family.yaml", family).Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	avg, err := averagesOf(b)
	if err != nil {
		t.Fatal(err)
	}
	got := models(b, avg, []ModelLoad{{Model: "other", ResponseS: 2, Cached: .4}, {Model: "big", ResponseS: 3}})
	const headroom = .8
	// Ten keys of 200 k and the one group of 100 k for big; small has the ten alone. Together they take what big has.
	tpm := (10*60*1000 + 20*60*500.) / (2_100_000 * headroom)
	rpm := 30 * 60 / (6000 * headroom)
	for i, want := range []StaticModel{
		{Model: "big", RPMUse: report.Num(rpm), TPMUse: report.Num(tpm), With: []string{"small"}},
		{Model: "small", RPMUse: report.Num(rpm), TPMUse: report.Num(tpm), With: []string{"big"}},
		{Model: "other", RPMUse: 5 * 60 / (800 * headroom), TPMUse: 5 * 60 * 1000 * .6 / (400_000 * headroom), OTPMUse: 5 * 60 * 50 / (80_000 * headroom)},
	} {
		g := &got[i]
		near := func(x, y report.Num) bool { return math.Abs(float64(x/y-1)) < 1e-9 }
		if g.Model != want.Model || !near(g.RPMUse, want.RPMUse) || !near(g.TPMUse, want.TPMUse) || !slices.Equal(g.With, want.With) {
			t.Errorf("%+v, want %+v", g, want)
		}
		if i == 2 && (!near(g.OTPMUse, want.OTPMUse) || !near(g.Little, 10)) || i < 2 && !math.IsNaN(float64(g.OTPMUse)) {
			t.Errorf("%s: output TPM %v, open %v", g.Model, g.OTPMUse, g.Little)
		}
	}
	if s := fits(got); !s.Fits || s.Tight != "TPM of big" {
		t.Errorf("%+v", s)
	}
	// By itself small takes as much of its ten keys as of them and the group together with big: nothing is counted less than by itself.
	got = models(b, averages{1: avg[1]}, nil)
	if want := 20 * 60 * 500 / (2_000_000 * headroom); len(got) != 1 || math.Abs(float64(got[0].TPMUse)-want) > 1e-9 || got[0].With != nil {
		t.Errorf("%+v, want TPM %v", got, want)
	}
}
