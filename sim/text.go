package sim

import (
	"errors"
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/complexity"
	"github.com/seed-4fd17b57/simload/workload"
)

// calibration is how many requests the thresholds of routing are found on.
const calibration = 5000

// reads reports whether the stack looks at what is asked: only then is it written out.
func reads(set *scenario.Built) bool {
	return set.Stack.Cache != nil || len(set.Hard) > 0
}

// topic is what is asked, in whatever words: what an answer in the cache is the answer to.
type topic struct {
	profile int
	id      uint64
}

func meaning(d *workload.Demand) topic {
	if d.Topic == 0 {
		return topic{d.Profile, d.ID}
	}
	return topic{d.Profile, d.Topic}
}

// request is a demand as its stack is to see it.
func (r *run) request(j *job, tag uint32) stack.Request {
	d := &j.demand
	info := &r.set.Profiles[d.Profile]
	req := stack.Request{
		ID: stack.RequestID(d.ID), Tag: uint64(tag), Agent: d.Client, Class: info.Class, Route: info.Route,
		Kind: info.Kind, Write: d.Write, EstIn: d.EstIn, MaxOut: d.MaxOut, Summarised: j.hold.summarised,
	}
	if r.reads && j.hold.waiter == 0 {
		// A profile has its own system prompt and parameters.
		req.Text, req.Params = d.Text(), uint64(d.Profile)+1
	}
	return req
}

// calibrate finds the threshold of each routed route on the beginning of the workload, as somebody would on a
// log of yesterday's: from a workload of its own, so that the run's is not drawn on.
func calibrate(set *scenario.Built) error {
	if len(set.Hard) == 0 {
		return nil
	}
	w, err := workload.New(set.Workload)
	if err != nil {
		return err
	}
	rules, err := complexity.New(complexity.Default())
	if err != nil {
		return errors.Join(err, w.Close())
	}
	scores := make([][]float64, len(set.Stack.Routes))
	for n, drawn := 0, true; n < calibration && drawn; {
		drawn = false
		for s := 0; s < w.Sources() && n < calibration; s++ {
			d, ok := w.Next(s)
			if !ok {
				continue
			}
			drawn = true
			n++
			route := set.Profiles[d.Profile].Route
			scores[route] = append(scores[route], rules.Score(complexity.Features{Tokens: d.EstIn, Text: d.Text()}))
		}
	}
	for i := range set.Stack.Routes {
		r := set.Stack.Routes[i].Routing
		if r == nil || len(scores[i]) == 0 {
			continue
		}
		if r.Threshold, err = complexity.Calibrate(scores[i], set.Hard[i]); err != nil {
			return errors.Join(fmt.Errorf("calibrating route %s: %w", set.Stack.Routes[i].Name, err), w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("closing the workload: %w", err)
	}
	return nil
}
