package report_test

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// A driver tells the recorder what happens, in order of time, and gets the variant
// of the report file at the end.
func Example() {
	r := report.NewRecorder(report.Setup{
		Profiles: []report.ProfileInfo{{Name: "notes", Class: stack.P1}},
		Models:   []report.ModelInfo{{Name: "gpt-4.1", Price: mockupstream.Price{Input: 2_000_000, Output: 8_000_000}}},
		Keys:     []string{"k1"},
		Duration: time.Minute,
	})
	job := &report.Job{Profile: 0, ID: 1, Intended: time.Second, Issued: time.Second, In: 1000, Out: 100}
	used := stack.Usage{In: 1000, Out: 100}
	step := stack.Step{
		Sent: time.Second, FirstToken: 2 * time.Second, Ended: 3 * time.Second,
		Outcome: stack.Outcome{Kind: stack.Success, Status: 200, Usage: used},
	}
	r.Offered(job)
	r.Submitted(time.Second, job)
	r.Sent(step.Sent, job, 0, 0, 1)
	r.Attempted(step.Ended, job, &step, report.Bill{Usage: used}, false)
	r.Done(step.Ended, job, &stack.Result{
		Ending: stack.Succeeded, Submitted: time.Second, Ended: step.Ended, Steps: []stack.Step{step},
	})
	v := r.Finish(report.Run{Now: step.Ended})

	fmt.Println("succeeded", v.Totals.Succeeded, "max", v.Latency[0].MaxMS, "ms")
	fmt.Println("USD", v.Cost.Total, "conservation", v.Laws.ConservationOK)
	// Output:
	// succeeded 1 max 2000 ms
	// USD 0.0028 conservation true
}
