package draft_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
	"github.com/seed-4fd17b57/simload/workload"
	"github.com/seed-4fd17b57/simload/workload/fit"
	"pgregory.net/rapid"
)

// callsNamed are twenty measured calls of each model.
func callsNamed(models []string) ([]fit.Call, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"model", "in", "out", "first_token_s", "total_s"}}
	for _, m := range models {
		for i := range fit.MinRows {
			rows = append(rows, []string{m, fmt.Sprint(10 * i), fmt.Sprint(i), fmt.Sprint(0.1 + 0.01*float64(i)), fmt.Sprint(1 + 0.1*float64(i))})
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	calls, _, err := fit.ReadCalls(&b, "calls.csv")
	return calls, err
}

// latencyOf drafts a scenario of calls.
func latencyOf(t *testing.T, models []string) (*draft.Latency, []byte) {
	t.Helper()
	calls, err := callsNamed(models)
	if err != nil {
		t.Fatal(err)
	}
	fits, _, err := fit.FitLatencies(calls)
	if err != nil {
		t.Fatal(err)
	}
	m, known := model(t)
	l := &draft.Latency{Path: "calls.csv", Calls: calls, Fits: fits, Model: m, Catalog: known}
	return l, l.YAML()
}

// Ensure models get names that a scenario takes, no two alike, and those that are such names already keep them.
func TestModelsHaveNames(t *testing.T) {
	for name, c := range map[string]struct{ models, want []string }{
		"dots":    {[]string{"gpt-4.1", "gpt-4-1"}, []string{"gpt-4-1", "gpt-4.1"}},
		"slashes": {[]string{"a:b/c", "a-b/c"}, []string{"a-b/c", "a:b/c"}},
		"letters": {[]string{"日本", "中国"}, []string{"中国", "日本"}},
		"none":    {[]string{"", "measured"}, []string{"measured", "measured-2"}},
		"null":    {[]string{"null"}, []string{"null"}},
		"numbers": {[]string{"123", "1e3", "0x1f", "true"}, []string{"0x1f", "123", "1e3", "true"}},
		"blanks":  {[]string{" gpt-4o", "gpt-4o "}, []string{"gpt-4o"}},
		"odd":     {[]string{"?", "*", "a b", "a?b", "a-b"}, []string{"a-b", "a-b-2", "a-b-3", "unnamed", "unnamed-2"}},
		"long":    {[]string{strings.Repeat("é", 200)}, []string{strings.Repeat("é", 90)}},
		"number":  {[]string{"a", "a?", "a-2"}, []string{"a", "a-2", "a-3"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, yaml := latencyOf(t, c.models)
			got := slices.Sorted(slices.Values(loaded(t, yaml).Spec.Upstreams.Values[0].Models.Names))
			if !slices.Equal(got, c.want) {
				t.Errorf("models %q, want %q", got, c.want)
			}
		})
	}
}

// Ensure calls of any tokens and times make a scenario that is taken, or an error that says so.
func TestAnyTimesMakeAScenario(t *testing.T) {
	m, known := model(t)
	rapid.Check(t, func(rt *rapid.T) {
		long, slow := rapid.Int64Range(0, 1e9).Draw(rt, "long"), rapid.Float64Range(0, 21).Draw(rt, "slow")
		var calls []fit.Call
		for i := range int64(2 * fit.MinRows) {
			first := time.Microsecond + time.Duration(math.Exp(slow*rapid.Float64Range(0, 1).Draw(rt, "first")))*time.Microsecond
			total := first + time.Duration(math.Exp(slow*rapid.Float64Range(0, 1).Draw(rt, "rest")))*time.Microsecond
			calls = append(calls, fit.Call{In: long * i / 40, Out: long * (i % 7) / 40, First: first, Total: total})
		}
		fits, _, err := fit.FitLatencies(calls)
		if errors.Is(err, fit.ErrTimes) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		yaml := (&draft.Latency{Path: "calls.csv", Calls: calls, Fits: fits, Model: m, Catalog: known}).YAML()
		if _, err := scenario.Parse("draft.yaml", yaml, nil); err != nil {
			rt.Fatalf("%v\n%s", err, yaml)
		}
	})
}

// Ensure no name of a model or of a kind of requests makes a scenario that is refused.
func TestAnyNameMakesAScenario(t *testing.T) {
	names := rapid.SliceOfN(rapid.OneOf(rapid.StringN(0, 12, 80), rapid.StringMatching(`[a-b?-]{0,3}[ .2-3]{0,3}`)), 1, 5)
	rapid.Check(t, func(rt *rapid.T) {
		models := names.Draw(rt, "names")
		l, yaml := latencyOf(t, models)
		s, err := scenario.Parse("draft.yaml", yaml, nil)
		if err != nil {
			rt.Fatalf("%v\n%s", err, yaml)
		}
		if got := s.Spec.Workload.Profiles.Len(); got != len(l.Fits) {
			rt.Errorf("%d profiles of %d models", got, len(l.Fits))
		}
		d := draft.Demand{Path: "t.csv", Trace: &fit.Trace{Rows: make([]workload.TraceRow, 1), Length: time.Minute}, Goodness: &fit.Goodness{}, Fit: &fit.Fit{Length: time.Minute, Links: &fit.Links{}}}
		d.Model = l.Model
		d.Fit.Arrivals.Steps = []fit.Step{{Rate: 1}}
		for range fit.Scales {
			d.Goodness.Dispersion = append(d.Goodness.Dispersion, fit.Pair{})
		}
		for _, name := range models {
			one := fit.FitLengths([]int64{1})
			d.Fit.Kinds = append(d.Fit.Kinds, fit.Kind{Name: name, Weight: 1, In: one, Out: one})
		}
		if _, err := scenario.Parse("draft.yaml", d.YAML(), nil); err != nil {
			rt.Fatalf("%v\n%s", err, d.YAML())
		}
	})
}
