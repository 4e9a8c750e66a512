package scenario

import "reflect"

// Summaries has long conversations summarised.
type Summaries struct {
	Given bool
	Form  summariesForm
}

type summariesForm struct {
	Model   string    `yaml:"model" jsonschema:"required" doc:"Route, or model, that writes the summaries."`
	Output  Tokens    `yaml:"output" jsonschema:"required,minimum=1,maximum=1000000" doc:"Length of a summary."`
	MaxWait *Duration `yaml:"max_wait" jsonschema:"maximum=24h" doc:"Longest wait for a summary (default 1m); 0s: no end. Then, or when it fails, what it was to be of is lost."`
	Keep    *Percent  `yaml:"keep" jsonschema:"minimum=1,maximum=100" doc:"What is left of a prompt that has outgrown its cap, in percent of the cap, the summary included (default 50%). Smaller: more is lost at a time. Larger: the next summary is due sooner."`
}

func (v *Summaries) shape() reflect.Type { return reflect.TypeFor[summariesForm]() }

func (v *Summaries) decode(d *decoder, n *node, _ rules) {
	switch {
	case n.kind == mapNode:
		v.Given = true
		d.fields(n, reflect.ValueOf(&v.Form).Elem())
	case n.kind == scalarNode && (n.text == "off" || n.text == "false"):
	default:
		d.add(n, problem{"not summaries", n.found(), "off, or a map with model, output and keep", "write {model: gpt-4.1-nano, output: 500}"})
	}
}
