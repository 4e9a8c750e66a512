package fit_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
	"github.com/seed-4fd17b57/simload/workload/fit"
)

// A request every half second for a minute, then four times as many.
func Example() {
	var b strings.Builder
	b.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	for at := time.Duration(0); at < 2*time.Minute; {
		fmt.Fprintf(&b, "%.6f,%d,%d\n", at.Seconds(), 1000, 200)
		gap := 500 * time.Millisecond
		if at >= time.Minute {
			gap /= 4
		}
		at += gap
	}
	r, err := workload.ReadTrace(strings.NewReader(b.String()), "trace.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	trace, err := fit.Read(r, 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := fit.New(trace)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Arrivals.Steps {
		fmt.Printf("from %v on %.1f requests per second\n", s.At.Round(time.Second), s.Rate)
	}
	// Output:
	// from 0s on 2.0 requests per second
	// from 1m0s on 8.0 requests per second
}
