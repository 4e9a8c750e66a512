package workload

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

const (
	mooncakeConversations = "../../shared/data/mooncake_conversation_trace.jsonl.gz"
	mooncakeCompact       = "../../shared/data/mooncake_conversation_compact.csv.gz"
)

func mooncake(t *testing.T, change func(*Trace)) ([]Demand, TraceCounts) {
	t.Helper()
	if _, err := os.Stat(mooncakeConversations); err != nil {
		t.Skipf("the reference trace is not here: %v", err)
	}
	set := Trace{Path: mooncakeConversations, Speed: 1, Clients: 100}
	change(&set)
	w := open(t, Config{Duration: 2 * time.Hour, Profiles: []Profile{{}}, Traces: []Trace{set}})
	ds := all(w, 0)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	return ds, w.TraceCounts()[0]
}

func cachedShare(ds []Demand) float64 {
	in, prefix := int64(0), int64(0)
	for _, d := range ds {
		in += d.In
		prefix += d.Prefix
	}
	return float64(prefix) / float64(in)
}

// Ensure the Mooncake conversation trace is offered as recorded: 12 031 requests,
// 12 035 tokens in on average, 37.4 % of them cached with an unbounded cache, each
// prefix as in the independently derived table.
func TestMooncakeConversations(t *testing.T) {
	ds, counts := mooncake(t, func(*Trace) {})
	in, out := int64(0), int64(0)
	for _, d := range ds {
		in += d.In
		out += d.Out
	}
	n := float64(len(ds))
	if len(ds) != 12_031 || counts.Rows != 12_031 || math.Round(float64(in)/n) != 12_035 || math.Round(float64(out)/n) != 343 {
		t.Errorf("%d requests, %v tokens in, %v out on average", len(ds), float64(in)/n, float64(out)/n)
	}
	if share := cachedShare(ds); math.Round(share*1000) != 374 {
		t.Errorf("%v of the input is cached, want 37.4 %%", share)
	}
	if last := ds[len(ds)-1].Intended; last != 3_536_999*time.Millisecond {
		t.Errorf("the last request is at %v", last)
	}

	f, err := os.Open(mooncakeCompact)
	if err != nil {
		t.Skipf("the table of prefixes is not here: %v", err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(gz).ReadAll()
	if err != nil || len(rows) != len(ds)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		d := ds[i]
		for column, got := range []int64{d.Intended.Milliseconds(), d.In, d.Out, d.Prefix} {
			if want, err := strconv.ParseInt(row[column], 10, 64); err != nil || got != want && !(column == 2 && want == 0) {
				t.Fatalf("request %d: %s is %d, want %s", i, rows[0][column], got, row[column])
			}
		}
	}
}

// Ensure a bounded cache knows less the smaller it is, and all of it with enough room,
// in each pass anew.
func TestMooncakeCacheBound(t *testing.T) {
	unbounded, _ := mooncake(t, func(*Trace) {})
	last := 0.0
	for _, blocks := range []int{1000, 50_000, 182_790} {
		ds, _ := mooncake(t, func(set *Trace) { set.CacheBlocks = blocks })
		share := cachedShare(ds)
		if share <= last {
			t.Errorf("%v cached with %d blocks, %v with fewer", share, blocks, last)
		}
		last = share
		t.Logf("%d blocks: %.1f %%", blocks, 100*share)
	}
	if want := cachedShare(unbounded); last != want {
		t.Errorf("%v cached with room for all, %v without bound", last, want)
	}
	ds, counts := mooncake(t, func(set *Trace) { set.Loop = 2 })
	if len(ds) != 2*12_031 || counts.Passes != 2 || cachedShare(ds[:12_031]) != cachedShare(ds[12_031:]) {
		t.Errorf("%d requests in two passes, %v and %v cached", len(ds), cachedShare(ds[:12_031]), cachedShare(ds[12_031:]))
	}
}

// Ensure 3 s ticks are spread on request: the burst at 0 s goes evenly over its tick.
func TestMooncakeSpread(t *testing.T) {
	ticks, _ := mooncake(t, func(*Trace) {})
	ds, _ := mooncake(t, func(set *Trace) { set.Spread = 3 * time.Second })
	if len(ds) != len(ticks) {
		t.Fatalf("%d requests, want %d", len(ds), len(ticks))
	}
	first, shared := 0, 0
	for i := range ds {
		if ticks[i].Intended == 0 {
			first++
		}
		if i > 0 && ds[i].Intended <= ds[i-1].Intended {
			shared++
		}
		if moved := ds[i].Intended - ticks[i].Intended; moved < 0 || moved >= 3*time.Second || ds[i].In != ticks[i].In {
			t.Fatalf("request %d moved by %v", i, moved)
		}
	}
	if shared != 0 {
		t.Errorf("%d requests still share an instant, or have lost their order", shared)
	}
	for i := range first {
		if want := ds[first].Intended * time.Duration(i) / time.Duration(first); ds[i].Intended-want > 1 || want-ds[i].Intended > 1 {
			t.Errorf("request %d of %d of the first tick is at %v, want %v", i, first, ds[i].Intended, want)
		}
	}
}
