package scenario

import (
	"reflect"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// Noise is the factor by which a time varies from call to call: log-normal of median 1 with this
// standard deviation of its logarithm, or a distribution by some of its points.
type Noise struct {
	Sigma *Number
	Form  noiseForm
}

type noiseForm struct {
	Shares  []Number `yaml:"shares" jsonschema:"required" doc:"Shares of the calls, rising from 0 to 1, two at least."`
	Factors []Number `yaml:"factors" jsonschema:"required" doc:"The factor that so many calls do not exceed, for each share, up to 1000000. Straight lines join them; beyond the first and the last it is theirs."`
}

func (v *Noise) shape() reflect.Type { return reflect.TypeFor[noiseForm]() }

func (v *Noise) decode(d *decoder, n *node, _ rules) {
	switch n.kind {
	case scalarNode:
		v.Sigma = new(Number)
		v.Sigma.decode(d, n, rules{min: "0", max: "5"})
	case mapNode:
		before := len(d.list) + d.more
		d.fields(n, reflect.ValueOf(&v.Form).Elem())
		if !d.partial && before == len(d.list)+d.more {
			v.check(d, n)
		}
	default:
		d.add(n, problem{"not a noise", n.found(), "a number, or a map with shares and factors", "write 0.3, or {shares: [0, 0.5, 0.95, 1], factors: [0.7, 1, 1.6, 3]}"})
	}
}

// check looks at what shares and factors must be to each other.
func (v *Noise) check(d *decoder, n *node) {
	shares, factors := n.child("shares"), n.child("factors")
	switch {
	case len(v.Form.Shares) < 2:
		d.add(shares, problem{"too few points", shares.found(), "a list of at least two", "write a number for log-normal noise"})
		return
	case len(v.Form.Shares) != len(v.Form.Factors):
		d.add(factors, problem{"not a factor for each share", factors.found(), shares.found(), "give as many factors as shares"})
		return
	}
	for i := range v.Form.Shares {
		share, factor := shares.items[i], factors.items[i]
		switch {
		case v.Form.Shares[i] > 1:
			d.add(share, problem{"more than all calls", share.found(), "0 to 1", "write 0.95 for 95 %"})
		case i > 0 && v.Form.Shares[i] <= v.Form.Shares[i-1]:
			d.add(share, problem{"shares out of order", share.found(), "above the share before it, " + shares.items[i-1].found(), "sort the points by share"})
		}
		switch {
		case v.Form.Factors[i] > 1e6:
			d.add(factor, problem{"too large a factor", factor.found(), "0 to 1000000", "lower it"})
		case i > 0 && v.Form.Factors[i] < v.Form.Factors[i-1]:
			d.add(factor, problem{"factors out of order", factor.found(), "at least the factor before it, " + factors.items[i-1].found(), "raise it: what more calls do not exceed is not less"})
		}
	}
}

// onto sets the noise of a latency; nil leaves it.
func (v *Noise) onto(sigma *float64, measured **mockupstream.Factors) {
	switch {
	case v == nil:
	case v.Sigma != nil:
		*sigma, *measured = float64(*v.Sigma), nil
	default:
		*sigma, *measured = 0, &mockupstream.Factors{Shares: floats(v.Form.Shares), Values: floats(v.Form.Factors)}
	}
}

func floats(list []Number) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}
