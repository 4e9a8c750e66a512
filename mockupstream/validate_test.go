package mockupstream

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidateNamesTheFault(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		`model 0 (""): name`:                       func(c *Config) { c.Models[0].Name = "" },
		`model 1 ("m"): name: used twice`:          func(c *Config) { c.Models = append(c.Models, c.Models[0]) },
		"dialect":                                  func(c *Config) { c.Models[0].Dialect = 9 },
		"context window":                           func(c *Config) { c.Models[0].ContextWindow = -1 },
		"max output":                               func(c *Config) { c.Models[0].MaxOutput = -1 },
		"latency: base":                            func(c *Config) { c.Models[0].Latency.Base = -1 },
		"per prompt token":                         func(c *Config) { c.Models[0].Latency.PerPromptToken = 2 * time.Hour },
		"per cached token":                         func(c *Config) { c.Models[0].Latency.PerCachedToken = -1 },
		"per output token":                         func(c *Config) { c.Models[0].Latency.PerOutputToken = -1 },
		"refusal":                                  func(c *Config) { c.Models[0].Latency.Refusal = -1 },
		"first token sigma: found NaN":             func(c *Config) { c.Models[0].Latency.FirstTokenSigma = math.NaN() },
		"output sigma: found +Inf":                 func(c *Config) { c.Models[0].Latency.OutputSigma = math.Inf(1) },
		"load: found -1":                           func(c *Config) { c.Models[0].Latency.Load = -1 },
		"capacity[0]: at":                          func(c *Config) { c.Models[0].Capacity = []CapacityStep{{-1, 5}} },
		"capacity[0]: slots":                       func(c *Config) { c.Models[0].Capacity = []CapacityStep{{0, -1}} },
		"capacity[1]: at: found 5s, must be later": func(c *Config) { c.Models[0].Capacity = []CapacityStep{{5 * ts, 1}, {5 * ts, 2}} },
		"cache: min tokens":                        func(c *Config) { c.Models[0].Cache.MinTokens = -1 },
		"cache: block":                             func(c *Config) { c.Models[0].Cache.Block = -1 },
		"cache: ttl: must be above 0":              func(c *Config) { c.Models[0].Cache.Block = 1 },
		"cache: ttl: found":                        func(c *Config) { c.Models[0].Cache.TTL = -1 },
		`quota 0 ("q"): rpm: found -1`:             func(c *Config) { c.Quotas[0].RPM = -1 },
		`quota 0 ("q"): tpm`:                       func(c *Config) { c.Quotas[0].TPM = math.MaxInt64 },
		`key 0 (""): id`:                           func(c *Config) { c.Keys[0].ID = "" },
		`key 1 ("k"): id: empty or used twice`:     func(c *Config) { c.Keys = append(c.Keys, c.Keys[0]) },
		`key 0 ("k"): quotas: found 0, need one`:   func(c *Config) { c.Keys[0].Quotas = nil },
		`quotas[0]: found 1, allowed: -1 to 0`:     func(c *Config) { c.Keys[0].Quotas = []int{1} },
		`quotas[0]: found -2`:                      func(c *Config) { c.Keys[0].Quotas = []int{-2} },
		`fault 0 ("f"): kind`:                      func(c *Config) { c.Faults[0].Kind = 99 },
		`fault 0 ("f"): at: found -1ns`:            func(c *Config) { c.Faults[0].At = -1 },
		`fault 0 ("f"): for`:                       func(c *Config) { c.Faults[0].For = 0 },
		"every: found 500ms":                       func(c *Config) { c.Faults[0].Every = ts / 2 },
		"every: found -1ns":                        func(c *Config) { c.Faults[0].Every = -1 },
		"share: found NaN":                         func(c *Config) { c.Faults[0].Share = math.NaN() },
		"share: found 1.1":                         func(c *Config) { c.Faults[0].Share = 1.1 },
		"models[0]: found 1":                       func(c *Config) { c.Faults[0].Models = []int{1} },
		"keys[1]: found -1":                        func(c *Config) { c.Faults[0].Keys = []int{0, -1} },
		"mode":                                     func(c *Config) { c.Faults[0].Mode = 7 },
		"retry after":                              func(c *Config) { c.Faults[0].RetryAfter = -1 },
		"status: found 404":                        func(c *Config) { c.Faults[0].Status = 404 },
		"factor: found 1, a limit cut":             func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultCutLimit, 1 },
		"factor: found NaN, a limit cut":           func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultCutLimit, math.NaN() },
		"share: found 0.5, must be 1":              func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor, c.Faults[0].Share = FaultCutLimit, .5, .5 },
		"factor: found 1, a slow-down":             func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultSlowdown, 1 },
		"factor: found +Inf, a slow-down":          func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultSlowdown, math.Inf(1) },
	} {
		cfg := withFault(single(1, 1), Fault{Name: "f", Kind: FaultError, Status: 500, For: ts})
		if _, err := New(cfg); err != nil {
			t.Fatalf("before it was spoiled: %v", err)
		}
		spoil(&cfg)
		if p, err := New(cfg); err == nil || p != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
