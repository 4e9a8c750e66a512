package sim

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files of this architecture")

func load(t *testing.T, name string, sets ...string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Load("../scenarios/"+name+".yaml", sets)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func mustRun(t *testing.T, sc *scenario.Scenario, o Options) *report.Report {
	t.Helper()
	out, err := Run(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Report
}

func asJSON(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.RenderJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every scenario of the repository passes, and keeps the laws.
func TestScenariosPass(t *testing.T) {
	notUnderRace(t)
	files, err := filepath.Glob("../scenarios/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	// Those of providers say in their comments how many calls are refused, as computed by hand.
	providers, err := filepath.Glob("../scenarios/providers/*.yaml")
	if err != nil || len(providers) < 6 {
		t.Fatalf("%d providers, %v", len(providers), err)
	}
	files = append(files, providers...)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			sc, err := scenario.Load(f, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := mustRun(t, sc, Options{})
			if r.Verdict.Status != report.StatusPass || len(r.Verdict.Checks) == 0 {
				t.Errorf("verdict %+v", r.Verdict)
			}
			for _, v := range r.Variants {
				if l := v.Laws; !l.ConservationOK || !l.BooksAgree || l.LittleResidual > 1e-6 {
					t.Errorf("%s: laws %+v", v.Name, l)
				}
			}
		})
	}
}

// INV-4: the same scenario and seed give the same bytes at any number of processors, with
// replications and variants side by side; another seed gives another digest.
func TestSameBytesAtAnyProcessors(t *testing.T) {
	for _, name := range []string{"smoke", "burst-429"} {
		var first []byte
		for _, procs := range []int{1, 4} {
			old := runtime.GOMAXPROCS(procs)
			got := asJSON(t, mustRun(t, load(t, name), Options{Reps: 3}))
			runtime.GOMAXPROCS(old)
			if first == nil {
				first = got
			} else if !bytes.Equal(first, got) {
				t.Errorf("%s: reports differ between 1 and %d processors", name, procs)
			}
		}
	}
	seed := uint64(2)
	a := mustRun(t, load(t, "smoke"), Options{})
	b := mustRun(t, load(t, "smoke"), Options{Seed: &seed})
	if a.Variants[0].Digest == b.Variants[0].Digest {
		t.Error("seeds 1 and 2 have one digest")
	}
}

// 2000-agents offers what it says: 100 requests/s and 48 M tokens/min within 2 %, on keys
// whose 80 % is 1.15 to 1.3 times that.
func TestFleetOffersWhatItSays(t *testing.T) {
	notUnderRace(t)
	sc := load(t, "2000-agents")
	v := mustRun(t, sc, Options{}).Variants[0]
	if r := float64(v.Offered.RequestsPerS); math.Abs(r/100-1) > .02 {
		t.Errorf("offers %.2f requests/s", r)
	}
	tokens := float64(v.Offered.TokensPerMin)
	if math.Abs(tokens/48e6-1) > .02 {
		t.Errorf("offers %.2f M tokens/min", tokens/1e6)
	}
	b, err := sc.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int]bool{} // models that profiles ask for first
	for _, p := range b.Profiles {
		asked[b.Stack.Routes[p.Route].Steps[0].Target] = true
	}
	var tpm int64
	for m := range b.Stack.Targets {
		if asked[m] {
			for _, k := range b.Stack.Targets[m].Keys {
				tpm += b.Stack.Quotas[k.Quota].TPM
			}
		}
	}
	if x := .8 * float64(tpm) / tokens; x < 1.15 || x > 1.3 {
		t.Errorf("80 %% of the keys is %.3f times the offered tokens", x)
	}
	if n := sc.Agents(); n != 2000 {
		t.Errorf("%d agents", n)
	}
}

// The Azure conversation trace is replayed as recorded (data: CC-BY-4.0, see the scenario).
func TestAzureReplay(t *testing.T) {
	const path = "../../shared/data/azure_llm_2023_conv.csv.gz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the Azure trace is not there: " + path)
	}
	v := mustRun(t, load(t, "trace-replay", "workload.traces.replay.path="+path), Options{}).Variants[0]
	in, out := float64(v.Offered.MeanIn), float64(v.Offered.MeanOut)
	if v.Totals.Requests != 19366 || math.Abs(in-1154.7) > .05 || math.Abs(out-211.1) > .05 {
		t.Errorf("%d requests, %.2f tokens in, %.2f out; want 19366, 1154.7, 211.1", v.Totals.Requests, in, out)
	}
}

// The Mooncake conversation trace (Apache-2.0) with an unbounded prompt cache: the share of
// the input that is read from the cache is that of its prefix blocks.
func TestMooncakeReplay(t *testing.T) {
	const path = "../../shared/data/mooncake_conversation_trace.jsonl.gz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the Mooncake trace is not there: " + path)
	}
	v := mustRun(t, load(t, "trace-replay", "workload.traces.replay.path="+path,
		"upstreams.openai.models.gpt-4.1-mini.prompt_cache={min: 1, block: 1, ttl: 24h}"), Options{}).Variants[0]
	share := float64(v.Totals.TokensCached) / float64(v.Totals.TokensIn)
	if v.Totals.Requests != 12_031 || math.Abs(float64(v.Offered.MeanIn)-12_035) > .5 || math.Abs(share-.374) > .0005 {
		t.Errorf("%d requests, %.1f tokens in, %.4f of them cached; want 12031, 12035, 0.374", v.Totals.Requests, v.Offered.MeanIn, share)
	}
	if v.Totals.Succeeded != v.Totals.Requests {
		t.Errorf("%+v", v.Totals)
	}
}

// The README shows what the run prints; make golden renews it.
func TestReadmeShowsTheRun(t *testing.T) {
	notUnderRace(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("the README shows a run on amd64")
	}
	r := mustRun(t, load(t, "2000-agents"), Options{Tool: report.Tool{Version: "devel", Arch: "linux/amd64"}})
	r.Scenario.File = "scenarios/2000-agents.yaml"
	var b bytes.Buffer
	if err := report.Render(&b, r, "table", report.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	const path, start, end = "../README.md", "run scenarios/2000-agents.yaml\n2000-agents ", "```\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(text, []byte(start)) + len(start) - len("2000-agents ")
	to := from + bytes.Index(text[from:], []byte(end))
	want := append(bytes.TrimSpace(b.Bytes()), '\n')
	if *update {
		text = append(append(append([]byte(nil), text[:from]...), want...), text[to:]...)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(text[from:to], want) {
		t.Error("the run in the README is not what the run prints; make golden renews it")
	}
}
