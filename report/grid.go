package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// column is one column of a grid.
type column struct {
	head string
	text bool // left-aligned, and may be shortened; numbers are right-aligned and never cut
	list bool // left-aligned pieces with commas between, of which the last ones may be left out
	// drop says which columns go first when there is no room: the highest; 0 stays.
	drop int
}

// grid is a table of finished cells.
type grid struct {
	cols []column
	rows [][]string
	// repeat is the number of first columns that are repeated when the grid is too
	// wide and may be cut into several below each other; 0: it may not.
	repeat int
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// without returns the grid less one column.
func (g *grid) without(i int) *grid {
	out := &grid{cols: append(append([]column(nil), g.cols[:i]...), g.cols[i+1:]...)}
	for _, r := range g.rows {
		out.rows = append(out.rows, append(append([]string(nil), r[:i]...), r[i+1:]...))
	}
	return out
}

// pruned leaves out the columns in which no cell says anything.
func (g *grid) pruned() *grid {
	for i := 0; i < len(g.cols); {
		empty := true
		for _, r := range g.rows {
			empty = empty && (r[i] == "" || r[i] == none)
		}
		if !empty || len(g.cols) == 1 {
			i++
			continue
		}
		g = g.without(i)
	}
	return g
}

func (g *grid) widths() []int {
	w := make([]int, len(g.cols))
	for i, c := range g.cols {
		w[i] = columns(c.head)
		for _, r := range g.rows {
			w[i] = max(w[i], columns(r[i]))
		}
	}
	return w
}

// Widths of text columns: as wide as they like, up to nameLong; shortened to
// nameShort before another column is dropped, and to nameLeast when none is left to drop.
const (
	nameLong  = 48
	nameShort = 18
	nameLeast = 6
	gridGap   = 2
)

func (g *grid) total() int {
	sum := gridGap * len(g.cols) // the indentation and the gaps
	for _, w := range g.widths() {
		sum += w
	}
	return sum
}

// fitted returns the grid cut to a width: long names first, then the least
// important columns, then lists, then what is left of the names.
func (g *grid) fitted(width int) *grid {
	g = g.pruned().shortened(width, nameLong).shortened(width, nameShort)
	for g.total() > width {
		worst := 0
		for i, c := range g.cols {
			if c.drop > 0 && c.drop >= g.cols[worst].drop {
				worst = i
			}
		}
		if g.cols[worst].drop <= 1 {
			g = g.lists(width)
		}
		if g.total() <= width || g.cols[worst].drop == 0 {
			break
		}
		g = g.without(worst)
	}
	return g.shortened(width, nameLeast)
}

// shortened cuts text columns by as much as is needed, but not below least
// (nameLong is a limit for every grid, whether it fits or not).
func (g *grid) shortened(width, least int) *grid {
	w := g.widths()
	sum := g.total()
	for i, c := range g.cols {
		if !c.text || w[i] <= least || least != nameLong && sum <= width {
			continue
		}
		to := least
		if least != nameLong {
			to = max(least, w[i]-(sum-width))
		}
		sum -= w[i] - to
		for r := range g.rows {
			g.rows[r][i] = shorten(g.rows[r][i], to)
		}
		g.cols[i].head = shorten(c.head, to)
	}
	return g
}

// lists cuts columns of lists so that the grid fits, as far as their first pieces allow.
func (g *grid) lists(width int) *grid {
	for i, c := range g.cols {
		for over := g.total() - width; c.list && over > 0; over = g.total() - width {
			to, cut := g.widths()[i]-over, false
			for r := range g.rows {
				for columns(g.rows[r][i]) > to {
					at := strings.LastIndex(g.rows[r][i], ", ")
					if at < 0 {
						break
					}
					g.rows[r][i], cut = g.rows[r][i][:at], true
				}
			}
			if !cut {
				break
			}
		}
	}
	return g
}

// split cuts a grid that is too wide and may be cut, once its columns that can be
// left out are.
func (g *grid) split(width int) []*grid {
	if g.repeat == 0 || g.total() <= width {
		return []*grid{g}
	}
	repeat := g.repeat
	for i := len(g.cols) - 1; i >= repeat; i-- {
		if g.cols[i].drop > 0 {
			g = g.without(i)
		}
	}
	if g.repeat = repeat; g.total() <= width {
		return []*grid{g}
	}
	w := g.widths()
	fixed := 0
	for i := range g.repeat {
		w[i] = min(w[i], nameLong)
		fixed += w[i] + gridGap
	}
	var out []*grid
	for from := g.repeat; from < len(g.cols); {
		to, sum := from, fixed
		for to < len(g.cols) && (to == from || sum+w[to]+gridGap <= width) {
			sum += w[to] + gridGap
			to++
		}
		part := &grid{cols: slices.Concat(g.cols[:g.repeat], g.cols[from:to])}
		for _, r := range g.rows {
			part.rows = append(part.rows, slices.Concat(r[:g.repeat], r[from:to]))
		}
		out = append(out, part)
		from = to
	}
	return out
}

// lines sets the grid without borders.
func (g *grid) lines() ([]string, error) {
	align := make([]tw.Align, len(g.cols))
	head := make([]string, len(g.cols))
	for i, c := range g.cols {
		align[i], head[i] = tw.AlignRight, c.head
		if c.text || c.list {
			align[i] = tw.AlignLeft
		}
	}
	cells := tw.CellAlignment{Global: tw.AlignRight, PerColumn: align}
	off := tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.Off, ShowFooter: tw.Off}
	var b bytes.Buffer
	t := tablewriter.NewTable(
		&b,
		tablewriter.WithEastAsian(tw.Off), // not by the locale: the same report, the same text
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(cells), tablewriter.WithRowAlignmentConfig(cells),
		tablewriter.WithRendition(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Separators: off, Lines: tw.LinesNone},
		}),
	)
	t.Header(head)
	if err := t.Bulk(g.rows); err != nil {
		return nil, fmt.Errorf("filling a table: %w", err)
	}
	if err := t.Render(); err != nil {
		return nil, fmt.Errorf("setting a table: %w", err)
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(b.String(), "\n"), "\n") {
		out = append(out, " "+strings.TrimRight(line, " "))
	}
	return out, nil
}
