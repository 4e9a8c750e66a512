package compare_test

import (
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
)

// Two runs with one seed differ in nothing but what was changed, so every difference between them is real.
func Example() {
	const file = `{
		"schema": "simload.report/v1",
		"scenario": {"name": "notes", "seed": 1, "demand_sha256": "d0", "mode": "virtual"},
		"verdict": {"status": "pass"},
		"variants": [{"name": "base", "totals": {"requests": 1000, "succeeded": 1000, "attempts": 1000, "http_429": REFUSED},
			"throughput": {"requests_per_s": RATE}, "cost": {"currency": "USD", "total": 2, "per_1000_succeeded": 2}}]}`
	read := func(rate, refused string) []*report.Report {
		text := strings.NewReplacer("RATE", rate, "REFUSED", refused).Replace(file)
		reports, err := report.ReadJSONAll(strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		return reports
	}
	res, err := compare.Reports(read("50", "20"), read("50.1", "30"), compare.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Plain(res.Summary))
	fmt.Println("exit code", res.ExitCode())
	// Output:
	// WORSE: 1 of 5 metrics: ratio_429 2.00 % -> 3.00 % (+50.0 %, exact)
	// exit code 4
}
