package load

import (
	"strconv"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// BriefSchema names the form of a brief.
const BriefSchema = "simload.load/v1"

// Brief is all that a worker has to know of a run. It stands in the server's store, under its hash.
type Brief struct {
	Schema  string `json:"schema"`
	Run     string `json:"run"`
	Version string `json:"version"` // of the leader's program: only workers of the same take part
	fleet.Cargo
	Task   sim.Task `json:"task"`
	Mock   string   `json:"mock"`            // base URL of the mock that all talk to; "": they talk to Target
	Target string   `json:"target"`          // whose key each worker has to have
	Redis  string   `json:"redis,omitempty"` // store of shared limits, without a password; "": the scenario's
	Beat   int64    `json:"beat_ns"`
}

// offer is said again and again while workers are missing.
type offer struct {
	Run     string `json:"run"`
	Version string `json:"version"`
	Name    string `json:"name"` // of the scenario
	URL     string `json:"url"`  // where the load goes
}

// claim is a worker's answer to an offer.
type claim struct {
	Worker  string `json:"worker"`            // its name, on terminals
	Called  string `json:"called,omitempty"`  // the name that was chosen for it, in reports; "": that of its share
	ID      string `json:"id"`                // of the process: names may be given twice
	Refusal string `json:"refusal,omitempty"` // why it does not take part
}

// assignment is the answer to a claim.
type assignment struct {
	Share   int    `json:"share"` // from 0; -1: no share is left
	Of      int    `json:"of"`
	Brief   string `json:"brief"` // hash
	Refused string `json:"refused,omitempty"`
}

// pulse is the leader's sign of life.
type pulse struct {
	Stop string `json:"stop,omitempty"` // why the run is to end; "": it goes on
	Over bool   `json:"over,omitempty"` // the leader is gone: nobody listens any more
}

// Beat is a worker's sign of life.
type Beat struct {
	ID     string `json:"id"`
	Share  int    `json:"share"`
	Seq    int64  `json:"seq"`
	LateMS int64  `json:"late_ms"` // how late its own clock woke it: its processor has too much to do
}

// order is what the leader asks of one worker.
type order struct {
	Start int64 `json:"start,omitempty"` // instant of the start by the worker's clock, ns since 1970; 0: say what your clock says
}

// obeyed is the answer to an order.
type obeyed struct {
	Clock int64 `json:"clock"` // ns since 1970
}

// word is what a worker tells its leader, until it is heard. One of the fields is set.
type word struct {
	ID       string        `json:"id"`
	Share    int           `json:"share"`
	Ready    *ready        `json:"ready,omitempty"`
	Begun    *begun        `json:"begun,omitempty"`
	Interval *sim.Interval `json:"interval,omitempty"`
	Final    *Final        `json:"final,omitempty"`
	Problem  *problem      `json:"problem,omitempty"`
}

// ready says that the share could begin.
type ready struct {
	Agents int `json:"agents"`
}

// begun says when the share began.
type begun struct {
	Clock int64 `json:"clock"` // by the worker's clock, ns since 1970; for Crew: since the leader began
}

// Final is how a share ended.
type Final struct {
	Result      string             `json:"result"` // hash of what was recorded, frozen
	Counts      report.ShareCounts `json:"counts"`
	Requests    int64              `json:"requests"`
	Events      int64              `json:"events"`
	SimulatedNS int64              `json:"simulated_ns"`
	Harness     report.Harness     `json:"harness"`
	Stopped     string             `json:"stopped,omitempty"` // why it ended before its time
}

// problem is why a worker cannot go on.
type problem struct {
	Text  string `json:"text"`
	Usage bool   `json:"usage"` // the scenario, or how the worker was started, is at fault
}

// heard is the answer to a word. Gone: the leader knows this share no more.
type heard struct {
	Gone string `json:"gone,omitempty"`
}

// names are the subjects of load.
type names struct{ bus.Namespace }

// store holds briefs, scenarios and results.
const store = "load"

func (n names) offers() string           { return n.Subject("load", "offer") }
func (n names) claims(run string) string { return n.Subject("load", run, "claim") }
func (n names) pulses(run string) string { return n.Subject("load", run, "pulse") }
func (n names) beats(run string) string  { return n.Subject("load", run, "beat") }
func (n names) words(run string) string  { return n.Subject("load", run, "word") }
func (n names) orders(run string, share int) string {
	return n.Subject("load", run, "order", strconv.Itoa(share))
}
