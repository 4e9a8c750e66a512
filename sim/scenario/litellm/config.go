package litellm

import (
	"bytes"
	"errors"
	"io"
	"strconv"

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
	uses        map[string]*deployment // first of each credential and model; never printed
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
	provider string  // as LiteLLM names it, such as azure
	dialect  string  // of the mock
	model    string  // name at the provider; "" for a wildcard
	base     string  // model_info.base_model
	mode     string  // model_info.mode
	identity string  // what tells its credential from others: never printed
	key      string  // id in the scenario
	limits   []limit // that the dialect has
	rpm, tpm int64   // as LiteLLM counts them, tpm with answers; 0: not set
	weight   float64 // -1: not set
	order    int64   // 0: not set; it is the largest where others have one
	parallel int64   // 0: not set
	input    float64 // USD per token; -1: not set
	output   float64 // likewise
}

// limit is a limit of a deployment by its key in a scenario.
type limit struct {
	key   string
	value int64
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
	var doc, next yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) != 1:
		return value{}, wrong("the file is empty")
	case err != nil:
		return value{}, notYAML(file, err)
	}
	switch err := loader.Load(&next); {
	case errors.Is(err, io.EOF), err == nil && len(next.Content) == 1 && next.Content[0].Tag == "!!null":
	case err != nil:
		return value{}, notYAML(file, err)
	default:
		return value{}, &Error{
			File: file, Line: max(next.Line, 1), Column: max(next.Column, 1), Problem: "a second YAML document",
			Allowed: "one document", Hint: "remove the line of three dashes before it, or what is not the proxy's configuration",
		}
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

// notYAML says where the file is wrong. What the library says is not told: it may quote the file.
func notYAML(file string, err error) *Error {
	e := &Error{File: file, Problem: "not YAML", Allowed: "YAML", Hint: "check the indentation (spaces, no tabs), colons, quotes and brackets of this line and the one before"}
	var le *yaml.LoadError
	if errors.As(err, &le) {
		e.Line, e.Column = le.Mark.Line, le.Mark.Column
	}
	return e
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
		err := c.deployment(item)
		if tooMany := c.spent(); tooMany != nil {
			return tooMany // and that is why something is missing
		}
		if err != nil {
			return err
		}
	}
	c.settings.read(c)
	return c.spent()
}

// spent says that more values were looked at than may be.
func (c *config) spent() error {
	if c.looked <= maxValues {
		return nil
	}
	return &Error{File: c.file, Problem: "too many values, aliases expanded", Allowed: "up to " + strconv.Itoa(maxValues), Hint: "leave out the deployments that do not matter"}
}
