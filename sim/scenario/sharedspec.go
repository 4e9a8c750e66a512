package scenario

import "reflect"

// Shared has the instances of a stack keep one set of limits.
type Shared struct {
	Given bool
	Form  sharedForm
}

type sharedForm struct {
	Latency   *Duration `yaml:"latency" jsonschema:"maximum=1s" doc:"Way to the store and back, in virtual time (default 500us)."`
	Redis     string    `yaml:"redis" doc:"Where the store is, on the wall clock: redis://HOST:PORT/DB, or rediss:// for TLS; without it, in this process. No place for a password: that is in SIMLOAD_REDIS_PASSWORD, or in the URL of --redis."`
	CA        string    `yaml:"ca" doc:"PEM file of the authorities that the store's certificate is checked by ; else the system's hold."`
	Namespace *string   `yaml:"namespace" doc:"Of the keys in the store: 1 to 64 letters, digits, dots, dashes and underscores (default simload). Fleets that share nothing have different ones."`
	Lease     *Duration `yaml:"lease" jsonschema:"minimum=1s,maximum=10m" doc:"How long what a process holds lasts after it was heard last (default 15s)."`
	WhenGone  string    `yaml:"when_gone" jsonschema:"enum=closed,enum=open" doc:"While the store is gone: closed (default): nothing is sent. open: each instance goes on with an equal share of every limit."`
}

func (v *Shared) shape() reflect.Type { return reflect.TypeFor[sharedForm]() }

func (v *Shared) decode(d *decoder, n *node, _ rules) {
	switch {
	case n.kind == mapNode:
		v.Given = true
		d.fields(n, reflect.ValueOf(&v.Form).Elem())
	case n.kind == scalarNode && (n.text == "on" || n.text == "true"):
		v.Given = true
	case n.kind == scalarNode && (n.text == "off" || n.text == "false"):
	default:
		d.add(n, problem{"not a way to share", n.found(), "on, off, or a map with latency, redis and others", "write on, or {latency: 1ms}"})
	}
}
