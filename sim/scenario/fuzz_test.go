package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLoad checks that no text and no override makes loading or building panic, and
// that whatever loads also builds, but for traces, which may be missing.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "testdata/wrong/*.yaml", "starter.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, "duration=10m")
		}
	}
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, set := range []string{
		"variants.flat.stack.routes.gpt-4.1.0.model=x", "stack.routes.gpt-4.1.3.max_output=1", "stack=", "variants=", `a."b`, "workload.agents.researchers.phases=[]",
		"upstreams.openai.keys.oa.count=100", "workload.profiles.notes.context.empirical.weights.0=1", "=", "upstreams.openai.models.gpt-4.1=null",
		"workload.streams.ramp.rate=[{at: 1s, rate: 0}]", "workload.streams.tenants.groups.heavy.clients=0.001", "workload.agents.researchers.waves=1900",
		"workload.streams.jumpy.spikes=null", "upstreams.europe.projects=null", "upstreams.europe.keys.eu.group=", "upstreams.claude.dialect=gemini",
		"upstreams.deepseek.dialect=azure", "workload.traces.burst.models.*=notes", "workload.traces.azure.loop=forever", "epoch=2099-12-31T23:59:59.9Z",
		"upstreams.europe.keys.eu.limits.*.quantum=59999ms", "workload.profiles.hypothesis.patience=0s", "prices.models.gpt-eu.long={from: 1}",
	} {
		f.Add(data, set)
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		s, err := Parse("testdata/fuzz.yaml", data, []string{set})
		if err != nil {
			checkErrors(t, err)
			s, err = Parse("testdata/fuzz.yaml", data, nil)
		}
		if err != nil {
			checkErrors(t, err)
			return
		}
		if s.SHA256() == "" || len(s.Variants()) == 0 {
			t.Fatal("a scenario without hash or variants")
		}
		for _, v := range s.Variants() {
			b, err := v.Build(1)
			if err != nil {
				checkErrors(t, err)
				if v.Spec.Workload.Traces.Len() == 0 {
					t.Fatalf("loaded but does not build: %v", err)
				}
				continue
			}
			for _, room := range []error{b.Workload.Validate(), b.Upstream.Validate(), b.Stack.Validate()} {
				if room != nil {
					t.Fatalf("built but not valid: %v", room)
				}
			}
		}
	})
}

// checkErrors checks that every error says what is wrong.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	for _, e := range errorsOf(t, err) {
		if e.File == "" || e.Problem == "" || e.Error() == "" {
			t.Fatalf("incomplete: %+v", e)
		}
	}
}
