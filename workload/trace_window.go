package workload

// rowWindow sorts rows by instant, and rows of one instant by the order in which they
// came: a binary heap.
type rowWindow struct {
	heap   []placedRow
	placed uint64
}

type placedRow struct {
	TraceRow
	place uint64
}

func (a *placedRow) before(b *placedRow) bool {
	return a.At < b.At || a.At == b.At && a.place < b.place
}

func (w *rowWindow) len() int { return len(w.heap) }

func (w *rowWindow) push(row TraceRow) {
	w.heap = append(w.heap, placedRow{row, w.placed})
	w.placed++
	for i := len(w.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !w.heap[i].before(&w.heap[up]) {
			return
		}
		w.heap[i], w.heap[up] = w.heap[up], w.heap[i]
		i = up
	}
}

// pop returns the earliest row. There must be one.
func (w *rowWindow) pop() TraceRow {
	row, last := w.heap[0].TraceRow, len(w.heap)-1
	w.heap[0], w.heap[last] = w.heap[last], placedRow{}
	w.heap = w.heap[:last]
	for i := 0; ; {
		least := i
		for down := 2*i + 1; down <= 2*i+2 && down < last; down++ {
			if w.heap[down].before(&w.heap[least]) {
				least = down
			}
		}
		if least == i {
			return row
		}
		w.heap[i], w.heap[least] = w.heap[least], w.heap[i]
		i = least
	}
}
