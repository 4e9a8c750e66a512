// Package limit holds the concurrency controllers: how many requests may be in
// flight at one target.
//
// A controller sees successes with a latency signal, failures that mean overload,
// and whether the limit was reached at all. It knows no clock; every call takes
// the instant. To add one, write a file with a type that implements [Controller],
// and a line in the registry.
package limit

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Controller decides how many requests may be in flight.
type Controller interface {
	// Limit returns the present limit, at least 1.
	Limit() int
	// Busy tells that the limit was reached: without it the limit is not what
	// binds, and a good controller does not raise it (INV-24).
	Busy(now time.Duration)
	// Success reports a request sent at sent that succeeded, with its signal.
	Success(now, sent, signal time.Duration)
	// Failure reports a request sent at sent whose failure means overload.
	Failure(now, sent time.Duration)
	// Counts returns how often the limit was raised and lowered.
	Counts() (raised, lowered int64)
}

// Config holds the parameters of all controllers; see stack.ConcurrencyConfig for
// their meaning. "static" uses Start alone, "aimd" all; "gradient2" and "vegas" judge the
// mean of all successes of an Interval, at least MinSamples, and use neither Samples, Low nor
// IncreasePercent, and "vegas" not High either.
type Config struct {
	Start, Min, Max     int
	Interval            time.Duration
	Low, High           time.Duration
	Samples, MinSamples int
	IncreasePercent     int
	DecreasePercent     int
}

var registry = map[string]func(Config) Controller{
	"static":    func(c Config) Controller { return static{c.Start} },
	"aimd":      func(c Config) Controller { return newAIMD(c) },
	"gradient2": func(c Config) Controller { return newGradient2(c) },
	"vegas":     func(c Config) Controller { return newVegas(c) },
}

// Names returns the registered names in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(registry))
	for n := range registry {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// New returns a new controller by name.
func New(name string, c Config) (Controller, error) {
	f, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown controller %q (allowed: %s)", name, strings.Join(Names(), ", "))
	}
	return f(c), nil
}

// static never moves.
type static struct{ limit int }

func (s static) Limit() int                    { return s.limit }
func (static) Busy(time.Duration)              {}
func (static) Success(_, _, _ time.Duration)   {}
func (static) Failure(_, _ time.Duration)      {}
func (static) Counts() (raised, lowered int64) { return 0, 0 }
