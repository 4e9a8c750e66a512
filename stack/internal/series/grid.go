package series

// unknown is the value for numbers that stand for nothing: a request may name a route or class
// that does not exist, and is rejected for it.
const unknown = "unknown"

// Grid is a table of series, one for each combination of the values of its labels. It is not
// safe for concurrent use.
type Grid[T any] struct {
	labels [][]string
	build  func(values []string) T
	cells  []cell[T]
}

type cell[T any] struct {
	series T
	made   bool
}

// New returns a grid whose labels have the values given, in the order of the numbers that
// [Grid.At] takes. A series is built when it is first wanted, from one value for each label.
func New[T any](build func(values []string) T, labels ...[]string) *Grid[T] {
	n := 1
	for _, values := range labels {
		n *= len(values) + 1 // one for what is unknown
	}
	return &Grid[T]{labels: labels, build: build, cells: make([]cell[T], n)}
}

// At returns the series of a combination: one number for each label. A number that has no value
// stands for "unknown".
func (g *Grid[T]) At(numbers ...int) T {
	at := 0
	for i, values := range g.labels {
		n := numbers[i]
		if n < 0 || n > len(values) {
			n = len(values)
		}
		at = at*(len(values)+1) + n
	}
	c := &g.cells[at]
	if !c.made {
		c.series, c.made = g.build(g.values(at)), true
	}
	return c.series
}

// values returns the values of the labels of a cell.
func (g *Grid[T]) values(at int) []string {
	values := make([]string, len(g.labels))
	for i := len(g.labels) - 1; i >= 0; i-- {
		all := g.labels[i]
		n := at % (len(all) + 1)
		at /= len(all) + 1
		if values[i] = unknown; n < len(all) {
			values[i] = all[n]
		}
	}
	return values
}
