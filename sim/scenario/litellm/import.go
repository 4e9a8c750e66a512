package litellm

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// Result is a scenario and what to know about it.
type Result struct {
	YAML   []byte
	Notes  []Note // in the order of the configuration
	Models int    // of the scenario
	Keys   int
}

// Import turns a configuration into a scenario. File is its name for messages. An error about
// the configuration is of type [*Error]; it holds no text of the file.
func Import(file string, data []byte) (*Result, error) {
	models, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	return importWith(models, file, data)
}

// importWith is Import with a catalogue that is loaded already.
func importWith(models *catalog.Catalog, file string, data []byte) (*Result, error) {
	root, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	c := &config{
		file: file, ids: map[string]*deployment{}, credentials: map[string]int{}, references: map[string]bool{},
		uses: map[string]*deployment{}, groups: map[string]int{}, others: map[string]int{},
	}
	if err := c.read(root); err != nil {
		return nil, err
	}
	if len(c.deployments) == 0 {
		return nil, &Error{File: file, Path: "model_list", Problem: "no deployment is a chat model", Allowed: "at least one deployment whose model_info.mode is chat, or is not set", Hint: "embeddings, images and sound are not simulated"}
	}
	w := writer{config: c, models: models, targets: c.targets()}
	if err := c.fits(w.targets); err != nil {
		return nil, err
	}
	c.nameTargets(w.targets)
	w.first = firsts(c.deployments)
	w.routes = c.routes(w.targets)
	yaml := w.scenario()
	keys := 0
	for _, t := range w.targets {
		keys += len(t.deployments)
	}
	return &Result{YAML: yaml, Notes: c.sortedNotes(), Models: len(w.targets), Keys: keys}, nil
}

// seconds writes a number of seconds as a duration.
func seconds(s float64) string {
	if s == float64(int64(s)) {
		return fmt.Sprintf("%ds", int64(s))
	}
	return fmt.Sprintf("%dms", max(int64(s*1000+0.5), 1))
}
