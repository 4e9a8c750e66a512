package catalog

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// file is catalog.yaml.
type file struct {
	Sources        map[string]fileSource  `yaml:"sources"`
	LatencyClasses map[string]fileLatency `yaml:"latency_classes"`
	Models         []fileModel            `yaml:"models"`
}

type fileSource struct {
	Text string `yaml:"text"`
	AsOf string `yaml:"as_of"`
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
	Price         filePrice  `yaml:"usd_per_mtok"`
	Source        string     `yaml:"source"`
	Latency       string     `yaml:"latency"`
	Tiers         []fileTier `yaml:"tiers"`
	Note          string     `yaml:"note"`
}

type filePrice struct {
	Input  string `yaml:"input"`
	Cached string `yaml:"cached"`
	Output string `yaml:"output"`
}

type fileTier struct {
	Name        string `yaml:"name"`
	RPM         int64  `yaml:"rpm"`
	TPM         int64  `yaml:"tpm"`
	Concurrency int64  `yaml:"concurrency"`
	Source      string `yaml:"source"`
}

var dialects = map[string]mockupstream.Dialect{"openai": mockupstream.DialectOpenAI}

// model checks one entry and resolves what it refers to.
func (f *file) model(in *fileModel) (Model, error) {
	m := Model{
		Name: in.Name, Vendor: in.Vendor, ContextWindow: in.ContextWindow, MaxOutput: in.MaxOutput,
		LatencyClass: in.Latency, Note: in.Note,
	}
	if in.Name == "" || in.Vendor == "" {
		return m, errors.New("name and vendor: must not be empty")
	}
	if in.ContextWindow <= 0 || in.MaxOutput <= 0 || in.MaxOutput > in.ContextWindow {
		return m, fmt.Errorf("context_window and max_output: found %d and %d, need 0 < max_output <= context_window", in.ContextWindow, in.MaxOutput)
	}
	var ok bool
	if m.Dialect, ok = dialects[in.Dialect]; !ok {
		return m, fmt.Errorf("dialect: found %q, allowed: openai", in.Dialect)
	}
	l, ok := f.LatencyClasses[in.Latency]
	if !ok {
		return m, fmt.Errorf("latency: no class %q under latency_classes", in.Latency)
	}
	if err := l.check(); err != nil {
		return m, fmt.Errorf("latency class %q: %w", in.Latency, err)
	}
	m.Latency = mockupstream.Latency(l)
	var err error
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

func (f *file) tier(in *fileTier) (Tier, error) {
	if in.RPM < 0 || in.TPM < 0 || in.Concurrency < 0 {
		return Tier{}, fmt.Errorf("rpm, tpm, concurrency: found %d, %d and %d, must not be negative", in.RPM, in.TPM, in.Concurrency)
	}
	source, err := f.source(in.Source)
	return Tier{Name: in.Name, RPM: in.RPM, TPM: in.TPM, Concurrency: in.Concurrency, Source: source}, err
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
