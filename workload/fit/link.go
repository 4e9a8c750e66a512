package fit

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

const (
	// block is how coarse a Mooncake trace tells prefixes, in tokens.
	block = 512
	// growing is the share of the requests of named sessions whose prompt is at least as long as
	// the one before it, from which on sessions are taken to be conversations. It is about half
	// where prompts have nothing to do with each other.
	growing = 0.8
	// minGoOn is the least number, and leastGoOn the least share of the requests, that go on from another
	// one for sessions to be fitted.
	minGoOn   = 20
	leastGoOn = 0.01
	// mostMissing bounds how many unseen continuations a seen one may stand for.
	mostMissing = 4
)

// Links says which requests of a trace go on from each other: each has the prompt of the one
// before it, and more.
type Links struct {
	// Sessions are the indices of the rows of each session, in order; every row is in one.
	Sessions [][]int
	GoOn     int // rows that go on from another
	// Guessed: the trace names sessions but does not tell what their prompts have in common.
	Guessed bool
	// Unrelated is the share of the requests of named sessions with a shorter prompt than the
	// one before, where it is so large that sessions are no conversations; else 0.
	Unrelated float64
	grain     int64 // tokens in which prefixes are told
	instants  []time.Duration
}

// linkKey is what requests that go on from each other have in common.
type linkKey struct {
	conversation uint64
	name         string
}

// Link finds the sessions of a trace. Where the format tells conversations (Mooncake's blocks, the
// tasks of an events log), a request goes on from the one before it of the same conversation and
// name, if at least half of that one's prompt is known from before. Where it names sessions only,
// a request goes on from the one before it in its session unless its prompt is shorter; but if
// more than a fifth are, the prompts of a session are taken to have nothing to do with each other.
func Link(t *Trace) *Links {
	l := &Links{grain: 1}
	if t.Counts.Format == workload.FormatMooncake {
		l.grain = block
	}
	for i := range t.Rows {
		l.instants = append(l.instants, t.Rows[i].At)
	}
	if slices.ContainsFunc(t.Rows, func(r workload.TraceRow) bool { return r.Conversation != 0 }) {
		l.link(t.Rows, func(r *workload.TraceRow) uint64 { return r.Conversation }, l.told)
	} else if l.named(t.Rows) {
		l.Guessed = true
		l.link(t.Rows, session, longer)
	}
	if l.GoOn < minGoOn || float64(l.GoOn) < leastGoOn*float64(len(t.Rows)) {
		l.alone(len(t.Rows))
	}
	return l
}

// alone makes a session of each row.
func (l *Links) alone(n int) {
	l.Sessions, l.GoOn, l.Guessed = nil, 0, false
	for i := range n {
		l.Sessions = append(l.Sessions, []int{i})
	}
}

// session is the number of a row's named session; 0: none.
func session(r *workload.TraceRow) uint64 {
	if !r.HasSession {
		return 0
	}
	return r.Session | 1<<63 // an agent may be number 0
}

// told reports whether a row goes on from one of its conversation.
func (l *Links) told(before, r *workload.TraceRow) bool {
	slack := l.grain - 1
	return r.In+slack >= before.In && r.Prefix > 0 && 2*(r.Prefix+slack) >= before.In
}

func longer(before, r *workload.TraceRow) bool { return r.In >= before.In }

// named reports whether the requests of named sessions look like conversations.
func (l *Links) named(rows []workload.TraceRow) bool {
	last := map[linkKey]int64{}
	pairs, longer := 0, 0
	for i := range rows {
		r := &rows[i]
		if !r.HasSession {
			continue
		}
		key := linkKey{r.Session, r.Model}
		if before, ok := last[key]; ok {
			pairs++
			if r.In >= before {
				longer++
			}
		}
		last[key] = r.In
	}
	if pairs < minGoOn {
		return false
	}
	share := float64(longer) / float64(pairs)
	if share < growing {
		l.Unrelated = 1 - share
	}
	return share >= growing
}

// link puts rows into sessions by what they belong to (0: nothing) and whether one goes on from
// the one before it there.
func (l *Links) link(rows []workload.TraceRow, of func(*workload.TraceRow) uint64, goesOn func(before, r *workload.TraceRow) bool) {
	at := map[linkKey]int{} // session that is under way
	for i := range rows {
		r := &rows[i]
		key := linkKey{of(r), r.Model}
		s, ok := at[key]
		if ok && key.conversation != 0 && goesOn(&rows[l.Sessions[s][len(l.Sessions[s])-1]], r) {
			l.Sessions[s] = append(l.Sessions[s], i)
			l.GoOn++
			continue
		}
		at[key] = len(l.Sessions)
		l.Sessions = append(l.Sessions, []int{i})
	}
}

// growth is how many tokens a request adds to the prompt of the one before it.
func (l *Links) growth(before, r *workload.TraceRow) int64 {
	common := before.In
	if !l.Guessed { // at a cap of the context old tokens make room, so less is in common
		common = min(common, r.Prefix+l.grain-1)
	}
	return max(r.In-common, 0)
}

// known is the share of the prompts' tokens that is known from before: what the recording tells, or
// where it is guessed, the prompts that requests go on from.
func (l *Links) known(rows []workload.TraceRow) float64 {
	if !l.Guessed {
		return known(rows, l.grain)
	}
	in, prefix := 0.0, 0.0
	for _, s := range l.Sessions {
		for n, i := range s {
			in += float64(rows[i].In)
			if n > 0 {
				prefix += float64(rows[s[n-1]].In)
			}
		}
	}
	return prefix / max(in, 1)
}

// stands is how many continuations one that was seen after a gap stands for: a recording ends
// before some of them come, the more so the longer they take (Horvitz and Thompson, "A generalization
// of sampling without replacement from a finite universe", 1952).
func (l *Links) stands(gap time.Duration) float64 {
	end := l.instants[len(l.instants)-1] - gap
	seen := sort.Search(len(l.instants), func(i int) bool { return l.instants[i] > end })
	return float64(len(l.instants)) / max(float64(seen), float64(len(l.instants))/mostMissing)
}

// ends returns the share of sessions that have one request, two, and so on, as it would be without
// the recording's end: from the chances to go on after each.
func (l *Links) ends(rows []workload.TraceRow, of [][]int) []float64 {
	var begun, goOn []float64 // sessions that had a round, and that would have gone on from it
	for _, s := range of {
		for k, i := range s {
			if k == len(begun) {
				begun, goOn = append(begun, 0), append(goOn, 0)
			}
			begun[k]++
			if k+1 < len(s) {
				goOn[k] += l.stands(rows[s[k+1]].At - rows[i].At)
			}
		}
	}
	out, left := make([]float64, len(begun)), 1.0
	for k := range begun {
		chance := min(goOn[k]/begun[k], 1)
		out[k] = left * (1 - chance)
		left *= chance
	}
	return out
}

// rounds is ends as a distribution. Counts are per 100 000.
func (l *Links) rounds(rows []workload.TraceRow, of [][]int) Lengths {
	var values, weights []int64
	for k, share := range l.ends(rows, of) {
		if n := int64(1e5*share + 0.5); n > 0 {
			values, weights = append(values, int64(k+1)), append(weights, n)
		}
	}
	if len(values) == 0 {
		return Lengths{Values: []int64{1}, Counts: []int64{1}}
	}
	return fitWeighted(values, weights)
}

// sizeClass is a class of sessions by their requests.
type sizeClass struct {
	suffix   string
	most     int // requests
	sessions [][]int
	share    float64 // of all sessions
}

// bySize divides sessions by their requests: those of few grow in other ways than those of many. A
// class of too few is put to the next.
func (l *Links) bySize(rows []workload.TraceRow, of [][]int) []sizeClass {
	classes := []sizeClass{{suffix: "-single", most: 1}, {suffix: "-short", most: 3}, {suffix: "-long", most: math.MaxInt}}
	for _, s := range of {
		i := slices.IndexFunc(classes, func(c sizeClass) bool { return len(s) <= c.most })
		classes[i].sessions = append(classes[i].sessions, s)
	}
	for k, share := range l.ends(rows, of) {
		i := slices.IndexFunc(classes, func(c sizeClass) bool { return k+1 <= c.most })
		classes[i].share += share
	}
	for i := 0; i < len(classes) && len(classes) > 1; {
		if c := classes[i]; len(c.sessions) < minOfBand {
			classes = slices.Delete(classes, i, i+1)
			to := min(i, len(classes)-1) // the next one, or the one before the last
			classes[to].sessions = append(classes[to].sessions, c.sessions...)
			classes[to].share += c.share
			continue
		}
		i++
	}
	if len(classes) == 1 {
		classes[0].suffix = ""
	}
	return classes
}

// byFirst sorts sessions by their first prompt.
func byFirst(rows []workload.TraceRow, sessions [][]int) [][]int {
	sorted := slices.Clone(sessions)
	slices.SortStableFunc(sorted, func(a, b []int) int { return cmp.Compare(rows[a[0]].In, rows[b[0]].In) })
	return sorted
}
