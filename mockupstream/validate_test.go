package mockupstream

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidateNamesTheFault(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		`model 0 (""): name`:                              func(c *Config) { c.Models[0].Name = "" },
		`model 1 ("m"): name: used twice`:                 func(c *Config) { c.Models = append(c.Models, c.Models[0]) },
		"dialect":                                         func(c *Config) { c.Models[0].Dialect = 9 },
		"context window":                                  func(c *Config) { c.Models[0].ContextWindow = -1 },
		"max output":                                      func(c *Config) { c.Models[0].MaxOutput = -1 },
		"latency: base":                                   func(c *Config) { c.Models[0].Latency.Base = -1 },
		"per prompt token":                                func(c *Config) { c.Models[0].Latency.PerPromptToken = 2 * time.Hour },
		"per cached token":                                func(c *Config) { c.Models[0].Latency.PerCachedToken = -1 },
		"per output token":                                func(c *Config) { c.Models[0].Latency.PerOutputToken = -1 },
		"refusal":                                         func(c *Config) { c.Models[0].Latency.Refusal = -1 },
		"first token sigma: found NaN":                    func(c *Config) { c.Models[0].Latency.FirstTokenSigma = math.NaN() },
		"output sigma: found +Inf":                        func(c *Config) { c.Models[0].Latency.OutputSigma = math.Inf(1) },
		"load: found -1":                                  func(c *Config) { c.Models[0].Latency.Load = -1 },
		"capacity[0]: at":                                 func(c *Config) { c.Models[0].Capacity = []CapacityStep{{-1, 5}} },
		"capacity[0]: slots":                              func(c *Config) { c.Models[0].Capacity = []CapacityStep{{0, -1}} },
		"capacity[1]: at: found 5s, must be later":        func(c *Config) { c.Models[0].Capacity = []CapacityStep{{5 * ts, 1}, {5 * ts, 2}} },
		"cache: min tokens":                               func(c *Config) { c.Models[0].Cache.MinTokens = -1 },
		"cache: block":                                    func(c *Config) { c.Models[0].Cache.Block = -1 },
		"cache: ttl: must be above 0":                     func(c *Config) { c.Models[0].Cache.Block = 1 },
		"cache: ttl: found":                               func(c *Config) { c.Models[0].Cache.TTL = -1 },
		`quota 0 ("q"): rpm: found -1`:                    func(c *Config) { c.Quotas[0].RPM = -1 },
		`quota 0 ("q"): tpm`:                              func(c *Config) { c.Quotas[0].TPM = math.MaxInt64 },
		`key 0 (""): id`:                                  func(c *Config) { c.Keys[0].ID = "" },
		`key 1 ("k"): id: empty or used twice`:            func(c *Config) { c.Keys = append(c.Keys, c.Keys[0]) },
		`key 0 ("k"): quotas: found 0, need one`:          func(c *Config) { c.Keys[0].Quotas = nil },
		`quotas[0]: found 1, allowed: -1 to 0`:            func(c *Config) { c.Keys[0].Quotas = []int{1} },
		`quotas[0]: found -2`:                             func(c *Config) { c.Keys[0].Quotas = []int{-2} },
		"epoch: found the year 1999":                      func(c *Config) { c.Epoch = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) },
		"max wait":                                        func(c *Config) { c.Models[0].MaxWait = -1 },
		"long from: found -1":                             func(c *Config) { c.Models[0].LongFrom = -1 },
		"price: long from":                                func(c *Config) { c.Models[0].Price.LongFrom = -1 },
		"price: cached: found -1":                         func(c *Config) { c.Models[0].Price.Long.Cached = -1 },
		"otpm: found -1":                                  func(c *Config) { c.Quotas[0].OTPM = -1 },
		"rpd: found -1":                                   func(c *Config) { c.Quotas[0].RPD = -1 },
		"tpd: found -1":                                   func(c *Config) { c.Quotas[0].TPD = -1 },
		"concurrency: found -1":                           func(c *Config) { c.Quotas[0].Concurrency = -1 },
		"spend: found -1":                                 func(c *Config) { c.Quotas[0].Spend = -1 },
		"slope: growth: found NaN":                        func(c *Config) { c.Quotas[0].Slope.Growth = math.NaN() },
		"slope: over: found 1s":                           func(c *Config) { c.Quotas[0].Slope.Over = ts },
		"quantum: found 7s":                               func(c *Config) { c.Quotas[0].Quantum = 7 * ts },
		"quantum: found 2m0s":                             func(c *Config) { c.Quotas[0].Quantum = 2 * time.Minute },
		"otpm: the openai dialect has no such limit":      func(c *Config) { c.Quotas[0].OTPM = 5 },
		"rpm: the deepseek dialect has no such limit":     func(c *Config) { c.Models[0].Dialect = DialectDeepSeek },
		"extra: found 2 rows, need none, or one for each": func(c *Config) { c.Keys[0].Extra = [][]int{nil, nil} },
		"extra[0][0]: found 1, allowed: 0 to 0":           func(c *Config) { c.Keys[0].Extra = [][]int{{1}} },
		"extra[0]: quota 0 is in quotas already":          func(c *Config) { c.Keys[0].Extra = [][]int{{0}} },
		"long[0][1]: quota 0 is there twice":              func(c *Config) { c.Keys[0].Long = [][]int{{0, 0}} },
		"long[0][0]: the key may not use this model":      func(c *Config) { c.Keys[0].Quotas[0], c.Keys[0].Long = -1, [][]int{{0}} },
		"dialect: models of openai and of azure count against it": func(c *Config) {
			c.Models = append(c.Models, Model{Name: "n", Vendor: "v", Dialect: DialectAzure})
			c.Keys[0].Quotas = []int{0, 0}
		},
		"status: found 404, allowed: 429, 500": func(c *Config) { c.Faults[0].Kind, c.Faults[0].Status = FaultStreamError, 404 },
		`fault 0 ("f"): kind`:                  func(c *Config) { c.Faults[0].Kind = 99 },
		`fault 0 ("f"): at: found -1ns`:        func(c *Config) { c.Faults[0].At = -1 },
		`fault 0 ("f"): for`:                   func(c *Config) { c.Faults[0].For = 0 },
		"every: found 500ms":                   func(c *Config) { c.Faults[0].Every = ts / 2 },
		"every: found -1ns":                    func(c *Config) { c.Faults[0].Every = -1 },
		"share: found NaN":                     func(c *Config) { c.Faults[0].Share = math.NaN() },
		"share: found 1.1":                     func(c *Config) { c.Faults[0].Share = 1.1 },
		"models[0]: found 1":                   func(c *Config) { c.Faults[0].Models = []int{1} },
		"keys[1]: found -1":                    func(c *Config) { c.Faults[0].Keys = []int{0, -1} },
		"mode":                                 func(c *Config) { c.Faults[0].Mode = 7 },
		"retry after":                          func(c *Config) { c.Faults[0].RetryAfter = -1 },
		"status: found 404":                    func(c *Config) { c.Faults[0].Status = 404 },
		"factor: found 1, a limit cut":         func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultCutLimit, 1 },
		"factor: found NaN, a limit cut":       func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultCutLimit, math.NaN() },
		"share: found 0.5, must be 1":          func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor, c.Faults[0].Share = FaultCutLimit, .5, .5 },
		"factor: found 1, a slow-down":         func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultSlowdown, 1 },
		"factor: found +Inf, a slow-down":      func(c *Config) { c.Faults[0].Kind, c.Faults[0].Factor = FaultSlowdown, math.Inf(1) },
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
