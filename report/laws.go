package report

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// littleMax is the residual of Little's law beyond which a detail is told. Both sides
// are exact integers over the same run, so that they agree exactly unless
// an event was lost, doubled or misdated.
const littleMax = 1e-9

// laws holds the counters of INV-1, INV-2 and INV-6 over the whole run. They
// share nothing with the counters of the statistics.
type laws struct {
	backwards int64 // events before their predecessor

	// INV-1, by profile.
	submitted []int64
	endings   [][stack.NumEndings]int64

	// INV-2: area is the integral of the number in system over time, from events
	// alone; stay is the sum of the times in system, from results alone.
	inSystem    int64
	last        time.Duration
	area, stay  wide
	submittedAt wide // sum of the instants of submission, by events
	endedFrom   wide // sum of Result.Submitted

	// INV-6.
	sent          []int64 // attempts by key and model
	attempted     int64
	client429     int64
	client4xx     int64
	answered      int64 // successful attempts
	writes        int64 // writes that succeeded on the wire
	reported      tokens
	unknown       int64 // attempts whose outcome the client cannot know
	unknownTokens tokens
	priced        []tokens // those that have a price of their own, by key and model
}

func newLaws(profiles, pairs int) laws {
	return laws{
		submitted: make([]int64, profiles),
		endings:   make([][stack.NumEndings]int64, profiles),
		sent:      make([]int64, pairs),
		priced:    make([]tokens, pairs),
	}
}

// flow integrates the number in system up to now.
func (l *laws) flow(now time.Duration) {
	if now > l.last {
		l.area.addProduct(l.inSystem, now-l.last)
		l.last = now
	}
}

func (l *laws) submit(now time.Duration, profile int) {
	l.flow(now)
	l.inSystem++
	l.submitted[profile]++
	l.submittedAt.add(now)
}

func (l *laws) done(now time.Duration, profile int, res *stack.Result) {
	l.flow(now)
	l.inSystem--
	l.endings[profile][res.Ending]++
	l.stay.add(res.Ended - res.Submitted)
	l.endedFrom.add(res.Submitted)
	if res.Request.Write && res.Ending == stack.Succeeded && len(res.Steps) > 0 {
		l.writes++
	}
}

func (l *laws) attempt(pair int, o *stack.Outcome, billed *Bill, unknown bool) {
	l.attempted++
	if billed.priced() {
		l.priced[pair].addPriced(billed)
	}
	if unknown {
		l.unknown++
		l.unknownTokens.add(billed)
		return
	}
	l.reported.in += o.Usage.In
	l.reported.cached += o.Usage.Cached
	l.reported.out += o.Usage.Out
	if o.Kind == stack.Success {
		l.answered++
	}
	if o.Status >= 400 && o.Status < 500 {
		l.client4xx++
		if o.Status == 429 {
			l.client429++
		}
	}
}

// judge checks the laws at the end of a run.
func (l *laws) judge(s *Setup, run *Run, now time.Duration) Laws {
	l.flow(now)
	out := Laws{}
	residual := l.little(now)
	out.LittleResidual = Num(residual)
	conservation := l.conservation(s, run.InFlight)
	comparable := run.Books
	if run.Incomplete {
		comparable = nil
	}
	books := l.books(s, comparable)
	out.ConservationOK = len(conservation) == 0
	out.BooksAgree, out.NoBooks, out.Incomplete = len(books) == 0, comparable == nil, run.Incomplete
	out.Details = append(conservation, books...)
	if !(residual <= littleMax) {
		out.Details = append(out.Details, fmt.Sprintf("little: mean in system by events and by results differ by %.3g of it", residual))
	}
	if l.backwards > 0 {
		out.Details = append(out.Details, fmt.Sprintf("time went back %d times", l.backwards))
	}
	return out
}

// little returns |L - lambda W| / L: with T the length of the run, L = area/T and lambda W =
// (sum of the times in system)/T, where requests that have not ended count up to T.
func (l *laws) little(now time.Duration) float64 {
	area := l.area.big()
	// Those still in system have been there since instants that sum to submittedAt - endedFrom.
	rest := new(big.Int).Mul(big.NewInt(l.inSystem), big.NewInt(int64(now)))
	rest.Sub(rest, l.submittedAt.big())
	rest.Add(rest, l.endedFrom.big())
	stay := rest.Add(rest, l.stay.big())
	diff, _ := new(big.Float).SetInt(new(big.Int).Sub(area, stay)).Float64()
	whole, _ := new(big.Float).SetInt(area).Float64()
	if diff == 0 {
		return 0
	}
	if whole == 0 {
		return math.Inf(1)
	}
	return math.Abs(diff) / whole
}

// conservation checks submitted = endings + in flight for each profile and class.
func (l *laws) conservation(s *Setup, inFlight []int64) []string {
	var details []string
	var classSubmitted, classEnded [stack.NumClasses]int64
	for p, info := range s.Profiles {
		var ended int64
		for e, n := range l.endings[p] {
			if stack.Ending(e) != stack.EndingNone {
				ended += n
			}
		}
		if inFlight != nil {
			ended += inFlight[p]
		}
		if l.submitted[p] != ended {
			details = append(details, fmt.Sprintf("conservation: profile %s submitted %d, ended or in flight %d", info.Name, l.submitted[p], ended))
		}
		classSubmitted[info.Class] += l.submitted[p]
		classEnded[info.Class] += ended
	}
	for c := range classSubmitted {
		if classSubmitted[c] != classEnded[c] {
			details = append(details, fmt.Sprintf("conservation: class %v submitted %d, ended or in flight %d", stack.Class(c), classSubmitted[c], classEnded[c]))
		}
	}
	return details
}

// books compares with what the provider counted. What the client cannot know is
// bounded by the number of attempts it has no answer to.
func (l *laws) books(s *Setup, b *mockupstream.Books) []string {
	if b == nil {
		return nil
	}
	var details []string
	exact := func(what string, client, provider int64) {
		if client != provider {
			details = append(details, fmt.Sprintf("books: %s: client %d, provider %d", what, client, provider))
		}
	}
	var sent int64
	for _, n := range l.sent {
		sent += n
	}
	onWire := sent - l.attempted
	silent := l.unknown + onWire
	within := func(what string, client, provider, more int64) {
		if provider < client || provider > client+more {
			details = append(details, fmt.Sprintf("books: %s: client %d and at most %d it could not see, provider %d", what, client, more, provider))
		}
	}
	if s.Wall {
		// What went wrong on the way may have been seen by the provider, or not.
		within("attempts", sent-silent, b.Received, silent)
	} else {
		exact("attempts", sent, b.Received)
	}
	if !s.Wall || silent == 0 {
		l.pairs(s, b, exact)
	}
	exact("admitted, refused and faulted", b.Admitted+b.Refused+b.Faulted, b.Received)
	var refused429 int64
	for _, k := range b.Keys {
		refused429 += k.Refused429
	}
	within("429s", l.client429, refused429, silent)
	within("refusals", l.client4xx, b.Refused, silent)
	within("answers", l.answered, b.Admitted, silent)
	within("committed writes", l.writes, b.CommittedWrites, silent)

	billed := l.reported
	billed.plus(&l.unknownTokens)
	if s.Wall {
		l.wallBill(s, &billed, b, silent, exact)
	} else if onWire == 0 {
		exact("prompt tokens", billed.in, b.Billed.In)
		exact("cached tokens", billed.cached, b.Billed.Cached)
		exact("output tokens", billed.out, b.Billed.Out)
		l.tariffs(s, b, exact)
	}
	return details
}

// wallBill compares the bill of a run on the wall clock, in which the client knows what answers said:
// of attempts without one the provider may have billed more.
func (l *laws) wallBill(s *Setup, told *tokens, b *mockupstream.Books, silent int64, exact func(string, int64, int64)) {
	for _, t := range []struct {
		what             string
		client, provider int64
	}{
		{"prompt tokens", told.in, b.Billed.In},
		{"cached tokens", told.cached, b.Billed.Cached},
		{"output tokens", told.out, b.Billed.Out},
	} {
		if silent == 0 || t.provider < t.client {
			exact(t.what, t.client, t.provider)
		}
	}
	if silent == 0 {
		l.tariffs(s, b, exact)
	}
}

// tariffs compares the tokens that have a price of their own, of each key at each model
// and in all, so that the bill is the provider's own.
func (l *laws) tariffs(s *Setup, b *mockupstream.Books, exact func(string, int64, int64)) {
	compare := func(of string, t *tokens, u *mockupstream.Tariff) {
		exact("tokens written to the cache"+of, t.written, u.CacheWrite)
		exact("long prompt tokens"+of, t.longIn, u.Long.In)
		exact("long cached tokens"+of, t.longCached, u.Long.Cached)
		exact("long output tokens"+of, t.longOut, u.Long.Out)
		exact("long tokens written to the cache"+of, t.longWritten, u.LongCacheWrite)
	}
	var all tokens
	booked := make([]mockupstream.Tariff, len(l.priced))
	for i := range b.Keys {
		booked[b.Keys[i].Key*len(s.Models)+b.Keys[i].Model] = b.Keys[i].Tariff
	}
	for i := range l.priced {
		t := &l.priced[i]
		all.plus(t)
		if *t != (tokens{}) || booked[i] != (mockupstream.Tariff{}) {
			compare(fmt.Sprintf(" by key %s at %s", s.Keys[i/len(s.Models)], s.Models[i%len(s.Models)].Name), t, &booked[i])
		}
	}
	compare("", &all, &b.Tariff)
}

// pairs compares the attempts of each key at each model.
func (l *laws) pairs(s *Setup, b *mockupstream.Books, exact func(string, int64, int64)) {
	received := make([]int64, len(l.sent))
	for _, k := range b.Keys {
		received[k.Key*len(s.Models)+k.Model] += k.Received
	}
	for i, n := range received {
		if n != l.sent[i] {
			exact(fmt.Sprintf("attempts of key %s at %s", s.Keys[i/len(s.Models)], s.Models[i%len(s.Models)].Name), l.sent[i], n)
		}
	}
}

// join combines the verdicts of two runs.
func (l *Laws) join(o *Laws, seed uint64) {
	l.ConservationOK = l.ConservationOK && o.ConservationOK
	l.BooksAgree = l.BooksAgree && o.BooksAgree
	l.NoBooks = l.NoBooks || o.NoBooks
	l.Incomplete = l.Incomplete || o.Incomplete
	l.LittleResidual = max(l.LittleResidual, o.LittleResidual)
	for _, d := range o.Details {
		l.Details = append(l.Details, fmt.Sprintf("seed %d: %s", seed, d))
	}
}

func (l *laws) carry(t *tape, profiles, pairs int) {
	t.column(&l.submitted, profiles)
	fixed(t, &l.endings, profiles, func(of *[stack.NumEndings]int64) { t.each(of[:]) })
	t.sums(&l.area, &l.stay, &l.submittedAt, &l.endedFrom)
	t.spans(&l.last)
	t.counts(&l.backwards, &l.inSystem, &l.attempted, &l.client429, &l.client4xx, &l.answered, &l.writes, &l.unknown)
	t.column(&l.sent, pairs)
	fixed(t, &l.priced, pairs, func(c *tokens) { c.carry(t) })
	l.reported.carry(t)
	l.unknownTokens.carry(t)
}
