package scenario

import (
	"reflect"
	"time"
)

// Number is a plain number of at least 0.
type Number float64

func (v *Number) decode(d *decoder, n *node, r rules) {
	if r.min == "" && r.above == "" {
		r.min = "0"
	}
	if r.max == "" && r.below == "" {
		r.max = "1e+09"
	}
	if f, ok := d.number(n, r); ok {
		*v = Number(f)
	}
}

// quantity is what distributions are made of.
type quantity interface{ Duration | Tokens | Number }

// base returns the quantity in the unit that a workload counts in: seconds for
// durations.
func base[T quantity](v T) float64 {
	if t, ok := any(v).(Duration); ok {
		return time.Duration(t).Seconds()
	}
	return float64(v)
}

// Dist is a distribution in the scenario's form: a constant, or a map with one of
// the keys of its form.
type Dist[T quantity] struct {
	form distForm[T]
}

type distForm[T quantity] struct {
	Constant    *T              `yaml:"constant" doc:"Always this value."`
	Uniform     *uniformForm[T] `yaml:"uniform" doc:"Every value between min and max is as likely."`
	Exponential *exponential[T] `yaml:"exponential" doc:"Exponential with this mean: the gaps of a Poisson process."`
	Lognormal   *lognormal[T]   `yaml:"lognormal" doc:"Log-normal, by its median and 95th percentile."`
	Empirical   *empiricalOf[T] `yaml:"empirical" doc:"One of the values, by weight."`
}

type uniformForm[T quantity] struct {
	Min T `yaml:"min" jsonschema:"required" doc:"Smallest value."`
	Max T `yaml:"max" jsonschema:"required" doc:"Largest value."`
}

type exponential[T quantity] struct {
	Mean T `yaml:"mean" jsonschema:"required,exclusiveMinimum=0" doc:"Mean."`
}

type lognormal[T quantity] struct {
	Median T `yaml:"median" jsonschema:"required,exclusiveMinimum=0" doc:"Median."`
	P95    T `yaml:"p95" jsonschema:"required,exclusiveMinimum=0" doc:"95th percentile, at least the median."`
}

type empiricalOf[T quantity] struct {
	Values  []T      `yaml:"values" jsonschema:"required" doc:"The values."`
	Weights []Number `yaml:"weights" doc:"A weight for each value; without it all weigh the same."`
}

func (v *Dist[T]) shape() reflect.Type { return reflect.TypeFor[distForm[T]]() }

func (v *Dist[T]) decode(d *decoder, n *node, r rules) {
	if n.kind == scalarNode && !n.null() {
		v.form.Constant = new(T)
		d.value(n, reflect.ValueOf(v.form.Constant).Elem(), rules{})
		return
	}
	kinds := fieldNames(v.shape())
	if n.kind != mapNode || (len(n.names) != 1 && !d.partial) {
		d.add(n, problem{
			"not a distribution", n.found(), "a value, or a map with one of " + list(kinds),
			"write for example {uniform: {min: 1, max: 2}} in the unit of the value",
		})
		return
	}
	before := len(d.list) + d.more
	d.fields(n, reflect.ValueOf(&v.form).Elem())
	if !d.partial && before == len(d.list)+d.more {
		v.check(d, n)
	}
}

// check looks at what the fields of a distribution must be to each other.
func (v *Dist[T]) check(d *decoder, n *node) {
	at := n.items[0]
	if at.null() {
		d.add(at, problem{"not a distribution", at.found(), "the parameters of " + n.names[0], "`simload schema` describes them"})
		return
	}
	switch f := v.form; {
	case f.Uniform != nil && f.Uniform.Min > f.Uniform.Max:
		d.add(at.child("min"), problem{"min is larger than max", at.child("min").found(), "up to max, " + at.child("max").found(), "exchange them"})
	case f.Lognormal != nil && f.Lognormal.P95 < f.Lognormal.Median:
		d.add(at.child("p95"), problem{
			"the 95th percentile is smaller than the median", at.child("p95").found(), "at least the median, " + at.child("median").found(), "exchange them",
		})
	case f.Empirical != nil:
		v.checkEmpirical(d, at)
	}
}

func (v *Dist[T]) checkEmpirical(d *decoder, at *node) {
	e := v.form.Empirical
	if len(e.Values) == 0 {
		d.add(at.child("values"), problem{"no values", at.child("values").found(), "a list of at least one value", "add a value"})
		return
	}
	if e.Weights == nil {
		return
	}
	w := at.child("weights")
	if len(e.Weights) != len(e.Values) {
		d.add(w, problem{"not a weight for each value", w.found(), at.child("values").found(), "give as many weights as values"})
		return
	}
	for _, weight := range e.Weights {
		if weight > 0 {
			return
		}
	}
	d.add(w, problem{"all weights are 0", w.found(), "at least one weight above 0", "raise a weight"})
}

// given reports whether the distribution was in the file.
func (v *Dist[T]) given() bool { return v.form != distForm[T]{} }
