package draft_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
	"github.com/seed-4fd17b57/simload/workload"
	"github.com/seed-4fd17b57/simload/workload/fit"
	"pgregory.net/rapid"
)

// Ensure any short trace makes a scenario that is taken, or an error that says why it cannot.
func TestAnyTraceMakesAScenario(t *testing.T) {
	m, _ := model(t)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n")
		at, gap, most := time.Duration(0), rapid.SampledFrom([]float64{10, 16, 20, 24, 28, 32, 35}).Draw(t, "gap"), rapid.Float64Range(0, 20.7).Draw(t, "most")
		size := func(what string) int64 { return int64(math.Exp(most*rapid.Float64Range(0, 1).Draw(t, what))) - 1 }
		models, sessions := rapid.IntRange(1, 3).Draw(t, "models"), rapid.IntRange(1, 20).Draw(t, "sessions")
		for i := range rapid.IntRange(fit.MinRows, 3*fit.MinRows).Draw(t, "rows") {
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "apart") > 0 {
				at += time.Duration(math.Exp(gap * float64(rapid.IntRange(0, 100).Draw(t, "gap")) / 100))
			}
			fmt.Fprintf(&b, "%d.%09d,s%d,1,m%d,%d,%d,0,Conversation log\n", at/time.Second, at%time.Second,
				rapid.IntRange(0, sessions).Draw(t, "session"), rapid.IntRange(1, models).Draw(t, "model"), size("in"), size("out"))
		}
		r, err := workload.ReadTrace(strings.NewReader(b.String()), "t.csv")
		if err != nil {
			t.Fatal(err)
		}
		d := draft.Demand{Path: "t.csv", Model: m}
		if d.Trace, err = fit.Read(r, 0, 0); err == nil {
			if d.Fit, err = fit.New(d.Trace); err == nil {
				d.Goodness, err = d.Fit.Judge(d.Trace)
			}
		}
		if errors.Is(err, fit.ErrRows) || err == nil && d.Trace.Length > fit.MaxLength {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scenario.Parse("draft.yaml", d.YAML(), nil); err != nil {
			t.Fatalf("%v\n%s", err, d.YAML())
		}
	})
}
