package catalog

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"go.yaml.in/yaml/v4"
)

//go:embed catalog.yaml
var builtin []byte

// Catalog is a list of models by name. It is not changed after it was parsed.
type Catalog struct {
	models []Model
	byName map[string]int
}

// Model is what is known of one model. Slices belong to the catalogue.
type Model struct {
	Name, Vendor  string
	Dialect       mockupstream.Dialect
	ContextWindow int64 // tokens, prompt and output together
	MaxOutput     int64 // tokens
	Price         Price
	// LongContext: OpenAI has limits of their own for prompts of more tokens (Tier.LongRPM); 0: no such limits.
	LongContext int64
	// Cache is the vendor's prompt cache as it is by default; zero where none is known.
	Cache       mockupstream.PromptCache
	CacheSource Source
	// Latency is typical of models of this size (LatencyClass), not measured for this one.
	Latency      mockupstream.Latency
	LatencyClass string
	Tiers        []Tier // from the smallest on, per scheme of tiers; may be empty
	Source       Source // of sizes and price
	Note         string // what to know about the figures
}

// Price is in pico-USD (10^-12 USD) per token.
type Price = mockupstream.Price

// Tier is what a vendor allows one organisation. For Anthropic TPM is the limit of
// uncached input (ITPM), for Google that of input.
type Tier struct {
	Name        string
	RPM         int64 // requests per minute; 0: no limit
	TPM         int64 // tokens per minute; 0: no limit
	OTPM        int64 // output tokens per minute; 0: no limit
	RPD         int64 // requests per day; 0: no limit
	Concurrency int64 // requests at once; 0: none known
	// LongRPM and LongTPM are for prompts above Model.LongContext, in place of RPM and TPM.
	LongRPM, LongTPM int64
	Source           Source
}

// Source says where a figure comes from and when it was read.
type Source struct {
	Text, AsOf string
}

// Load parses the built-in catalogue. It parses anew each time: call it once.
func Load() (*Catalog, error) {
	c, err := Parse(builtin)
	if err != nil {
		return nil, fmt.Errorf("loading the built-in catalogue: %w", err)
	}
	return c, nil
}

// Parse reads a catalogue in the form of the built-in one. Unknown and duplicate keys,
// unknown sources and classes, and figures out of range are errors that name the model.
func Parse(data []byte) (*Catalog, error) {
	var f file
	if err := yaml.Load(data, &f, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("parsing the catalogue: %w", err)
	}
	c := &Catalog{byName: make(map[string]int, len(f.Models))}
	for i := range f.Models {
		m, err := f.model(&f.Models[i])
		if err != nil {
			return nil, fmt.Errorf("model %d (%q): %w", i+1, f.Models[i].Name, err)
		}
		if _, twice := c.byName[m.Name]; twice {
			return nil, fmt.Errorf("model %d (%q): name: used twice", i+1, m.Name)
		}
		c.byName[m.Name] = i
		c.models = append(c.models, m)
	}
	return c, nil
}

// Model returns the model of that name.
func (c *Catalog) Model(name string) (Model, bool) {
	i, ok := c.byName[name]
	if !ok {
		return Model{}, false
	}
	return c.models[i], true
}

// Names returns all names, sorted.
func (c *Catalog) Names() []string {
	names := make([]string, len(c.models))
	for i := range c.models {
		names[i] = c.models[i].Name
	}
	slices.Sort(names)
	return names
}

// Tier returns the model's tier of that name.
func (m *Model) Tier(name string) (Tier, bool) {
	for _, t := range m.Tiers {
		if t.Name == name {
			return t, true
		}
	}
	return Tier{}, false
}
