package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Cargo names a scenario that was given to a store, with its traces, for machines that have none of its files.
type Cargo struct {
	Name string `json:"name"` // of the scenario
	// Name of its file, which stands in messages, its text by hash, its overrides, and its traces.
	File     string   `json:"file"`
	Scenario string   `json:"scenario_sha256"`
	Sets     []string `json:"sets"`
	Traces   []Trace  `json:"traces"`
}

// Trace is the content of a trace, by hash.
type Trace struct {
	Path   string `json:"path"` // as the scenario resolves it
	SHA256 string `json:"sha256"`
}

// Load writes the text of a scenario and the content of its traces to a store.
func Load(ctx context.Context, store *bus.Store, sc *scenario.Scenario) (c Cargo, err error) {
	c.Name, c.File, c.Sets = sc.Name(), sc.File, sc.Sets
	if c.Scenario, err = store.PutBlob(ctx, sc.Text()); err != nil {
		return c, err
	}
	for _, path := range sc.Traces() {
		data, err := readTrace(sc, path)
		if err != nil {
			return c, err
		}
		hash, err := store.PutBlob(ctx, data)
		if err != nil {
			return c, err
		}
		c.Traces = append(c.Traces, Trace{path, hash})
	}
	return c, nil
}

func readTrace(sc *scenario.Scenario, path string) (data []byte, err error) {
	f, err := sc.OpenTrace(path)
	if err != nil {
		return nil, fmt.Errorf("reading a trace: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if data, err = io.ReadAll(f); err != nil {
		return nil, fmt.Errorf("reading trace %s: %w", path, err)
	}
	return data, nil
}

// Unload makes the scenario again, from the store alone. What is wrong with the scenario is a [scenario.Errors].
func (c *Cargo) Unload(ctx context.Context, store *bus.Store) (*scenario.Scenario, error) {
	text, err := store.Blob(ctx, c.Scenario)
	if err != nil {
		return nil, err
	}
	traces := make(map[string][]byte, len(c.Traces))
	for _, t := range c.Traces {
		if traces[t.Path], err = store.Blob(ctx, t.SHA256); err != nil {
			return nil, err
		}
	}
	return scenario.ParseWith(c.File, text, c.Sets, carried(traces))
}
