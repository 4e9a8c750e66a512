package workload

import (
	"math"
	"os"
	"testing"
	"time"
)

const azureConversations = "../../shared/data/azure_llm_2023_conv.csv.gz"

// Ensure the Azure conversation trace is offered as recorded, whatever zone the
// machine is in: 19 366 requests, 1154.7 tokens in and 211.1 out on average, the last
// one 3501.7 s after the first.
func TestAzureConversations(t *testing.T) {
	if _, err := os.Stat(azureConversations); err != nil {
		t.Skipf("the reference trace is not here: %v", err)
	}
	local := time.Local
	defer func() { time.Local = local }()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		newYork = time.FixedZone("EST", -5*3600)
	}
	for _, zone := range []*time.Location{time.UTC, newYork} {
		time.Local = zone
		for _, speed := range []float64{1, 2.5} {
			w := open(t, Config{
				Duration: 2 * time.Hour, Profiles: []Profile{{EstimateSigma: 0.1}},
				Traces: []Trace{{Path: azureConversations, Speed: speed, Clients: 100}},
			})
			ds := all(w, 0)
			if err := w.Err(); err != nil {
				t.Fatal(err)
			}
			if len(ds) != 19_366 {
				t.Fatalf("%v: %d requests, want 19366", zone, len(ds))
			}
			in, out := int64(0), int64(0)
			for _, d := range ds {
				in += d.In
				out += d.Out
			}
			n := float64(len(ds))
			if m := float64(in) / n; math.Round(m*10) != 11547 {
				t.Errorf("%v: mean of tokens in is %v, want 1154.7", zone, m)
			}
			if m := float64(out) / n; math.Round(m*10) != 2111 {
				t.Errorf("%v: mean of tokens out is %v, want 211.1", zone, m)
			}
			// 18:15:46.68059 to 19:14:08.402527
			last := 3501*time.Second + 721937*time.Microsecond
			if got, want := ds[len(ds)-1].Intended, time.Duration(math.Round(float64(last)/speed)); ds[0].Intended != 0 || got != want {
				t.Errorf("%v: from %v to %v, want 0 to %v", zone, ds[0].Intended, got, want)
			}
		}
	}
}
