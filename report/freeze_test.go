package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// richSetup is testSetup with everything that a setup can hold.
func richSetup() Setup {
	s := testSetup()
	s.Faults = []Fault{{Name: "burst", Kind: "burst_429", FromS: 60, ToS: Num(math.Inf(1)), EveryS: 0.1, Models: []string{"gpt-4.1"}, Keys: []string{"k1"}}}
	s.Models[0].Price.LongFrom = 4000
	s.SlowestPerProfile, s.Interval = 5, 100*time.Second
	s.Ratio429Alert, s.TPMAlert = 0.01, 0.001
	s.Profiles[0].P99Alert = time.Millisecond
	return s
}

// richRecorder is a closed recorder in which nearly nothing is zero.
func richRecorder(seed uint64, n int, until time.Duration, wall bool) *Recorder {
	s := richSetup()
	s.Seed, s.Wall = seed, wall
	all := lives(newRand(seed), n)
	for i := range all {
		j := &all[i].job
		j.Held = time.Duration(i%3) * time.Second
		j.Mistaken = i%4 == 0
		all[i].res.Reason = stack.Reason(i % int(stack.NumReasons))
	}
	r := NewRecorder(s)
	run := play(r, all, until)
	use := stack.GateUse{Limit: 7e9, LimitMin: 3, LimitMax: 9, InFlight: 5e9, InFlightMax: 6, Waiting: [stack.NumClasses]int64{1, 2, 3}, WaitingMax: 4}
	use.Blocked[1], use.Waited[1] = 8, 9
	for _, at := range []time.Duration{run.Now - time.Minute, run.Now - time.Second} {
		r.now = min(r.now, at) // the gauges come late here
		r.Gauge(at, &Gauges{Span: 3 * time.Second, Models: []stack.GateUse{use, use}, ExcludedKeys: 2})
	}
	run.Now -= time.Duration(n%2) * time.Second
	run.Interrupted = n%2 == 1
	run.Gates = []GateCount{{Increases: 4, Decreases: 5}, {}}
	run.BreakerOpened, run.Abandoned, run.Incomplete = 6, 7, wall
	run.Excluded = [][]time.Duration{{1, 2}, {3, 4}, {5, 6}}
	run.Traces = []TraceBook{{Name: "t", Format: "azure", Passes: 1, Rows: 2, Failed: 3, Unmapped: 4, Skipped: 5, FirstSkipped: "row 7"}}
	run.Books.EarlyRetries, run.Books.DuplicateWrites = 8, 9
	for q := range s.Quotas {
		minute := mockupstream.Minute{Requests: 10, Tokens: 400_000, Refused: 1, Output: 2}
		run.Books.Quotas = append(run.Books.Quotas, mockupstream.QuotaBook{Quota: q, Minutes: slices.Repeat([]mockupstream.Minute{minute}, 9)})
	}
	r.at(run.Now)
	r.Submitted(run.Now, &all[0].job) // once too often: a law breaks
	r.Close(run)
	// What only long and broken runs have.
	r.fair.wire.hi, r.laws.backwards, r.latency[0][0].clamped = 1, 2, 3
	r.fair.all.least, r.ended.laws.LittleResidual = 4, 0.5
	return r
}

func richRecorders() []*Recorder {
	merged := richRecorder(4, 300, forever, false)
	merged.Merge(richRecorder(5, 299, 400*time.Second, false))
	empty := NewRecorder(Setup{})
	empty.Close(Run{Interrupted: true})
	return []*Recorder{richRecorder(1, 300, forever, false), richRecorder(2, 301, 500*time.Second, true), merged, empty}
}

// difference says where two values differ, by every field of them; "" if nowhere. NaN equals itself.
func difference(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if d := difference(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			break
		}
		return difference(path, a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() || a.Kind() == reflect.Slice && a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: %d elements (none: %t), and %d", path, a.Len(), a.IsZero(), b.Len())
		}
		for i := range a.Len() {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Float64:
		if math.Float64bits(a.Float()) == math.Float64bits(b.Float()) {
			return ""
		}
	}
	if a.IsZero() && b.IsZero() || a.Comparable() && b.Comparable() && a.Equal(b) {
		return ""
	}
	return fmt.Sprintf("%s: %v, and %v", path, a, b)
}

// TestFrozenRecorderIsTheSame: in every field, so that one that is added and forgotten shows; and in what it says.
func TestFrozenRecorderIsTheSame(t *testing.T) {
	for i, r := range richRecorders() {
		frozen, err := r.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Thaw(frozen)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if d := difference("recorder", reflect.ValueOf(*r), reflect.ValueOf(*back)); d != "" {
			t.Errorf("%d: thawed, it differs: %s", i, d)
		}
		if again, err := back.Freeze(); err != nil || !bytes.Equal(again, frozen) {
			t.Errorf("%d: frozen again, it has other bytes (%v)", i, err)
		}
		if a, b := jsonOf(t, r.Variant()), jsonOf(t, back.Variant()); a != b {
			t.Errorf("%d: thawed, it says\n%s\nand before\n%s", i, b, a)
		}
		if !r.SameSetup(back) {
			t.Errorf("%d: another setup", i)
		}
	}
}

// filled notes of the fields of each type whether one is not zero somewhere. Types are enough, as each has one method
// that carries it.
func filled(v reflect.Value, into map[string]bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			into[name] = into[name] || !v.Field(i).IsZero()
			filled(v.Field(i), into)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			filled(v.Elem(), into)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i), into)
		}
	}
}

// TestEveryFieldIsTried ensures that the recorders of TestFrozenRecorderIsTheSame have something in every field that a
// closed recorder keeps. One that is new is to be filled in richRecorder, or let go of in Close.
func TestEveryFieldIsTried(t *testing.T) {
	fields := map[string]bool{}
	for _, r := range richRecorders() {
		filled(reflect.ValueOf(*r), fields)
	}
	gone := []string{"Recorder.whole", "Recorder.first", "Recorder.keyOpen", "Recorder.herd", "Recorder.echoes", "Recorder.agents", "Recorder.watch", "series.latency", "runs.before", "Recorder.share", "series.hold", "longest.at"}
	for f, set := range fields {
		of, _, _ := strings.Cut(f, ".")
		switch used := !slices.Contains(gone, f) && !slices.Contains([]string{"herd", "echoes", "agents", "watch"}, of); {
		case !used && set:
			t.Errorf("%s is kept by a closed recorder", f)
		case used && !set:
			t.Errorf("%s is zero in every recorder of the test", f)
		}
	}
	if len(fields) < 150 {
		t.Errorf("%d fields only", len(fields))
	}
}

// TestFrozenBytesDependOnTheRunAlone (INV-4).
func TestFrozenBytesDependOnTheRunAlone(t *testing.T) {
	a, errA := richRecorder(3, 200, forever, false).Freeze()
	b, errB := richRecorder(3, 200, forever, false).Freeze()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("two runs, frozen, differ (%v, %v)", errA, errB)
	}
}

// TestSharesMergeToTheWhole: eight recorders of an eighth of the requests each, frozen, thawed and merged in any order,
// have the percentiles, the counts and the bill of one recorder of them all, exactly.
func TestSharesMergeToTheWhole(t *testing.T) {
	const shares = 8
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(1, 200).Draw(t, "n"))
		whole, parts := NewRecorder(testSetup()), make([][]life, shares)
		for i := range all {
			p := rapid.IntRange(0, shares-1).Draw(t, "share")
			parts[p] = append(parts[p], all[i])
		}
		whole.Close(play(whole, all, forever))
		var sum *Recorder
		for _, p := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "order") {
			r := NewRecorder(testSetup())
			r.Close(play(r, parts[p], forever))
			frozen, err := r.Freeze()
			if err != nil {
				t.Fatal(err)
			}
			if r, err = Thaw(frozen); err != nil {
				t.Fatal(err)
			}
			if sum == nil {
				sum = r
			} else if !sum.SameSetup(r) {
				t.Fatal("another setup")
			} else {
				sum.Merge(r)
			}
		}
		if x, y := histogramBytes(whole), histogramBytes(sum); !bytes.Equal(x, y) {
			t.Fatal("histograms differ")
		}
		a, b := whole.Brief(), sum.Brief()
		for i := range a.Latency {
			if x, y := jsonOf(t, a.Latency[i]), jsonOf(t, b.Latency[i]); x != y {
				t.Fatalf("latency\n%s\n%s", x, y)
			}
		}
		a.Totals.DuplicateWrites, b.Totals.DuplicateWrites = 0, 0 // the made-up books count within a share
		if a.Totals != b.Totals || jsonOf(t, a.Cost.By) != jsonOf(t, b.Cost.By) {
			t.Fatalf("totals\n%+v\n%+v", a.Totals, b.Totals)
		}
	})
}

// histogramBytes is all that the histograms of latencies hold.
func histogramBytes(r *Recorder) []byte {
	t := &tape{}
	for p := range r.latency {
		for m := range r.latency[p] {
			r.latency[p][m].carry(t)
		}
	}
	for m := range r.modelLatency {
		r.modelLatency[m][0].carry(t)
		r.modelLatency[m][1].carry(t)
	}
	for k := range r.keyLatency {
		r.keyLatency[k].carry(t)
	}
	return t.data
}

// TestWhatIsNotThawed: damage is an error that says what is the matter.
func TestWhatIsNotThawed(t *testing.T) {
	if _, err := NewRecorder(testSetup()).Freeze(); err == nil || !strings.Contains(err.Error(), "its run is not closed") {
		t.Errorf("a run that goes on: %v", err)
	}
	good, err := richRecorder(1, 40, forever, false).Freeze()
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(good)
	other[len(frozenMagic)] = 9
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 4
	for name, c := range map[string]struct {
		bytes []byte
		want  string
	}{
		"nothing":         {nil, "this is none"},
		"text":            {[]byte(`{"schema": 1}`), "this is none"},
		"the head":        {good[:len(frozenMagic)], "this is none"},
		"another version": {other, "its form has the version 9, this program knows 1"},
		"cut off":         {good[:len(good)-9], "EOF"},
		"a flipped bit":   {flipped, ""},
	} {
		r, err := Thaw(c.bytes)
		if err == nil || r != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "thawing a recorder: ") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// payload is what the frozen form packs.
func payload(r *Recorder) []byte {
	t := &tape{}
	r.carry(t)
	return t.data
}

// TestNoFieldIsTrusted: a number that is out of bounds anywhere is an error or harmless.
func TestNoFieldIsTrusted(t *testing.T) {
	tryDamaged(t, payload(richRecorder(1, 6, forever, false)), 17, 1, thawed)
}

// tryDamaged has fields used with a byte changed at every so many places, of the short and the long tier. Some must be usable, and some not.
func tryDamaged(t *testing.T, good []byte, step, stepFull int, use func([]byte) bool) {
	t.Helper()
	if os.Getenv("SIMLOAD_FULL") == "1" {
		step = stepFull
	}
	used, tried := 0, 0
	for at := 0; at < len(good); at += step {
		for _, b := range []byte{0, 3, 0xff} {
			bad := bytes.Clone(good)
			bad[at] = b
			if tried++; use(bad) {
				used++
			}
		}
	}
	if used == 0 || used == tried {
		t.Errorf("%d of %d were used", used, tried)
	}
}

// thawed uses whatever the bytes give.
func thawed(data []byte) bool {
	r := &Recorder{nextTick: never}
	if thaw(data, r.carry) != nil {
		return false
	}
	r.Merge(r)
	r.Brief()
	return true
}

func FuzzThaw(f *testing.F) {
	for _, r := range richRecorders() {
		frozen, err := r.Freeze()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frozen)
	}
	for n := range 4 {
		f.Add(payload(richRecorder(uint64(n), 1+4*n, forever, n%2 == 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Thaw(data); err == nil {
			r.Merge(r)
			r.Variant()
		}
		thawed(data)
	})
}
