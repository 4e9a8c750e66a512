package scenario

import "reflect"

// Topics is what the requests of a profile are about.
type Topics struct {
	Count    *int    `yaml:"count" jsonschema:"required,minimum=1,maximum=100000" doc:"Number of different things that are asked about."`
	Skew     *Number `yaml:"skew" jsonschema:"maximum=10" doc:"Exponent of Zipf's law: the i-th topic comes up in proportion to i^-skew (default 0: all alike)."`
	Wordings *int    `yaml:"wordings" jsonschema:"minimum=1,maximum=100000" doc:"Ways in which a topic may be put (default 1)."`
}

// Cache is the client's cache of answers.
type Cache struct {
	Given, Off bool
	Form       cacheForm
}

type cacheForm struct {
	Similarity *Number   `yaml:"similarity" jsonschema:"exclusiveMinimum=0,maximum=1" doc:"Least cosine of two texts' vectors that makes one answer do for both (default 0.95); 1: equal texts alone."`
	TTL        *Duration `yaml:"ttl" jsonschema:"minimum=1ms,maximum=744h" doc:"Life of an answer from when it was given (default 1h)."`
	Entries    *Tokens   `yaml:"entries" jsonschema:"minimum=1,maximum=1000000" doc:"Answers that are kept, the latest used (default 10k)."`
}

func (v *Cache) shape() reflect.Type { return reflect.TypeFor[cacheForm]() }

func (v *Cache) decode(d *decoder, n *node, _ rules) {
	v.Given = true
	switch {
	case n.kind == mapNode:
		d.fields(n, reflect.ValueOf(&v.Form).Elem())
	case n.kind == scalarNode && (n.text == "on" || n.text == "true"):
	case n.kind == scalarNode && (n.text == "off" || n.text == "false"):
		v.Off = true
	default:
		d.add(n, problem{"not a cache", n.found(), "on, off, or a map with similarity, ttl and entries", "write on, or {similarity: 0.95, ttl: 1h}"})
	}
}

// RoutingSpec sends what is simple another way.
type RoutingSpec struct {
	Simple string `yaml:"simple" jsonschema:"required" doc:"Route, or model, for the requests of this route that are simple."`
	Hard   *Share `yaml:"hard" doc:"Share of the requests that are taken for hard; the threshold is calibrated to it on the workload (default 20%)."`
}
