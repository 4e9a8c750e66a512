package workload

import (
	"strings"
	"testing"
	"time"
)

// Ensure each mistake in a trace's settings is an error that names the field.
func TestValidateTrace(t *testing.T) {
	for want, spoil := range map[string]func(*Trace){
		"traces.log.format is 5":                    func(set *Trace) { set.Format = numFormats },
		"traces.log.models[1].profile is 1":         func(set *Trace) { set.Models[1].Profile = 1 },
		"traces.log.models[0].match is empty":       func(set *Trace) { set.Models[0].Match = "" },
		"traces.log.spread is -1ns":                 func(set *Trace) { set.Spread = -1 },
		"traces.log.spread is 24h0m0.000000001s":    func(set *Trace) { set.Spread = 24*time.Hour + 1 },
		"traces.log.loop is -2":                     func(set *Trace) { set.Loop = -2 },
		"traces.log.reorder is -1":                  func(set *Trace) { set.Reorder = -1 },
		"traces.log.reorder is 10000001":            func(set *Trace) { set.Reorder = 10_000_001 },
		"traces.log.cache_blocks is -1":             func(set *Trace) { set.CacheBlocks = -1 },
		"traces.log.cache_blocks is 1073741825, mu": func(set *Trace) { set.CacheBlocks = 1<<30 + 1 },
	} {
		set := Trace{
			Name: "log", Path: "t", Speed: 1, Clients: 1, Models: []TraceModel{{"a", 0}, {"b", 0}},
			Format: FormatEvents, Spread: 24 * time.Hour, Loop: -1, Reorder: 10_000_000, CacheBlocks: 1 << 30,
		}
		cfg := Config{Duration: 1, Profiles: []Profile{{}}, Traces: []Trace{set}}
		if err := cfg.Validate(); err != nil {
			t.Fatalf("good settings: %v", err)
		}
		spoil(&cfg.Traces[0])
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}
}

// Ensure a trace's mapping can be changed after it was handed over, without effect.
func TestReplayCopies(t *testing.T) {
	set := textTrace(burstHeader + "1,,1,m,9,1,9,x\n")
	set.Models = []TraceModel{{"m", 1}}
	w := open(t, Config{Duration: time.Hour, Profiles: []Profile{{}, {}}, Traces: []Trace{set}})
	set.Models[0].Profile = 0
	if ds := all(w, 0); len(ds) != 1 || ds[0].Profile != 1 {
		t.Errorf("demands are %+v", ds)
	}
}
