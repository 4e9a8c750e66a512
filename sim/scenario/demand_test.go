package scenario

import (
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

func TestAgentsToolsWavesAndSubAgents(t *testing.T) {
	w := full(t, 0).Workload
	if p := w.Profiles[0].Patience; p.Mean() != 180 {
		t.Errorf("patience of %v s on average", p.Mean())
	}
	g := w.Agents[0]
	if g.Waves != 4 || g.WaveEvery != 5*time.Minute || g.TaskDeadline.Mean() < 1800 {
		t.Errorf("waves %d every %v, deadline %v", g.Waves, g.WaveEvery, g.TaskDeadline.Mean())
	}
	ph := g.Phases[2]
	if ph.Tool.Mean() != 3 || ph.FanOut.Mean() != 2 || ph.SubProfile != 0 || ph.SubRounds.Mean() != 2 {
		t.Errorf("phase %+v", ph)
	}
	if ph := g.Phases[0]; ph.Tool.Mean() != 0 || ph.FanOut.Mean() != 0 || ph.SubRounds.Mean() != 0 {
		t.Errorf("a plain phase is %+v", ph)
	}
	// A variant or an override may switch sub-agents off with one key.
	s, err := Load("testdata/full.yaml", []string{"workload.agents.researchers.phases.2.fan_out=0"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	if ph := b.Workload.Agents[0].Phases[2]; ph.FanOut.Mean() != 0 || ph.SubRounds.Mean() != 0 {
		t.Errorf("switched off: %+v", ph)
	}
	if ph := built(t, "workload.agents.crew.phases=[{profile: ask, rounds: 3, fan_out: 2, sub_profile: ask}]").Workload.Agents[0].Phases[0]; ph.SubRounds.Mean() != 1 {
		t.Errorf("sub-agents make %v requests by default", ph.SubRounds.Mean())
	}
}

func TestStreams(t *testing.T) {
	w := full(t, 0).Workload
	const minute = time.Minute
	for i, want := range []workload.Stream{
		{Name: "background", Rate: 12.5, Arrivals: workload.ArrivalsPoisson, Clients: 10},
		{Name: "steady", Profile: 2, Rate: 1, Arrivals: workload.ArrivalsConstant, Clients: 100},
		{
			Name: "ramp", Arrivals: workload.ArrivalsGamma, CV: 3.5, Clients: 100,
			Mix:   &workload.Mix{Profiles: []workload.Weighted{{Profile: 0, Weight: 3}, {Profile: 2, Weight: 1}}},
			Curve: &workload.Curve{Points: []workload.Point{{At: 0, Rate: 0}, {At: 10 * minute, Rate: 2}, {At: 50 * minute, Rate: 2}, {At: 50 * minute, Rate: 0.5}}},
		},
		{
			Name: "day", Profile: 2, Arrivals: workload.ArrivalsPoisson, Clients: 100,
			Curve: &workload.Curve{Sine: &workload.Sine{Base: 1, Amplitude: 0.5, Period: 24 * time.Hour, Phase: 6 * time.Hour}},
		},
		{
			Name: "jumpy", Profile: 2, Arrivals: workload.ArrivalsPoisson, Clients: 100, Tick: 3 * time.Second,
			Curve: &workload.Curve{
				States: []workload.State{{Rate: 0.5, Dwell: 5 * minute}, {Rate: 8, Dwell: 20 * time.Second}},
				Spikes: []workload.Spike{{At: 10 * minute, For: 30 * time.Second, Extra: 5, Every: 20 * minute}, {At: 15 * minute, Count: 50}},
			},
		},
		{
			Name: "tenants", Rate: 4, Arrivals: workload.ArrivalsWeibull, Clients: 50,
			Mix: &workload.Mix{Groups: []workload.ClientGroup{
				{Name: "heavy", Weight: 1, Share: 80, CV: 4}, {Name: "light", Weight: 9, Share: 20, CV: 2, Profile: 2},
			}},
		},
	} {
		if got := w.Streams[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("stream %d is\n%+v, want\n%+v", i, got, want)
		}
	}
	// Spikes lie on top of a constant rate too.
	s := built(t, "workload.streams={s: {profile: ask, rate: 5, spikes: {x: {at: 1s, count: 3}}}}").Workload.Streams[0]
	if s.Rate != 5 || len(s.Curve.Spikes) != 1 || s.Curve.Points != nil {
		t.Errorf("a rate with a spike is %+v", s)
	}
}

func TestTraces(t *testing.T) {
	w := full(t, 0).Workload
	for i, want := range []workload.Trace{
		{Name: "azure", Path: "testdata/traces/small.csv", Speed: 1, Clients: 100, Spread: 100 * time.Millisecond, Loop: 3, Reorder: 1000},
		{Name: "mooncake", Profile: 1, Path: "testdata/traces/blocks.jsonl", Speed: 1, Clients: 100, Format: workload.FormatMooncake, CacheBlocks: 50_000, Loop: -1},
		{
			Name: "burst", Path: "testdata/traces/burst.csv", Speed: 1, Clients: 100, ClientsInTurn: true, Format: workload.FormatBurstGPT,
			Models:   []workload.TraceModel{{Match: "GPT-4*", Profile: 1}, {Match: "ChatGPT", Profile: 2}},
			Sessions: []workload.TraceSession{{Match: "17", Profile: 2}},
			SkipBad:  true, SkipFailed: true, Loop: 1,
		},
	} {
		if got := w.Traces[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("trace %d is\n%+v, want\n%+v", i, got, want)
		}
	}
	// The enumerations of the grammar are those of the readers.
	for f := workload.FormatAuto; f.String() != "?"; f++ {
		if b := built(t, "workload.traces={t: {profile: ask, path: testdata/traces/small.csv, format: "+f.String()+"}}"); b.Workload.Traces[0].Format != f {
			t.Errorf("format %v became %v", f, b.Workload.Traces[0].Format)
		}
	}
}

// Ensure the demand of the full scenario can be made: its streams flow and its traces
// are read.
func TestFullDemandFlows(t *testing.T) {
	w, err := workload.New(full(t, 0).Workload)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range w.Sources() {
		if _, ok := w.Next(i); ok {
			seen++
		}
	}
	if err := w.Err(); err != nil || seen < w.Sources()*9/10 {
		t.Errorf("%d of %d sources ask something: %v", seen, w.Sources(), err)
	}
}

// Ensure demand is told apart by everything that it depends on: by the new keys too, and
// by a trace's content.
func TestDemandHashCoversTheNewKeys(t *testing.T) {
	hash := func(sets ...string) string {
		t.Helper()
		s, err := Load("testdata/full.yaml", sets)
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.DemandSHA256(1)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	plain := hash()
	for _, set := range []string{
		"workload.profiles.hypothesis.patience=9s", "workload.agents.researchers.waves=2", "workload.streams.ramp.rate.1.rate=3",
		"workload.streams.jumpy.bursts.busy.rate=9", "workload.streams.tenants.groups.heavy.cv=1", "workload.traces.burst.models.ChatGPT=literature",
	} {
		if hash(set) == plain {
			t.Errorf("%s does not change DemandSHA256", set)
		}
	}
	for _, set := range []string{"epoch=2027-01-01T00:00:00Z", "upstreams.europe.keys.eu.limits.*.rpd=5k"} {
		if hash(set) != plain {
			t.Errorf("%s changes DemandSHA256", set)
		}
	}
	data, err := os.ReadFile("testdata/traces/blocks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir() + "/other.jsonl"
	if err := os.WriteFile(other, append(data, `{"timestamp": 9000, "input_length": 5, "output_length": 2, "hash_ids": [9]}`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if hash("workload.traces.mooncake.path="+other) == plain {
		t.Error("another trace does not change DemandSHA256")
	}
}
