package scenario

import (
	"testing"

	"github.com/seed-4fd17b57/simload/stack"
)

const naiveBase = `duration: 1m
workload:
  profiles:
    ask: {class: P0, model: strong, interval: 10s, context: 1k, output: 100, max_output: 200}
  agents: {crew: {count: 2, phases: [{profile: ask, rounds: 1}]}}
upstreams:
  v:
    models: {m: {latency: {base: 100ms, per_output_token: 10ms}}, n: {latency: {base: 100ms, per_output_token: 10ms}}}
    keys: {k: {count: 2, limits: {"*": {rpm: 60, tpm: 100k}}}}
prices: {models: {m: {input: 1, output: 2}, n: {input: 1, output: 2}}}
`

// Ensure "stack: none" is the client without a stack in every place where it can be said, and
// that the routes of the demand stay.
func TestStackNone(t *testing.T) {
	const routes = "stack: {routes: {strong: [m, n]}, retry: {attempts: 9}, timeouts: {first_token: 3s}}\n"
	for name, tt := range map[string]struct {
		text string
		sets []string
	}{
		"variant":     {naiveBase + routes + "variants: {bare: {stack: none}}\n", nil},
		"long":        {naiveBase + "stack: {client: none, routes: {strong: [m, n]}, timeouts: {first_token: 3s}}\n", nil},
		"override":    {naiveBase + routes, []string{"stack=none"}},
		"overridekey": {naiveBase + routes, []string{"stack.client=none"}},
	} {
		t.Run(name, func(t *testing.T) {
			sc, err := Parse("x.yaml", []byte(tt.text), tt.sets)
			if err != nil {
				t.Fatal(err)
			}
			b, err := sc.Variants()[0].Build(1)
			if err != nil {
				t.Fatal(err)
			}
			s := &b.Stack
			if s.Retry.Attempts != 1 || s.Concurrency.Controller != "static" || s.Rotation.Exclude != 0 || s.AgentCap.PerMinute != 0 || s.Breaker.Enabled {
				t.Errorf("a stack is left: %+v", s)
			}
			if len(s.Routes[0].Steps) != 1 || s.Routes[0].Name != "strong" || s.Timeouts.FirstToken.Seconds() != 3 {
				t.Errorf("routes %+v, timeouts %+v", s.Routes, s.Timeouts)
			}
			for _, q := range s.Quotas {
				if q != (stack.Quota{Name: q.Name}) {
					t.Errorf("the client keeps to %+v", q)
				}
			}
			if b.Upstream.Quotas[0].RPM != 60 {
				t.Errorf("the provider's limit is %+v", b.Upstream.Quotas[0])
			}
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Ensure "stack: none" as the whole stack leaves models to be asked for by name.
func TestStackNoneAlone(t *testing.T) {
	sc, err := Parse("x.yaml", []byte(naiveBase+"stack: none\n"), []string{"workload.profiles.ask.model=m"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := sc.Variants()[0].Build(1)
	if err != nil || b.Stack.Retry.Attempts != 1 {
		t.Errorf("%+v, %v", b.Stack.Retry, err)
	}
	if _, err := Parse("x.yaml", []byte(naiveBase+"stack: nothing\n"), nil); err == nil {
		t.Error("stack: nothing is taken")
	}
}
