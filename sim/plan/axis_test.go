package plan

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"pgregory.net/rapid"
)

// fataler is a test, or a case of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// starter is the starter scenario with overrides.
func starter(tb fataler, sets ...string) *scenario.Scenario {
	tb.Helper()
	sc, err := scenario.Parse("starter.yaml", scenario.Starter(), sets)
	if err != nil {
		tb.Fatal(err)
	}
	return sc
}

func TestParseAxis(t *testing.T) {
	sc := starter(t)
	for _, c := range []struct {
		arg  string
		want []string
	}{
		{"a.count=4..7", []string{"4", "5", "6", "7"}},
		{"a.count=4..9:2", []string{"4", "6", "8"}},
		{"a.count= 1k..3k:1k", []string{"1k", "2k", "3k"}},
		{"a.x=0.5..0.65:0.05", []string{"0.5", "0.55", "0.6", "0.65"}},
		{"a.x=0.9..1.1:.1", nil}, // a decimal has a digit before the point
		{"a.x=0..20%:10%", []string{"0%", "10%", "20%"}},
		{"a.x=1s..3s:1s", []string{"1s", "2s", "3s"}},
		{"a.x=aimd, vegas", []string{"aimd", "vegas"}},
		{"upstreams.openai.keys.main.tier=tier2..tier4", []string{"tier2", "tier3", "tier4"}},
		{"upstreams.openai.keys.main.tier=tiers", []string{"tier1", "tier2", "tier3", "tier4", "tier5"}},
		{"upstreams.openai.keys.main.tier=tier5,tier1", []string{"tier5", "tier1"}},
	} {
		a, err := ParseAxis(c.arg, sc)
		if c.want == nil {
			if err == nil {
				t.Errorf("%s: %v, want an error", c.arg, a.Values)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(a.Values, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.arg, a.Values, err, c.want)
		}
	}
}

// Ensure a name with dots stays whole, and verbs go with numbers.
func TestAxisNouns(t *testing.T) {
	for _, c := range []struct {
		path, value, noun string
		several           bool
	}{
		{"upstreams.openai.keys.oa.count", "2", "2 keys of oa", true},
		{"upstreams.openai.keys.oa.count", "1", "1 key of oa", false},
		{"workload.agents.crew.count", "1", "1 agent of crew", false},
		{"upstreams.openai.keys.oa.tier", "tier2", "tier2 for the keys of oa", false},
		{`upstreams.openai.keys.oa.limits."gpt-4.1".tpm`, "600k", "gpt-4.1.tpm = 600k", false},
		{"upstreams.openai.keys.oa.limits.gpt-4.1.tpm", "600k", "gpt-4.1.tpm = 600k", false},
		{`upstreams.openai.keys."a.b".count`, "2", "2 keys of a.b", true},
		{"workload.agents.crew.phases.0.rounds", "5", "0.rounds = 5", false},
	} {
		a := Axis{Path: c.path}
		if noun, several := a.noun(c.value), a.several(c.value); noun != c.noun || several != c.several {
			t.Errorf("%s: %q, several %v", c.path, noun, several)
		}
	}
}

// Ensure a wrong --vary says where, what was found and what is allowed.
func TestParseAxisErrors(t *testing.T) {
	sc := starter(t)
	for _, c := range []struct{ arg, part string }{
		{"count", "not a path and a range"},
		{"=4..5", "not a path and a range"},
		{"a=", "not a path and a range"},
		{"a=5", "nothing to choose from"},
		{"a=1-4", "did you mean 1..4?"},
		{"a=5%-10%", "did you mean 5%..10%?"},
		{"a=abc", "neither a range nor a list"},
		{"a=-5", "neither a range nor a list"},
		{"upstreams.openai.keys.main.tier=tier1", "nothing to choose from"},
		{"a=1s..20000s", "write 1s..20000s:1000s, say"},
		{"a=1s..20000s:1s", "write 1s..20000s:1000s, say"},
		{"a=0..9999:0.1", "write 0..9999:1000, say"},
		{"a=10.5%..50%", "write 10.5%..50%:0.05%, say"},
		{"a=0..99999999999:0.0000000001", "too many"},
		{"a=0..999999999999999:0.00000000001", "too many digits"},
		{"a=5..4", "ends before it begins"},
		{"a=1..2:0", "a step of 0"},
		{"a=0.1..0.5", "without a step"},
		{"a=1s..5m:1s", "different units"},
		{"a=x..y", "not a range"},
		{"a=1..100000", "too many values"},
		{"a=1,,2", "an empty value"},
		{"a=1,1", "a value twice"},
		{"upstreams.openai.keys.main.tier=tier1..tier9", "no such tier"},
		{"upstreams.openai.keys.main.tier=tier4..tier2", "ends before it begins"},
		{"upstreams.opnai.keys.main.tier=tiers", "no such name"},
		{"a.tier=tiers", "not the tier of a pool"},
	} {
		_, err := ParseAxis(c.arg, sc)
		var list scenario.Errors
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.part) || list[0].File != fromVary || list[0].Allowed == "" {
			t.Errorf("%s: %v, want %q with what is allowed", c.arg, err, c.part)
		}
	}
}

// Ensure a range of decimals has exactly the values that its text says, without the crumbs of binary fractions.
func TestRangesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(0, 4).Draw(t, "places")
		low := rapid.Int64Range(0, 1000).Draw(t, "low")
		step := rapid.Int64Range(1, 50).Draw(t, "step")
		n := rapid.Int64Range(1, 40).Draw(t, "n")
		text := func(v int64) string { return decimal{v, places, ""}.text() }
		values, err := numberRange("p", text(low)+".."+text(low+n*step)+":"+text(step))
		if err != nil || int64(len(values)) != n+1 {
			t.Fatalf("%v, %v", values, err)
		}
		for i, v := range values {
			if v != text(low+int64(i)*step) {
				t.Fatalf("value %d is %s, want %s", i, v, text(low+int64(i)*step))
			}
		}
	})
}

func FuzzParseAxis(f *testing.F) {
	for _, s := range []string{"a=1..5", "a=0.5..1:0.05", "upstreams.openai.keys.main.tier=tiers", "a=10%..50%:5%", "a=x,y"} {
		f.Add(s)
	}
	sc := starter(f)
	f.Fuzz(func(t *testing.T, arg string) {
		a, err := ParseAxis(arg, sc)
		if err == nil && (len(a.Values) < 2 || len(a.Values) > MaxValues && strings.Contains(a.Range, "..")) {
			t.Errorf("%q: %d values", arg, len(a.Values))
		}
		if list := (scenario.Errors{}); err != nil && !errors.As(err, &list) {
			t.Errorf("%q: %T", arg, err)
		}
	})
}

func TestParseObjectives(t *testing.T) {
	got, err := ParseObjectives([]string{"p99{profile=hypothesis, class=P0} < 6s, ratio_429 < 1%", `p50{profile="a,b"} < 1s`})
	want := []string{"p99{profile=hypothesis,class=P0} < 6s", "ratio_429 < 1%", `p50{profile="a,b"} < 1s`}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{"p99 < ", "p98 < 6s", "p99{variant=a} / p99{variant=b} < 2", ""} {
		if _, err := ParseObjectives([]string{bad}); err == nil || !strings.Contains(err.Error(), fromSLO) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
