package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		expects []string
		partial bool
		invalid []string
		change  func(v *Variant)
		status  string
		exit    int
		reasons []string
	}{
		{name: "no expectations", status: StatusPass, exit: 0},
		{name: "all hold", expects: []string{"requests > 0"}, status: StatusPass, exit: 0},
		{name: "one fails", expects: []string{"requests > 0", "retries == 0"}, status: StatusFail, exit: 99},
		{name: "cannot be judged", expects: []string{"p99{profile=x} < 1s"}, status: StatusFail, exit: 99},
		{name: "harness", expects: []string{"retries == 0"}, invalid: []string{"too slow"}, status: StatusInvalid, exit: 3, reasons: []string{"too slow"}},
		{name: "INV-1", change: func(v *Variant) { v.Laws.ConservationOK = false }, status: StatusInvalid, exit: 3, reasons: []string{"INV-1"}},
		{name: "INV-2", change: func(v *Variant) { v.Laws.LittleResidual = 0.0101 }, status: StatusInvalid, exit: 3, reasons: []string{"INV-2"}},
		{name: "INV-2 infinite", change: func(v *Variant) { v.Laws.LittleResidual = Num(math.Inf(1)) }, status: StatusInvalid, exit: 3, reasons: []string{"INV-2"}},
		{name: "INV-2 within its bound", change: func(v *Variant) { v.Laws.LittleResidual = 0.0099 }, status: StatusPass, exit: 0},
		{
			name: "INV-6 with details", change: func(v *Variant) { v.Laws.BooksAgree = false; v.Laws.Details = []string{"books: 1 and 2"} },
			status: StatusInvalid, exit: 3, reasons: []string{"INV-6", "books: 1 and 2"},
		},
		{
			name: "interrupted, invalid and failed", expects: []string{"retries == 0"}, partial: true, invalid: []string{"too slow"},
			change: func(v *Variant) { v.Interrupted, v.StoppedS = true, 1200.5 },
			status: StatusPartial, exit: 130, reasons: []string{"interrupted after 380435 measured requests: at 20m0.5s of 1h", "too slow"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := passFixture(t)
			if c.change != nil {
				c.change(&r.Variants[0])
			}
			Judge(r, mustExpects(t, c.expects...), c.partial, c.invalid)
			v := r.Verdict
			if v.Status != c.status || ExitCode(v) != c.exit {
				t.Errorf("status %s, exit %d; want %s, %d", v.Status, ExitCode(v), c.status, c.exit)
			}
			if len(v.Checks) != len(c.expects) || len(v.Reasons) != len(c.reasons) {
				t.Fatalf("checks %v, reasons %v", v.Checks, v.Reasons)
			}
			for i, want := range c.reasons {
				if !strings.Contains(v.Reasons[i], want) {
					t.Errorf("reason %q, want %q", v.Reasons[i], want)
				}
			}
			for _, k := range v.Checks {
				if e := mustExpects(t, k.Expr)[0]; !k.OK && k.Note == "" && e.Unit() == UnitTime {
					t.Errorf("%s failed without a note", k.Expr)
				}
				if strings.Contains(k.Note, "bound by") && strings.HasPrefix(k.Expr, "retries") {
					t.Errorf("%s failed with the note %q, and has nothing to do with that", k.Expr, k.Note)
				}
			}
		})
	}
}

func TestFailedChecksNameWhatBoundTheirVariant(t *testing.T) {
	r := failFixture(t)
	i := slices.IndexFunc(r.Verdict.Checks, func(c Check) bool { return strings.Contains(c.Expr, ">= 1.5") })
	if got, want := r.Verdict.Checks[i].Note, "bound by: "+r.Variants[1].Bound.Resource; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestExitCodes(t *testing.T) {
	if got := ExitCode(Verdict{}); got != ExitInternal {
		t.Errorf("without a verdict %d", got)
	}
	for _, c := range []struct {
		codes []int
		want  int
	}{
		{nil, 0},
		{[]int{0, 0}, 0},
		{[]int{0, 4}, 4},
		{[]int{4, 99}, 99},
		{[]int{99, 3, 4}, 3},
		{[]int{3, 130, 0}, 130},
		{[]int{130, 2}, 2},
		{[]int{2, 1, 99}, 1},
		{[]int{0, 77}, 1},
	} {
		if got := WorstExit(c.codes...); got != c.want {
			t.Errorf("of %v: %d, want %d", c.codes, got, c.want)
		}
	}
}
