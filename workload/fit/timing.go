package fit

import (
	"cmp"
	"fmt"
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

// byModel returns the calls of each model, and the models, the one with the most calls first.
func byModel(calls []Call) (of map[string][]Call, names []string) {
	of = map[string][]Call{}
	for _, c := range calls {
		if of[c.Model] == nil {
			names = append(names, c.Model)
		}
		of[c.Model] = append(of[c.Model], c)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(len(of[b])-len(of[a]), cmp.Compare(a, b))
	})
	return of, names
}

// FitLatencies fits each model that has [MinRows] calls, the one with the most calls first.
// It returns an error that wraps [ErrCalls] if none has. Few tells how many calls of other
// models were left out.
func FitLatencies(calls []Call) (fits []*Latency, few int, err error) {
	of, names := byModel(calls)
	for _, name := range names {
		if len(of[name]) < MinRows && len(fits) > 0 {
			few += len(of[name])
			continue
		}
		l, err := FitLatency(name, of[name])
		if err != nil {
			return nil, 0, err
		}
		fits = append(fits, l)
	}
	if len(fits) == 0 {
		_, err = FitLatency("", nil)
		return nil, 0, err
	}
	return fits, few, nil
}

// listed is how many models an error names.
const listed = 6

// FitLatencyOf fits the calls of a model; where all calls are of one model, whatever its name, those. It
// returns an error that wraps [ErrModels] if they are of several others, and the errors of [FitLatency]. Others
// tells how many calls of other models were left out.
func FitLatencyOf(model string, calls []Call) (l *Latency, others int, err error) {
	of, names := byModel(calls)
	if len(names) == 1 {
		model = names[0]
	}
	if len(names) > 1 && of[model] == nil {
		text := ""
		for _, name := range names[:min(len(names), listed)] {
			text += fmt.Sprintf(", %q (%d)", name, len(of[name]))
		}
		if len(names) > listed {
			text += fmt.Sprintf(" and %d more", len(names)-listed)
		}
		return nil, 0, fmt.Errorf("%w: %s", ErrModels, text[2:])
	}
	l, err = FitLatency(model, of[model])
	return l, len(calls) - len(of[model]), err
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
