package workload

import (
	"fmt"
	"time"
)

// rowGroup holds the rows of one instant while they are spread.
type rowGroup struct {
	rows  []TraceRow
	next  int
	span  time.Duration
	ahead TraceRow // the first row of the coming instant, if any
	has   bool
	err   error // what ended the rows
}

// spread returns the next row, moved away from those of its instant (Trace.Spread).
func (t *TraceReader) spread() (TraceRow, error) {
	if t.set.Spread == 0 {
		return t.ordered()
	}
	g := &t.group
	if g.next == len(g.rows) {
		if err := t.gather(); err != nil {
			return TraceRow{}, err
		}
	}
	row := g.rows[g.next]
	i, n := time.Duration(g.next), time.Duration(len(g.rows))
	row.At += g.span/n*i + g.span%n*i/n // span*i/n without overflow
	g.next++
	return row, nil
}

// gather reads the rows of the coming instant.
func (t *TraceReader) gather() error {
	g := &t.group
	g.rows, g.next = g.rows[:0], 0
	if !g.has {
		t.lookAhead()
	}
	if !g.has {
		return g.err
	}
	at := g.ahead.At
	for g.has && g.ahead.At == at {
		if len(g.rows) == maxGroup {
			return t.wrap(fmt.Errorf("more than %d rows share an instant, too many to spread", maxGroup))
		}
		g.rows = append(g.rows, g.ahead)
		t.lookAhead()
	}
	g.span = t.set.Spread
	if g.has {
		g.span = min(g.span, g.ahead.At-at)
	}
	return nil
}

func (t *TraceReader) lookAhead() {
	g := &t.group
	if g.err == nil {
		g.ahead, g.err = t.ordered()
	}
	g.has = g.err == nil
}
