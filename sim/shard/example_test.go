package shard_test

import (
	"bytes"
	"fmt"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/sim/shard"
)

// Two processes carry out half of the runs each, and a third makes the report of what they left.
func Example() {
	sc, err := scenario.Load("../../scenarios/smoke.yaml", []string{"duration=2m", "warmup=20s"})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := sim.Options{Reps: 4, Tool: report.Tool{Version: "0.1.0"}}
	var files []*shard.File
	for _, text := range []string{"1/2", "2/2"} {
		s, _ := shard.Parse(text)
		e, _ := sim.NewExperiment(sc, o)
		parts, err := sim.RunParts(sc, o, shard.Deal(s, e.Tasks()))
		if err != nil {
			fmt.Println(err)
			return
		}
		var file bytes.Buffer
		if err := shard.Write(&file, s, e, parts, false); err != nil {
			fmt.Println(err)
			return
		}
		f, err := shard.Read(shard.Raw{Path: text, Data: file.Bytes()})
		if err != nil {
			fmt.Println(err)
			return
		}
		files = append(files, f)
	}
	m, err := shard.Merge(files, o.Tool)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := m.Experiment.Assemble(m.Parts, m.Interrupted)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Report.Scenario.Name, len(out.Report.Variants[0].Replications), "replications:", out.Report.Verdict.Status)
	// Output:
	// smoke 4 replications: pass
}
