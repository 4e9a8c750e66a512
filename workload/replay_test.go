package workload

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// textTrace returns a trace of a text instead of a file.
func textTrace(text string) Trace {
	return Trace{
		Path: "t", Speed: 1, Clients: 4,
		Source: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

// replayed returns the demands of a trace, and what the workload counted.
func replayed(t *testing.T, set Trace, profiles ...Profile) ([]Demand, TraceCounts, error) {
	t.Helper()
	if len(profiles) == 0 {
		profiles = []Profile{{Name: "any"}}
	}
	w := open(t, Config{Seed: 1, Duration: time.Hour, Profiles: profiles, Traces: []Trace{set}})
	ds := all(w, 0)
	return ds, w.TraceCounts()[0], w.Err()
}

func instants(ds []Demand) (at []time.Duration) {
	for _, d := range ds {
		at = append(at, d.Intended)
	}
	return at
}

func seconds(s ...float64) (at []time.Duration) {
	for _, v := range s {
		at = append(at, time.Duration(v*float64(time.Second)))
	}
	return at
}

// Ensure speed, spreading and repetition put arrivals where they belong, also together.
func TestReplayInstants(t *testing.T) {
	rows := func(at ...string) string {
		text := traceHeader
		for _, a := range at {
			text += a + ",1,1\n"
		}
		return text
	}
	s := time.Second
	tests := []struct {
		name string
		text string
		set  Trace
		want []time.Duration
	}{
		{"as recorded", rows("5", "5", "8"), Trace{Speed: 1}, seconds(0, 0, 3)},
		{"once", rows("5", "8"), Trace{Speed: 1, Loop: 1}, seconds(0, 3)},
		{"twice as fast", rows("5", "8"), Trace{Speed: 2}, seconds(0, 1.5)},
		{"spread", rows("0", "0", "0", "3", "6", "6"), Trace{Speed: 1, Spread: 3 * s}, seconds(0, 1, 2, 3, 6, 7.5)},
		{"spread no further than the next", rows("0", "0", "1"), Trace{Speed: 1, Spread: 3 * s}, seconds(0, 0.5, 1)},
		{"spread, then fast", rows("0", "0", "3"), Trace{Speed: 3, Spread: 3 * s}, seconds(0, 0.5, 1)},
		{"three passes", rows("5", "6", "9"), Trace{Speed: 1, Loop: 3}, seconds(0, 1, 4, 6, 7, 10, 12, 13, 16)},
		{"two fast passes", rows("5", "9"), Trace{Speed: 2, Loop: 2}, seconds(0, 2, 4, 6)},
		{"one row", rows("5"), Trace{Speed: 1, Loop: 3}, seconds(0, 1, 2)},
		{"one instant", rows("5", "5"), Trace{Speed: 1, Loop: 2}, seconds(0, 0, 1, 1)},
		{"one instant, spread", rows("5", "5"), Trace{Speed: 1, Loop: 2, Spread: 4 * s}, seconds(0, 2, 4, 6)},
		{"until the end", rows("0", "900"), Trace{Speed: 1, Loop: -1}, seconds(0, 900, 1800, 2700)},
		{"far apart", rows("0", "4600000000"), Trace{Speed: 1e7, Loop: 3}, seconds(0, 460, 920)},
		{"reordered", rows("3", "1", "2", "1"), Trace{Speed: 1, Reorder: 2}, seconds(0, 0, 1, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := textTrace(tt.text)
			set.Speed, set.Loop, set.Spread, set.Reorder = tt.set.Speed, tt.set.Loop, tt.set.Spread, tt.set.Reorder
			ds, counts, err := replayed(t, set)
			if err != nil || !slices.Equal(instants(ds), tt.want) {
				t.Errorf("arrivals at %v, %v, want %v", instants(ds), err, tt.want)
			}
			if want := max(1, tt.set.Loop); tt.set.Loop >= 0 && tt.name != "far apart" && counts.Passes != want {
				t.Errorf("%d passes, want %d", counts.Passes, want)
			}
		})
	}
}

// Ensure no two requests of a looped trace have one identity, and that a pass that
// cannot be read ends with an error.
func TestReplayLoopEnds(t *testing.T) {
	set := textTrace(traceHeader + "0,5,5\n1,6,6\n")
	set.Loop = 50
	ds, counts, err := replayed(t, set)
	ids := make(map[uint64]bool)
	for i, d := range ds {
		ids[d.ID] = true
		if d.In != int64(5+i%2) {
			t.Fatalf("request %d has %d tokens in", i, d.In)
		}
	}
	if len(ds) != 100 || len(ids) != 100 || counts.Rows != 100 || err != nil {
		t.Errorf("%d requests, %d identities, counts %+v, %v", len(ds), len(ids), counts, err)
	}

	opened := 0
	set.Source = func() (io.ReadCloser, error) {
		if opened++; opened == 3 {
			return nil, fmt.Errorf("gone away")
		}
		return io.NopCloser(strings.NewReader(traceHeader + "0,5,5\n")), nil
	}
	if ds, _, err := replayed(t, set); len(ds) != 2 || err == nil || !strings.Contains(err.Error(), "gone away") {
		t.Errorf("%d requests, error %v", len(ds), err)
	}
	opened = 0
	set.Source = func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader(traceHeader + strings.Repeat("0,5,5\n", 2-opened))), nil
	}
	if ds, _, err := replayed(t, set); len(ds) != 1 || err == nil || !strings.Contains(err.Error(), "there is no row to replay") {
		t.Errorf("%d requests, error %v", len(ds), err)
	}
}

// Ensure spreading keeps order and number, leaves the first of an instant where it
// was, puts the others before the next instant, and the same rows out each time.
func TestReplaySpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 60).Draw(t, "gaps")
		over := time.Duration(rapid.Int64Range(1, int64(5*time.Second)).Draw(t, "spread"))
		text, at := traceHeader, 0
		var raw []time.Duration
		for i, g := range gaps {
			at += g
			raw = append(raw, time.Duration(at-gaps[0])*time.Second)
			text += fmt.Sprintf("%d,%d,1\n", at, i)
		}
		rows, _, err := readAs(Trace{Spread: over}, strings.NewReader(text))
		if err != nil || len(rows) != len(raw) {
			t.Fatalf("%d rows of %d, %v", len(rows), len(raw), err)
		}
		for i, r := range rows {
			first := slices.Index(raw, raw[i])
			if r.In != int64(i) || (i == first) != (r.At == raw[i]) && over > 60 || r.At < raw[i] || r.At >= raw[i]+over {
				t.Fatalf("row %d is %+v, recorded at %v", i, r, raw[i])
			}
			if i > 0 && r.At < rows[i-1].At {
				t.Fatalf("row %d at %v comes before its predecessor at %v", i, r.At, rows[i-1].At)
			}
		}
		again, _, _ := readAs(Trace{Spread: over}, strings.NewReader(text))
		if !reflect.DeepEqual(rows, again) {
			t.Fatal("a second reading differs")
		}
	})
}

// Ensure names find their profile and sessions their client, and that a name nobody
// knows is counted.
func TestReplayMapping(t *testing.T) {
	text := burstHeader +
		"5,s1,1,ChatGPT,10,1,11,Conversation log\n6,s2,1,GPT-4,20,2,22,x\n7,s1,1,gpt-4-turbo,30,3,33,x\n" +
		"8,,1,llama,40,4,44,API log\n9,,1,BATCH,50,5,55,x\n10,,1,,60,6,66,x\n"
	set := textTrace(text)
	set.Profile, set.Clients = 3, 1000
	set.Models = []TraceModel{{"chat*", 1}, {"GPT-4", 2}, {"*-TURBO", 0}}
	profiles := []Profile{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "batch"}}
	ds, counts, err := replayed(t, set, profiles...)
	if err != nil || len(ds) != 6 {
		t.Fatalf("%d requests, %v", len(ds), err)
	}
	for i, want := range []int{1, 2, 0, 3, 4, 3} {
		if ds[i].Profile != want || ds[i].In != int64(10*(i+1)) || ds[i].Out != int64(i+1) {
			t.Errorf("request %d is %+v, want profile %d", i, ds[i], want)
		}
	}
	if counts.Unmapped != 1 {
		t.Errorf("counts are %+v, want 1 unmapped", counts)
	}
	if ds[0].Client != ds[2].Client || ds[0].Client == ds[1].Client || ds[3].Client != 3 {
		t.Errorf("clients are %d, %d, %d, %d", ds[0].Client, ds[1].Client, ds[2].Client, ds[3].Client)
	}
	set.ClientsInTurn = true
	ds, _, _ = replayed(t, set, profiles...)
	for i, d := range ds {
		if d.Client != uint32(i) {
			t.Errorf("in turn: request %d has client %d", i, d.Client)
		}
	}
}

// Ensure patterns match as promised.
func TestMatchName(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"gpt-4", "GPT-4", true},
		{"gpt-4", "gpt-4o", false},
		{"gpt*", "gpt", true},
		{"*", "", true},
		{"*4*o", "gpt-4.1-o4o", true},
		{"a*b", "ab", true},
		{"a*b", "abc", false},
		{"*a", "aab", false},
		{"é*", "éa", true},
		{"", "", true},
		{"", "a", false},
		{"**", "xyz", true},
	} {
		if got := matchName(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matchName(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

// Ensure an events log is replayed by intended instant, with its agents and profiles,
// although its lines are in the order of the ends.
func TestReplayEvents(t *testing.T) {
	event := func(agent int, profile string, at float64, in, out int, ending string) string {
		return fmt.Sprintf(`{"id":"%016x","agent":%d,"profile":%q,"intended_s":%.9f,"submitted_s":9.0,"ended_s":9.0,"ending":%q,"reason":"none","tokens_in":%d,"tokens_out":%d,"steps":[]}`+"\n",
			agent, agent, profile, at, ending, in, out)
	}
	text := event(2, "notes", 3, 300, 3, "succeeded") + event(0, "literature", 1.000000001, 100, 1, "succeeded") +
		event(1, "notes", 3, 200, 2, "rejected") + event(0, "unheard of", 2, 0, 0, "dead_lettered")
	set := textTrace(text)
	profiles := []Profile{{Name: "x"}, {Name: "literature"}, {Name: "notes"}}
	ds, counts, err := replayed(t, set, profiles...)
	if err != nil || counts.Format != FormatEvents {
		t.Fatalf("counts %+v, %v", counts, err)
	}
	type brief struct {
		at              time.Duration
		client          uint32
		profile         int
		in, out, prefix int64
	}
	var got []brief
	for _, d := range ds {
		got = append(got, brief{d.Intended, d.Client, d.Profile, d.In, d.Out, d.Prefix})
	}
	want := []brief{{0, 0, 1, 100, 1, 0}, {999999999, 0, 0, 1, 1, 0}, {1999999999, 2, 2, 300, 3, 0}, {1999999999, 1, 2, 200, 2, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("demands are %+v, want %+v", got, want)
	}
	if counts.Rows != 4 || counts.Failed != 2 || counts.Unmapped != 1 {
		t.Errorf("counts are %+v", counts)
	}

	set.Reorder = 1
	set.Source = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte(text))), nil }
	if ds, _, err := replayed(t, set, profiles...); len(ds) != 2 || err == nil || !strings.Contains(err.Error(), "t:4: the time is 1s before") || !strings.Contains(err.Error(), "more than 1 rows") {
		t.Errorf("%d requests with a window of one row, error %v", len(ds), err)
	}
	set.SkipBad, set.SkipFailed = true, true
	if ds, c, err := replayed(t, set, profiles...); len(ds) != 2 || c.Failed != 2 || c.Skipped != 0 || err != nil {
		t.Errorf("%d requests, counts %+v, error %v", len(ds), c, err)
	}
}
