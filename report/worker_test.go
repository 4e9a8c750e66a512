package report

import (
	"bytes"
	"strings"
	"testing"
)

// workedReport is a run that two workers carried, one of which was lost.
func workedReport(t *testing.T) *Report {
	t.Helper()
	v := variantFixture("base")
	v.Laws.NoBooks, v.Laws.Incomplete = true, true
	v.Harness = &Harness{LagP99MS: 12.5, StartSkewMS: 0.75, Workers: []Worker{
		{Name: "rack1-77", Share: 1, State: WorkerDone, Agents: 1000, Requests: 190_000, LagP99MS: 12.5, CPUShare: 0.4, OffsetMS: 3000.02, OffsetErrorMS: 0.05, StartMS: 0.4},
		{Name: "\x1b[2Jrack2|*evil*", Share: 2, State: WorkerLost, Agents: 1000, Requests: 42, OffsetErrorMS: 0.1, Gaps: 3, SilenceS: 5.2},
		{Name: "mock", State: WorkerMock, CPUShare: 0.2},
	}}
	r := &Report{Schema: Schema, Scenario: Scenario{Name: "load", Mode: "wall", File: "load.yaml"}, Variants: []Variant{v}}
	Judge(r, nil, false, []string{"worker rack2 was lost"})
	return r
}

// Ensure every rendering for people names the workers, what became of them and their lags, that names from outside do no harm, and that the
// file says the same when it is read back.
func TestWorkersAreShown(t *testing.T) {
	r, err := Canonical(workedReport(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"table", "markdown", "html"} {
		var b bytes.Buffer
		if err := Render(&b, r, format, Options{Width: 200}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, want := range []string{"rack1-77", "lost", "done", "12.5", "mock"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing", format, want)
			}
		}
		if strings.ContainsAny(text, "\x1b") {
			t.Errorf("%s: a control character of a name came through", format)
		}
		if format == "table" && (!strings.Contains(text, "books not compared: a worker was lost") || !strings.Contains(text, "worst of 2 workers") || !strings.Contains(text, "--workers 2 --nats URL")) {
			t.Error(text)
		}
	}
}
