package fit

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Bounds of what is fitted.
const (
	// MinRows is the least number of requests that a fit is made of.
	MinRows = 20
	// MaxRows bounds the memory that a trace takes.
	MaxRows = 5_000_000
	// MaxLength is the longest that a run may be, and so what a trace may be that becomes one.
	MaxLength = 744 * time.Hour
)

// ErrRows is what the errors about the number of requests wrap; ErrFew and ErrMany are such.
var (
	ErrRows = errors.New("not a number of requests that a fit can be made of")
	ErrFew  = fmt.Errorf("%w: too few", ErrRows)
	ErrMany = fmt.Errorf("%w: too many", ErrRows)
)

// Trace is a recording in memory, or a part of one.
type Trace struct {
	Rows   []workload.TraceRow // by instant; the first is at 0
	Counts workload.TraceCounts
	// Length is the time that the rows stand for: up to the last one, and a mean gap more.
	Length time.Duration
}

// Read reads the rows of a trace from an instant on, so long as given (0: to its end). The
// error is the reader's, or wraps [ErrFew] if the rows are fewer than [MinRows], [ErrMany] if more than
// [MaxRows], or [ErrRows] if all are at one instant.
func Read(r *workload.TraceReader, from, length time.Duration) (*Trace, error) {
	t := &Trace{}
	for {
		row, ok := r.Next()
		if !ok || length > 0 && row.At >= from && row.At-from >= length {
			break
		}
		if row.At < from {
			continue
		}
		if len(t.Rows) == MaxRows {
			return nil, fmt.Errorf("%w: more than %d", ErrMany, MaxRows)
		}
		t.Rows = append(t.Rows, row)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	t.Counts = r.Counts()
	if len(t.Rows) < MinRows {
		return nil, fmt.Errorf("%w: %d, at least %d are needed", ErrFew, len(t.Rows), MinRows)
	}
	first, last := t.Rows[0].At, t.Rows[len(t.Rows)-1].At
	if first == last {
		return nil, fmt.Errorf("%w: all %d at one instant", ErrRows, len(t.Rows))
	}
	for i := range t.Rows {
		t.Rows[i].At -= first
	}
	t.Length = last - first + (last-first)/time.Duration(len(t.Rows)-1)
	return t, nil
}

// Instants returns the instants of the requests.
func (t *Trace) Instants() []time.Duration {
	at := make([]time.Duration, len(t.Rows))
	for i := range t.Rows {
		at[i] = t.Rows[i].At
	}
	return at
}

// Peak returns the largest number of requests in a minute of the clock that starts with the
// trace, and the largest number of tokens, where each request counts its prompt and as much
// as it may be answered at most.
func (t *Trace) Peak(maxOut int64) (requests, tokens int64) {
	for i := 0; i < len(t.Rows); {
		minute := t.Rows[i].At / time.Minute
		n, sum := int64(0), int64(0)
		for ; i < len(t.Rows) && t.Rows[i].At/time.Minute == minute; i++ {
			n++
			sum += t.Rows[i].In + maxOut
		}
		requests, tokens = max(requests, n), max(tokens, sum)
	}
	return requests, tokens
}
