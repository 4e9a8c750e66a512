package litellm

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v4"
)

// MaxBytes bounds the size of a configuration.
const MaxBytes = 4 << 20

// config is a configuration as far as it is understood.
type config struct {
	file   string
	notes  []Note
	quiet  bool // nothing is noted: within a secret
	looked int  // values, see maxValues

	deployments []*deployment
	ids         map[string]*deployment // by model_info.id
	credentials map[string]int         // by what identifies them: never printed
	keyUses     []int                  // deployments of each credential
	references  map[string]bool        // to the environment, by credentials; never printed
	groups      map[string]int         // that are told by number, see shownGroup
	others      map[string]int         // providers that are told by number, see vendor
	settings    settings
}

// deployment is an entry of model_list.
type deployment struct {
	at       value
	group    string
	wildcard bool
	provider string // as LiteLLM names it, such as azure
	dialect  string // of the mock
	model    string // name at the provider; "" for a wildcard
	base     string // model_info.base_model
	mode     string // model_info.mode
	identity string // what tells its credential from others: never printed
	key      string // id in the scenario
	limits   []limit
	weight   int64   // -1: not set
	order    int64   // 0: not set
	parallel int64   // 0: not set
	input    float64 // USD per token
	output   float64
	priced   bool
}

// limit is a limit of a deployment by its key in a scenario.
type limit struct {
	key   string
	value int64
}

// limitOf returns a limit; 0: none.
func (d *deployment) limitOf(key string) int64 {
	for _, l := range d.limits {
		if l.key == key {
			return l.value
		}
	}
	return 0
}

// parse reads YAML. Its errors are of type [*Error].
func parse(file string, data []byte) (value, error) {
	wrong := func(problem string) error {
		return &Error{File: file, Problem: problem, Allowed: "the YAML configuration of a LiteLLM proxy, up to 4 MiB", Hint: "name the file that `litellm --config` takes"}
	}
	if len(data) > MaxBytes {
		return value{}, wrong("the file is too large for a configuration")
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return value{}, wrong("not YAML")
	}
	var doc yaml.Node
	if err := loader.Load(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return value{}, wrong("the file is empty")
		}
		e := &Error{File: file, Problem: "not YAML", Allowed: "YAML", Hint: "check the indentation (spaces, no tabs), colons, quotes and brackets of this line and the one before"}
		var le *yaml.LoadError
		if errors.As(err, &le) { // its message may quote the file
			e.Line, e.Column = le.Mark.Line, le.Mark.Column
		}
		return value{}, e
	}
	if len(doc.Content) != 1 {
		return value{}, wrong("the file is empty")
	}
	root := value{node: resolved(doc.Content[0])}
	switch {
	case root.node == nil:
		return value{}, wrong("not a map of settings")
	case root.node.Kind != yaml.MappingNode:
		return value{}, wrong("not a map of settings, but " + kindOf(root.node))
	}
	return root, nil
}

// kindOf says what a value is, without its text.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}

// read takes in the whole configuration.
func (c *config) read(root value) error {
	var models value
	for _, f := range c.fields(root) {
		switch f.key {
		case "model_list":
			models = f.value
		case "router_settings":
			c.settings.router = f.value
		case "litellm_settings":
			c.settings.module = f.value
		case "general_settings":
			c.settings.general = f.value
		case "environment_variables":
			c.note(f.value, "not read: environment variables have no part in a simulation")
		default:
			c.note(f.value, "unknown to import, or without a counterpart: left out")
		}
	}
	items := c.items(models)
	if len(items) == 0 {
		e := &Error{File: c.file, Path: "model_list", Problem: "no deployments", Allowed: "a list of at least one deployment with model_name and litellm_params", Hint: "models that are kept in a database are not in the file: list them"}
		if models.node != nil {
			e.Problem += ", but " + kindOf(models.node)
			e.Line, e.Column = models.node.Line, models.node.Column
		}
		return e
	}
	for _, item := range items {
		if err := c.deployment(item); err != nil {
			return err
		}
	}
	c.settings.read(c)
	if c.looked > maxValues {
		return &Error{File: c.file, Problem: "too many values, aliases expanded", Allowed: "up to 100000", Hint: "is it a LiteLLM configuration?"}
	}
	return nil
}
