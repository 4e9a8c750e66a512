package scenario

import (
	"strings"
	"testing"
)

func TestVariantsKeepTheirOrderAndTheBaseIsNotRun(t *testing.T) {
	s, err := Load("testdata/full.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range s.Variants() {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "as-is one-key flat" {
		t.Errorf("variants %q", got)
	}
	if s := mustParse(t, small(t)); len(s.Variants()) != 1 || s.Variants()[0].Name != "base" {
		t.Errorf("without variants: %+v, want one named base", s.Variants())
	}
}

func TestOverlays(t *testing.T) {
	// What an overlay of the small scenario makes of it.
	for _, c := range []struct {
		name, overlay string
		check         func(s *Spec) bool
	}{
		{"nothing", `{}`, func(s *Spec) bool { return s.Stack.Queue.Bound == nil }},
		{"null overlay", ``, func(s *Spec) bool { return s.Workload.Agents.Len() == 1 }},
		{"maps merge", `{workload: {agents: {crew: {count: 9}}}}`, func(s *Spec) bool {
			a := s.Workload.Agents.Get("crew")
			return a.Count == 9 && len(a.Phases) == 1
		}},
		{"lists replace", `{workload: {agents: {crew: {phases: [{profile: ask, rounds: 1}, {profile: ask, rounds: 2}]}}}}`, func(s *Spec) bool {
			return len(s.Workload.Agents.Get("crew").Phases) == 2 && s.Workload.Agents.Get("crew").Count == 2
		}},
		{"null removes", `{prices: {models: {m: {input: null}}}, upstreams: {v: {models: {m: null, gpt-4.1: {}}}}, workload: {profiles: {ask: {model: gpt-4.1}}}}`, nil},
		{"null removes an entry", `{upstreams: {v: {models: {m: null, gpt-4.1: {}}}}, prices: null, workload: {profiles: {ask: {model: gpt-4.1}}}}`, func(s *Spec) bool {
			return s.Upstreams.Get("v").Models.Len() == 1 && s.Prices.Models.Len() == 0
		}},
		{"null in a new map is nothing", `{stack: {queue: {bound: 3, max_wait: null}}}`, func(s *Spec) bool {
			return *s.Stack.Queue.Bound == 3 && s.Stack.Queue.MaxWait == nil
		}},
		{"a new entry comes last", `{workload: {profiles: {tell: {class: P1, model: m, max_output: 5}}}}`, func(s *Spec) bool {
			return strings.Join(s.Workload.Profiles.Names, " ") == "ask tell"
		}},
		{"another distribution replaces", `{workload: {profiles: {ask: {context: {exponential: {mean: 2k}}}}}}`, func(s *Spec) bool {
			f := s.Workload.Profiles.Get("ask").Context.form
			return f.Constant == nil && f.Exponential != nil && f.Exponential.Mean == 2000
		}},
	} {
		s, err := Parse("x.yaml", []byte(small(t)+"variants:\n  x: "+c.overlay+"\n"), nil)
		switch {
		case c.check == nil && err == nil:
			t.Errorf("%s: no error", c.name)
		case c.check != nil && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.check != nil && !c.check(s.Variants()[0].Spec):
			t.Errorf("%s: %+v", c.name, s.Variants()[0].Spec)
		}
	}
}

func TestDistributionsOfOneFormMerge(t *testing.T) {
	text := strings.Replace(small(t), "context: 1k", "context: {lognormal: {median: 1k, p95: 2k}}", 1) + `variants:
  longer: {workload: {profiles: {ask: {context: {lognormal: {p95: 9k}}}}}}
  other: {workload: {profiles: {ask: {context: {uniform: {min: 1, max: 3}}}}}}
`
	s := mustParse(t, text)
	longer := s.Variants()[0].Spec.Workload.Profiles.Get("ask").Context.form
	if longer.Lognormal == nil || longer.Lognormal.Median != 1000 || longer.Lognormal.P95 != 9000 {
		t.Errorf("longer: %+v", longer.Lognormal)
	}
	other := s.Variants()[1].Spec.Workload.Profiles.Get("ask").Context.form
	if other.Lognormal != nil || other.Uniform == nil {
		t.Errorf("other: %+v", other)
	}
}

func TestABaseMayLackWhatEveryVariantAdds(t *testing.T) {
	text := strings.Replace(small(t), "{count: 2, ", "{", 1)
	if _, err := Parse("x.yaml", []byte(text), nil); err == nil {
		t.Fatal("no error without count")
	}
	s := mustParse(t, text+"variants:\n  a: {workload: {agents: {crew: {count: 1}}}}\n  b: {workload: {agents: {crew: {count: 8}}}}\n")
	if s.Agents() != 8 {
		t.Errorf("%d agents, want those of the largest variant", s.Agents())
	}
	// A variant that does not add it is told by name, at the base's place.
	_, err := Parse("x.yaml", []byte(text+"variants:\n  a: {workload: {agents: {crew: {count: 1}}}}\n  b: {}\n"), nil)
	if e := errorsOf(t, err)[0]; e.Problem != "missing key count in variant b" || e.Line != 7 {
		t.Errorf("got %+v", e)
	}
}

func TestAnErrorInTheBaseIsToldOnce(t *testing.T) {
	text := strings.Replace(small(t), "model: m,", "model: mm,", 1)
	_, err := Parse("x.yaml", []byte(text+"variants: {a: {}, b: {}, c: {}}\n"), nil)
	if es := errorsOf(t, err); len(es) != 1 {
		t.Errorf("%d errors, want 1: %v", len(es), err)
	}
}

func TestVariantsDoNotShareWhatTheyChange(t *testing.T) {
	s := mustParse(t, small(t)+"variants:\n  a: {stack: {queue: {bound: 5}}}\n  b: {}\n")
	for i, want := range []int{5, 2048} {
		b, err := s.Variants()[i].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if b.Stack.Queue.Bound != want {
			t.Errorf("variant %s: bound %d, want %d", b.Name, b.Stack.Queue.Bound, want)
		}
	}
}
