package fit

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// leastDraws is how many times are drawn to be compared with measured ones, so that chance has
// little part in their 99th percentile.
const leastDraws = 20_000

// compare draws times for the measured calls.
func (l *Latency) compare(calls []Call) {
	rng := rand.New(rand.NewPCG(1, uint64(len(calls))))
	var first, total [2][]float64
	for _, c := range calls {
		first[0], total[0] = append(first[0], c.First.Seconds()), append(total[0], c.Total.Seconds())
		for range (leastDraws + len(calls) - 1) / len(calls) {
			f := (l.Base.Seconds() + l.PerPromptToken.Seconds()*float64(c.In)) * l.FirstToken.factor(rng.NormFloat64())
			rest := l.PerOutputToken.Seconds() * float64(max(c.Out-1, 0)) * l.Output.factor(rng.NormFloat64())
			first[1], total[1] = append(first[1], f), append(total[1], f+rest)
		}
	}
	l.First, l.Total = newTiming(first), newTiming(total)
}

func newTiming(times [2][]float64) Timing {
	t := Timing{}
	measured, fitted := newShares(times[0], equal(len(times[0]))), newShares(times[1], equal(len(times[1])))
	for _, share := range Shares {
		t.At = append(t.At, Pair{measured.at(share), fitted.at(share)})
	}
	t.Sorted = [2][]float64{measured.values, fitted.values}
	t.KS = KS(measured.values, fitted.values)
	return t
}

// FitLatencies fits each model that has [MinRows] calls, the one with the most calls first.
// It returns an error that wraps [ErrCalls] if none has. Few tells how many calls of other
// models were left out.
func FitLatencies(calls []Call) (fits []*Latency, few int, err error) {
	byModel := map[string][]Call{}
	for _, c := range calls {
		byModel[c.Model] = append(byModel[c.Model], c)
	}
	names := make([]string, 0, len(byModel))
	for name := range byModel {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := len(byModel[b]) - len(byModel[a]); d != 0 {
			return d
		}
		return cmp.Compare(a, b)
	})
	for _, name := range names {
		if len(byModel[name]) < MinRows && len(fits) > 0 {
			few += len(byModel[name])
			continue
		}
		l, err := FitLatency(name, byModel[name])
		if err != nil {
			return nil, 0, err
		}
		fits = append(fits, l)
	}
	if len(fits) == 0 {
		return nil, 0, ErrCalls
	}
	return fits, few, nil
}

// CallKind returns the tokens of calls as distributions.
func CallKind(name string, calls []Call) Kind {
	var in, out []int64
	for _, c := range calls {
		in, out = append(in, max(c.In, 1)), append(out, max(c.Out, 1))
	}
	return Kind{Name: name, Requests: int64(len(calls)), In: FitLengths(in), Out: FitLengths(out)}
}

// micro is the least time that a measurement may have.
const micro = time.Microsecond
