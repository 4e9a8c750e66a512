package workload

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Ensure each mistake is an error that names the field.
func TestValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(c *Config)
		want  string
	}{
		{"duration", func(c *Config) { c.Duration = 0 }, "duration is 0s, must be positive"},
		{"nothing", func(c *Config) { c.Agents, c.Streams, c.Traces = nil, nil, nil }, "workload has no agents, streams or traces"},
		{"count", func(c *Config) { c.Agents[0].Count = 0 }, "agents.team.count is 0"},
		{"too many", func(c *Config) { c.Agents[0].Count = math.MaxInt }, "agents are more than"},
		{"stagger", func(c *Config) { c.Agents[0].Stagger = -1 }, "agents.team.stagger is -1ns"},
		{"phases", func(c *Config) { c.Agents[0].Phases = nil }, "agents.team.phases is empty"},
		{"rounds", func(c *Config) { c.Agents[0].Phases[0].Rounds = Dist{} }, "agents.team.phases[0].rounds has mean 0"},
		{"keep", func(c *Config) { c.Agents[0].Phases[0].Keep = true }, "agents.team.phases[0].keep is set"},
		{"phase profile", func(c *Config) { c.Agents[0].Phases[0].Profile = 2 }, "agents.team.phases[0].profile is 2, there are 1"},
		{"interval", func(c *Config) { c.Profiles[0].Interval = Dist{} }, "profiles[0].interval has mean 0 s"},
		{"write share", func(c *Config) { c.Profiles[0].WriteShare = math.NaN() }, "profiles[0].write_share is NaN"},
		{"sigma", func(c *Config) { c.Profiles[0].EstimateSigma = math.Inf(1) }, "profiles[0].estimate_sigma is +Inf"},
		{"max context", func(c *Config) { c.Profiles[0].MaxContext = -1 }, "profiles[0].max_context is -1"},
		{"max output", func(c *Config) { c.Profiles[0].MaxOutput = math.MaxInt64 }, "profiles[0].max_output is"},
		{"stream profile", func(c *Config) { c.Streams[0].Profile = -1 }, "streams[0].profile is -1"},
		{"rate", func(c *Config) { c.Streams[0].Rate = math.NaN() }, "streams[0].rate is NaN"},
		{"rate zero", func(c *Config) { c.Streams[0].Rate = 0 }, "streams[0].rate is 0"},
		{"rate high", func(c *Config) { c.Streams[0].Rate = 1e7 }, "streams[0].rate is 1e+07"},
		{"arrivals", func(c *Config) { c.Streams[0].Arrivals = 9 }, "streams[0].arrivals is 9"},
		{"clients", func(c *Config) { c.Streams[0].Clients = 0 }, "streams[0].clients is 0"},
		{"many clients", func(c *Config) { c.Streams[0].Clients = math.MaxInt }, "clients are more than"},
		{"path", func(c *Config) { c.Traces[0].Path = "" }, "traces[0].path is empty"},
		{"speed", func(c *Config) { c.Traces[0].Speed = 0 }, "traces[0].speed is 0"},
		{"speed NaN", func(c *Config) { c.Traces[0].Speed = math.NaN() }, "traces[0].speed is NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := oneGroup(Profile{Interval: Must(Constant(1))}, 1)
			cfg.Agents[0].Name = "team"
			cfg.Streams = []Stream{{Rate: 1, Clients: 1}}
			cfg.Traces = []Trace{{Path: "trace.csv", Speed: 1, Clients: 1}}
			if err := cfg.Validate(); err != nil {
				t.Fatalf("a good configuration: %v", err)
			}
			tt.spoil(&cfg)
			if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
			if w, err := New(cfg); err == nil || w != nil {
				t.Errorf("New accepts it")
			}
		})
	}
}

// Ensure a configuration that was handed over can be changed without effect.
func TestNewCopies(t *testing.T) {
	cfg := oneGroup(Profile{Interval: Must(Constant(1)), Context: Must(Constant(9))}, 1)
	w := open(t, cfg)
	cfg.Profiles[0].Context = Must(Constant(5))
	cfg.Agents[0].Phases[0] = Phase{Profile: 7}
	cfg.Duration = time.Nanosecond
	if ds := all(w, 0); len(ds) != 600 || ds[0].In != 9 {
		t.Errorf("%d demands, the first with %d tokens", len(ds), ds[0].In)
	}
}
