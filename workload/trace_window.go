package workload

// rowWindow sorts rows by instant, and rows of one instant by the order in which they
// came.
type rowWindow struct {
	rows   heap[placedRow, *placedRow]
	placed uint64
}

type placedRow struct {
	TraceRow
	place uint64
}

func (a *placedRow) before(b *placedRow) bool {
	return a.At < b.At || a.At == b.At && a.place < b.place
}

func (w *rowWindow) len() int { return len(w.rows) }

func (w *rowWindow) push(row TraceRow) {
	w.rows.push(placedRow{row, w.placed})
	w.placed++
}

// pop returns the earliest row. There must be one.
func (w *rowWindow) pop() TraceRow { return w.rows.pop().TraceRow }
