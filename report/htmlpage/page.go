package htmlpage

import "html/template"

// Page is one document.
type Page struct {
	Title   string
	Kind    string // what it is: report, or plan
	Tool    string // what wrote it
	Reports []Report
	Charts  []Chart // those that figures refer to by index
}

// Report is one scenario's part of a page.
type Report struct {
	ID          string // unique on the page, of letters and digits
	Name        string
	Description string
	Status      string // pass, fail, invalid, partial, or "" when nobody judged it
	Word        string // the same for people: PASS
	Headline    string // beside the word: 7 of 7 expectations
	Reasons     Lines
	Checks      *Table // nil: no expectations
	Facts       []string
	Variants    []Variant
	After       []Section // what is told of all variants together
}

// Lines is a list with a heading.
type Lines struct {
	Label string
	Texts []string
}

// Variant is a part that a chooser shows or hides.
type Variant struct {
	ID       string
	Name     string
	Tiles    []Tile
	Bound    []string // what bound it, and what is next
	Sections []Section
}

// Tile is a figure in large print.
type Tile struct {
	Label, Value, Unit, Note string
}

// Section is a heading and its blocks.
type Section struct {
	ID, Title, Note string
	Blocks          []Block
}

// Block is one of its fields.
type Block struct {
	Table   *Table
	Figure  *Figure
	Figures []Figure // small ones, side by side
	Slow    []Slow
	Facts   []string
	Lines   []string
	Label   string   // over Lines
	Key     []Swatch // of bars
	Command string
}

// Figure is a chart with its words: a title, a summary for those who cannot see it, and
// the same numbers as a table.
type Figure struct {
	ID, Title, Note string
	Summary         string
	Empty           string // said in place of a chart that would show nothing
	// Picture is a finished drawing in place of a chart: SVG without script or style of its own, in classes of the style sheet (picture
	// and below), whose texts its maker has escaped.
	Picture template.HTML
	Chart   int // index into Page.Charts
	Data    *Table
}

// Table is a table of finished cells. Rows beyond Fold are folded away; 0: none are.
type Table struct {
	Caption string
	Heads   []Head
	Rows    []Row
	Fold    int
	Folded  string // what stands over the folded ones
}

// Shown and Hidden are the two parts of the rows.
func (t *Table) Shown() []Row { return t.Rows[:t.cut()] }

// Hidden are the rows that are folded away.
func (t *Table) Hidden() []Row { return t.Rows[t.cut():] }

func (t *Table) cut() int {
	if t.Fold <= 0 || t.Fold >= len(t.Rows) {
		return len(t.Rows)
	}
	return t.Fold
}

// Head is the head of a column; text is set to the left, numbers to the right.
type Head struct {
	Name string
	Text bool
}

// Row is a row; its first cell names it.
type Row struct {
	State string // ok or fail: how the row is marked besides what it says
	Cells []Cell
}

// Cell is a cell's text, with bars under it or in place of it.
type Cell struct {
	Text  string
	Lines []string // further lines
	Code  bool
	Spans []Span // a bar; widths are parts of the cell's
}

// Span is a part of a bar, in percent of its width.
type Span struct {
	X, W  float64
	Class string // of the style sheet: use, worst, queue, backoff, first, generation, rest, good, bad, wait
	Title string
}

// Swatch explains one kind of span.
type Swatch struct {
	Class, Text string
}

// Slow is a request with its steps.
type Slow struct {
	Name, Value string // its kind, and how long it took
	Facts       []string
	Spans       []Span // its time, from the intended instant to the end
	Parts       *Table
	Steps       *Table
}

// Kinds of charts.
const (
	KindCurve = "curve" // percentiles, on logarithmic scales
	KindTime  = "time"  // a time series
)

// Chart is what the script draws.
type Chart struct {
	Kind   string    `json:"kind"`
	Group  string    `json:"group"` // charts of a group share their cursor
	Unit   string    `json:"unit"`  // s, share or "": how values are printed
	Log    bool      `json:"log,omitempty"`
	X      []float64 `json:"x"`              // of a curve 1/(1-q); of a series the middles of the intervals, in seconds
	Step   float64   `json:"step,omitempty"` // length of an interval
	End    float64   `json:"end,omitempty"`  // of the time axis
	Lines  []Line    `json:"lines"`
	Shades []Shade   `json:"shades,omitempty"`
}

// Line is a line of a chart; null is a gap.
type Line struct {
	Name   string `json:"name"`
	Colour int    `json:"colour"`          // index into the palette
	Dash   int    `json:"dash"`            // index into the dashes
	Faint  bool   `json:"faint,omitempty"` // a bound rather than a measurement
	Note   string `json:"note,omitempty"`
	Ends   string `json:"ends,omitempty"` // why a curve leaves the plot at its last point
	Values any    `json:"values"`         // of numbers that print as they should
}

// Shade is a span of time behind a series.
type Shade struct {
	Name string  `json:"name"` // short: a letter
	From float64 `json:"from"`
	To   float64 `json:"to"`
}
