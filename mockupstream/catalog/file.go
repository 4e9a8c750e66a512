package catalog

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// file is catalog.yaml.
type file struct {
	Sources        map[string]fileSource  `yaml:"sources"`
	PromptCaches   map[string]fileCache   `yaml:"prompt_caches"`
	LatencyClasses map[string]fileLatency `yaml:"latency_classes"`
	Models         []fileModel            `yaml:"models"`
}

type fileSource struct {
	Text string `yaml:"text"`
	AsOf string `yaml:"as_of"`
}

type fileCache struct {
	MinTokens int64         `yaml:"min_tokens"`
	Block     int64         `yaml:"block"`
	TTL       time.Duration `yaml:"ttl"`
	Source    string        `yaml:"source"`
}

type fileLatency struct {
	Base            time.Duration `yaml:"base"`
	PerPromptToken  time.Duration `yaml:"per_prompt_token"`
	PerCachedToken  time.Duration `yaml:"per_cached_token"`
	PerOutputToken  time.Duration `yaml:"per_output_token"`
	FirstTokenSigma float64       `yaml:"first_token_sigma"`
	OutputSigma     float64       `yaml:"output_sigma"`
	Load            float64       `yaml:"load"`
	Refusal         time.Duration `yaml:"refusal"`
}

type fileModel struct {
	Name          string     `yaml:"name"`
	Vendor        string     `yaml:"vendor"`
	Dialect       string     `yaml:"dialect"`
	ContextWindow int64      `yaml:"context_window"`
	MaxOutput     int64      `yaml:"max_output"`
	LongContext   int64      `yaml:"long_context"`
	Cache         string     `yaml:"cache"`
	Price         filePrice  `yaml:"usd_per_mtok"`
	Source        string     `yaml:"source"`
	Latency       string     `yaml:"latency"`
	Tiers         []fileTier `yaml:"tiers"`
	Note          string     `yaml:"note"`
}

type filePrice struct {
	Input      string `yaml:"input"`
	Cached     string `yaml:"cached"`
	CacheWrite string `yaml:"cache_write"`
	Output     string `yaml:"output"`
	LongFrom   int64  `yaml:"long_from"`
	LongInput  string `yaml:"long_input"`
	LongOutput string `yaml:"long_output"`
}

type fileTier struct {
	Name        string `yaml:"name"`
	RPM         int64  `yaml:"rpm"`
	TPM         int64  `yaml:"tpm"`
	OTPM        int64  `yaml:"otpm"`
	RPD         int64  `yaml:"rpd"`
	LongRPM     int64  `yaml:"long_rpm"`
	LongTPM     int64  `yaml:"long_tpm"`
	Concurrency int64  `yaml:"concurrency"`
	Source      string `yaml:"source"`
}

// dialect returns the dialect of a name, and all names.
func dialect(name string) (found mockupstream.Dialect, names []string, ok bool) {
	for d := mockupstream.DialectOpenAI; d <= mockupstream.DialectOpenRouter; d++ {
		names = append(names, d.String())
		if d.String() == name {
			found, ok = d, true
		}
	}
	return found, names, ok
}

// model checks one entry and resolves what it refers to.
func (f *file) model(in *fileModel) (Model, error) {
	m := Model{
		Name: in.Name, Vendor: in.Vendor, ContextWindow: in.ContextWindow, MaxOutput: in.MaxOutput,
		LongContext: in.LongContext, LatencyClass: in.Latency, Note: in.Note,
	}
	if in.Name == "" || in.Vendor == "" {
		return m, errors.New("name and vendor: must not be empty")
	}
	if in.ContextWindow <= 0 || in.MaxOutput <= 0 || in.MaxOutput > in.ContextWindow {
		return m, fmt.Errorf("context_window and max_output: found %d and %d, need 0 < max_output <= context_window", in.ContextWindow, in.MaxOutput)
	}
	if in.LongContext < 0 || in.LongContext > in.ContextWindow {
		return m, fmt.Errorf("long_context: found %d, allowed: 0 to context_window", in.LongContext)
	}
	d, names, ok := dialect(in.Dialect)
	if m.Dialect = d; !ok {
		return m, fmt.Errorf("dialect: found %q, allowed: %s", in.Dialect, strings.Join(names, ", "))
	}
	l, ok := f.LatencyClasses[in.Latency]
	if !ok {
		return m, fmt.Errorf("latency: no class %q under latency_classes", in.Latency)
	}
	if err := l.check(); err != nil {
		return m, fmt.Errorf("latency class %q: %w", in.Latency, err)
	}
	m.Latency = mockupstream.Latency{
		Base: l.Base, PerPromptToken: l.PerPromptToken, PerCachedToken: l.PerCachedToken, PerOutputToken: l.PerOutputToken,
		FirstTokenSigma: l.FirstTokenSigma, OutputSigma: l.OutputSigma, Load: l.Load, Refusal: l.Refusal,
	}
	var err error
	if m.Cache, m.CacheSource, err = f.cache(in.Cache); err != nil {
		return m, fmt.Errorf("cache: %w", err)
	}
	if m.Price, err = in.Price.parse(); err != nil {
		return m, fmt.Errorf("usd_per_mtok: %w", err)
	}
	if m.Source, err = f.source(in.Source); err != nil {
		return m, err
	}
	for _, t := range in.Tiers {
		tier, err := f.tier(&t)
		if err != nil {
			return m, fmt.Errorf("tier %q: %w", t.Name, err)
		}
		if _, twice := m.Tier(t.Name); twice || t.Name == "" {
			return m, fmt.Errorf("tier %q: name: empty or used twice", t.Name)
		}
		m.Tiers = append(m.Tiers, tier)
	}
	return m, nil
}

// cache resolves a model's prompt cache; no name is no cache.
func (f *file) cache(name string) (c mockupstream.PromptCache, source Source, err error) {
	if name == "" {
		return c, source, nil
	}
	in, ok := f.PromptCaches[name]
	if !ok {
		return c, source, fmt.Errorf("no cache %q under prompt_caches", name)
	}
	if in.MinTokens < 0 || in.Block <= 0 || in.TTL <= 0 {
		return c, source, fmt.Errorf("%q: found min_tokens %d, block %d, ttl %v, need 0 or more, and above 0", name, in.MinTokens, in.Block, in.TTL)
	}
	source, err = f.source(in.Source)
	return mockupstream.PromptCache{MinTokens: in.MinTokens, Block: in.Block, TTL: in.TTL}, source, err
}

func (f *file) tier(in *fileTier) (Tier, error) {
	for _, n := range []int64{in.RPM, in.TPM, in.OTPM, in.RPD, in.Concurrency, in.LongRPM, in.LongTPM} {
		if n < 0 {
			return Tier{}, fmt.Errorf("found a limit of %d, must not be negative", n)
		}
	}
	source, err := f.source(in.Source)
	return Tier{
		Name: in.Name, RPM: in.RPM, TPM: in.TPM, OTPM: in.OTPM, RPD: in.RPD, Concurrency: in.Concurrency,
		LongRPM: in.LongRPM, LongTPM: in.LongTPM, Source: source,
	}, err
}

func (f *file) source(id string) (Source, error) {
	s, ok := f.Sources[id]
	if !ok || s.Text == "" || s.AsOf == "" {
		return Source{}, fmt.Errorf("source: no source %q with text and as_of", id)
	}
	return Source(s), nil
}

func (l *fileLatency) check() error {
	for _, d := range []time.Duration{l.Base, l.PerPromptToken, l.PerCachedToken, l.PerOutputToken, l.Refusal} {
		if d < 0 || d > time.Hour {
			return fmt.Errorf("found a time of %v, allowed: 0s to 1h", d)
		}
	}
	for _, x := range []float64{l.FirstTokenSigma, l.OutputSigma, l.Load} {
		if math.IsNaN(x) || x < 0 || x > 5 {
			return fmt.Errorf("found a sigma or load of %v, allowed: 0 to 5", x)
		}
	}
	return nil
}
