package workload

// heap is a binary heap: pop returns the item that is before all others.
type heap[T any, P interface {
	*T
	before(other *T) bool
}] []T

func (h *heap[T, P]) push(item T) {
	*h = append(*h, item)
	items := *h
	for i := len(items) - 1; i > 0; {
		up := (i - 1) / 2
		if !P(&items[i]).before(&items[up]) {
			return
		}
		items[i], items[up] = items[up], items[i]
		i = up
	}
}

// pop returns the first item. There must be one.
func (h *heap[T, P]) pop() T {
	items, last := *h, len(*h)-1
	first := items[0]
	items[0] = items[last]
	var none T
	items[last] = none
	*h = items[:last]
	for i := 0; ; {
		least := i
		for down := 2*i + 1; down <= 2*i+2 && down < last; down++ {
			if P(&items[down]).before(&items[least]) {
				least = down
			}
		}
		if least == i {
			return first
		}
		items[i], items[least] = items[least], items[i]
		i = least
	}
}
