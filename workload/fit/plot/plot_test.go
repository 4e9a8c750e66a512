package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/seed-4fd17b57/simload/workload/fit"
)

// Ensure a plot is well-formed SVG, the same each time, whatever the samples are: spread over
// decades, all alike, with zeros, or none.
func TestPlots(t *testing.T) {
	rising := make([]float64, 500)
	for i := range rising {
		rising[i] = float64(i * i)
	}
	for name, sorted := range map[string][2][]float64{
		"wide": {rising[1:], rising[1:]}, "zeros": {rising, rising}, "one value": {{7, 7, 7}, {7, 7}}, "none": {nil, nil},
	} {
		g := &fit.Goodness{Gaps: sorted, In: fit.Tokens{Sorted: sorted}, Out: fit.Tokens{Sorted: sorted}}
		svg, err := Demand(g)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := Demand(g)
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("%s: a second plot differs (%v)", name, err)
		}
		elements(t, name, svg)
		l := &fit.Latency{Model: "m", First: fit.Timing{Sorted: sorted}, Total: fit.Timing{Sorted: sorted}}
		if svg, err = Latency([]*fit.Latency{l, l}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		elements(t, name, svg)
	}
}

// elements reads an SVG file to its end.
func elements(t *testing.T, name string, svg []byte) {
	t.Helper()
	d, n := xml.NewDecoder(bytes.NewReader(svg)), 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if n == 0 && e.Name.Local != "svg" {
				t.Errorf("%s: begins with %s", name, e.Name.Local)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("%s: %d elements", name, n)
	}
}
