package workload

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// Ensure every format is known by its first line, else by the file's name, and gives
// the rows that it means.
func TestTraceFormats(t *testing.T) {
	s := time.Second
	session := func(name string) uint64 { return hashName([]byte(name)) }
	tests := []struct {
		name, path, text string
		format           TraceFormat
		want             []TraceRow
	}{
		{
			"burstgpt", "b.csv", burstHeader + "5,17,2.5,ChatGPT,472,18,490,Conversation log\n45.5,,,GPT-4,10,0,10,\"API log\"\n", FormatBurstGPT,
			[]TraceRow{{In: 472, Out: 18, Model: "ChatGPT", Session: session("17"), HasSession: true}, {At: 40500 * time.Millisecond, In: 10, Model: "GPT-4", Failed: true}},
		},
		{
			"burstgpt of six columns", "b", "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\r\n45,\"Chat\"\"GPT\",1087,230,1317,API log\r\n", FormatBurstGPT,
			[]TraceRow{{In: 1087, Out: 230, Model: `Chat"GPT`}},
		},
		{
			"mooncake", "m", `{"timestamp": 27000, "input_length": 1100, "output_length": 52, "hash_ids": [46, 47, 48]}` + "\n\n" +
				`{"timestamp": 30000.5, "input_length": 700, "output_length": 0, "hash_ids": [ 46 ,47], "session_id": "a"}` + "\n" +
				`{"output_length": 1, "extra": {"hash_ids": [1, {"x": []}]}, "timestamp": 3.1e4, "hash_ids": [46, 7, 47], "input_length": 5000}` + "\n" +
				`{"timestamp": 31000, "input_length": 9, "output_length": 1, "hash_ids": [], "session_id": null}`, FormatMooncake,
			[]TraceRow{
				{In: 1100, Out: 52, Conversation: 1},
				{At: 3000500 * time.Microsecond, In: 700, Prefix: 700, Conversation: 1, Session: session(`"a"`), HasSession: true},
				{At: 4 * s, In: 5000, Out: 1, Prefix: 512, Conversation: 1},
				{At: 4 * s, In: 9, Out: 1},
			},
		},
		{
			"events", "e.jsonl", eventLine + strings.NewReplacer("1.000000000", "0.999999999", "succeeded", "failed", "notes", `n\u00f6t`).Replace(eventLine), FormatEvents,
			[]TraceRow{{In: 512, Out: 256, Session: 7, HasSession: true, Model: "nöt", Failed: true}, {At: 1, In: 512, Out: 256, Session: 7, HasSession: true, Model: "notes"}},
		},
		{
			"events with tasks", "e.jsonl", strings.Replace(eventLine, `"agent"`, `"task":3,"prefix":600,"agent"`, 1) +
				strings.Replace(eventLine, `"agent"`, `"task":3,"prefix":500,"agent"`, 1), FormatEvents,
			[]TraceRow{
				{In: 512, Out: 256, Session: 7, HasSession: true, Model: "notes", Conversation: jitter.Hash(7, 3, 0) | 1, Prefix: 512},
				{In: 512, Out: 256, Session: 7, HasSession: true, Model: "notes", Conversation: jitter.Hash(7, 3, 0) | 1, Prefix: 500},
			},
		},
		{"azure", "m.jsonl", traceHeader + "1,2,0\n", FormatAzure, nil},
		{"azure otherwise", "m.txt", traceHeader + "1,2,0\n", FormatAzure, []TraceRow{{In: 2}}},
		{"byte order mark", "m", "\xef\xbb\xbf\n" + `{"timestamp":1,"input_length":2,"output_length":3}`, FormatMooncake, []TraceRow{{In: 2, Out: 3}}},
	}
	for _, tt := range tests {
		for _, format := range []TraceFormat{FormatAuto, tt.format} {
			if tt.want == nil && format == FormatAuto {
				continue
			}
			want := tt.want
			if want == nil {
				want = []TraceRow{{In: 2}}
			}
			rows, counts, err := readAs(Trace{Path: tt.path, Format: format}, strings.NewReader(tt.text))
			if err != nil || counts.Format != tt.format || !reflect.DeepEqual(rows, want) {
				t.Errorf("%s as %v: format %v, rows %+v, %v, want %+v", tt.name, format, counts.Format, rows, err, want)
			}
		}
	}
	for f := range numFormats {
		if got, err := ParseTraceFormat(f.String()); got != f || err != nil {
			t.Errorf("format %v is read as %v, %v", f, got, err)
		}
	}
	if _, err := ParseTraceFormat("csv"); err == nil || !strings.Contains(err.Error(), "azure, mooncake, burstgpt, events") {
		t.Errorf("an unknown format: %v", err)
	}
}

// Ensure a bad row of any format is an error with its number, value and reason, that
// with SkipBad it is counted and shown instead, and that the rows around it remain.
func TestTraceBadRows(t *testing.T) {
	burst := func(row string) string {
		return burstHeader + "1,,1,m,1,1,2,x\n" + row + "\n2,,1,m,2,2,4,x\n"
	}
	moon := func(row string) string {
		return `{"timestamp":1000,"input_length":1,"output_length":1}` + "\n" + row + "\n" + `{"timestamp":2000,"input_length":2,"output_length":2}`
	}
	event := func(row string) string {
		return `{"intended_s":1,"tokens_in":1,"tokens_out":1}` + "\n" + row + "\n" + `{"intended_s":2,"tokens_in":2,"tokens_out":2}`
	}
	tests := []struct{ name, text, want string }{
		{"burstgpt: few fields", burst("1,1,m,1,1,2,x"), "t:3: 7 fields found, 8 expected"},
		{"burstgpt: tokens", burst("1,,1,m,1.5,1,2,x"), `t:3: Request tokens "1.5": a whole number`},
		{"burstgpt: no response", burst("1,,1,m,1,,2,x"), `t:3: Response tokens ""`},
		{"burstgpt: time", burst("soon,,1,m,1,1,2,x"), `t:3: Timestamp "soon": a date and time`},
		{"burstgpt: step back", burst("0.5,,1,m,1,1,2,x"), "t:3: the time is 500ms before"},
		{"burstgpt: date", burst("2024-01-01 00:00:00,,1,m,1,1,2,x"), "t:3: the time is in dates"},
		{"mooncake: text", moon("once"), "t:2: the row is not one JSON object"},
		{"mooncake: list", moon("[]"), "t:2: the row is not one JSON object"},
		{"mooncake: two objects", moon("{} {}"), "t:2: the row is not one JSON object"},
		{"mooncake: cut", moon(`{"timestamp":1000,"input_length":1,"output_le`), "t:2: the row is not one JSON object"},
		{"mooncake: deep", moon(`{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}"), "t:2: the JSON object is nested too deep"},
		{"mooncake: missing", moon(`{"timestamp":1000,"output_length":1}`), "t:2: field input_length is missing, read as format mooncake"},
		{"mooncake: twice", moon(`{"timestamp":1000,"timestamp":1}`), "t:2: field timestamp is there twice"},
		{"mooncake: time", moon(`{"timestamp":"1000","input_length":1,"output_length":1}`), `t:2: timestamp "\"1000\"": a number is expected`},
		{"mooncake: microseconds", moon(`{"timestamp":1700158546680000,"input_length":1,"output_length":1}`), "number of milliseconds since 1970"},
		{"mooncake: endless", moon(`{"timestamp":1e999,"input_length":1,"output_length":1}`), "number of milliseconds since 1970"},
		{"mooncake: null", moon(`{"timestamp":1000,"input_length":null,"output_length":1}`), `t:2: input_length "null": a whole number`},
		{"mooncake: negative", moon(`{"timestamp":1000,"input_length":1,"output_length":-1}`), `t:2: output_length "-1"`},
		{"mooncake: blocks", moon(`{"timestamp":1000,"input_length":1,"output_length":1,"hash_ids":[1,"2"]}`), "t:2: hash_ids"},
		{"mooncake: block", moon(`{"timestamp":1000,"input_length":1,"output_length":1,"hash_ids":9}`), "t:2: hash_ids"},
		{"mooncake: block too large", moon(`{"timestamp":1000,"input_length":1,"output_length":1,"hash_ids":[9223372036854775808]}`), "t:2: hash_ids"},
		{"mooncake: nested blocks", moon(`{"timestamp":1000,"input_length":1,"output_length":1,"hash_ids":[[1]]}`), "t:2: hash_ids"},
		{"events: agent", event(`{"intended_s":1,"tokens_in":1,"tokens_out":1,"agent":-1}`), `t:2: agent "-1"`},
		{"events: profile", event(`{"intended_s":1,"tokens_in":1,"tokens_out":1,"profile":1}`), `t:2: profile "1": a text is expected`},
		{"events: ending", event(`{"intended_s":1,"tokens_in":1,"tokens_out":1,"ending":false}`), `t:2: ending "false": a text is expected`},
		{"events: time", event(`{"intended_s":true,"tokens_in":1,"tokens_out":1}`), `t:2: intended_s "true": a number is expected`},
		{"azure: BOM within", traceHeader + "1,1,1\n\xef\xbb\xbf1,1,1\n2,2,2\n", "t:3: TIMESTAMP"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, counts, err := readAs(Trace{Path: "t"}, strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(rows) > 1 || counts.Skipped != 0 {
				t.Errorf("%d rows, error %v, want %q", len(rows), err, tt.want)
			}
			rows, counts, err = readAs(Trace{Path: "t", SkipBad: true}, strings.NewReader(tt.text))
			if err != nil || len(rows) != 2 || rows[1].In != 2 || rows[1].At != time.Second {
				t.Errorf("skipping: rows %+v, %v", rows, err)
			}
			if counts.Rows != 2 || counts.Skipped != 1 || !strings.Contains(counts.FirstSkipped, tt.want) {
				t.Errorf("skipping: counts %+v", counts)
			}
		})
	}
}

// Ensure what is wrong with a file as a whole is an error also when bad rows are
// skipped, and that a trace of bad rows alone says so.
func TestTraceBadFiles(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"header":   {"Timestamp,Request tokens\n", "t:1: column Response tokens is missing in the header"},
		"twice":    {"Timestamp,Request tokens,Response tokens,Model,model\n", "t:1: column Model is there twice"},
		"blank":    {"\n \n", "t:2: the file is empty"},
		"long row": {`{"timestamp":1,"input_length":1,"output_length":1}` + "\n" + `{"x":"` + strings.Repeat("x", maxRow) + `"}`, "t:2: the row is longer than 1048576 bytes"},
	} {
		if _, _, err := readAs(Trace{Path: "t", SkipBad: true}, strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", name, err, tt.want)
		}
	}
	set := textTrace(burstHeader + "x,,,,,,,\n1,,1,m,1,0,1,x\ny,,,,,,,\n")
	set.SkipBad, set.SkipFailed = true, true
	_, err := New(Config{Duration: time.Hour, Profiles: []Profile{{}}, Traces: []Trace{set}})
	if err == nil || !strings.Contains(err.Error(), `there is no row to replay, all 1 failed when they were recorded, 2 were skipped, the first for t:2: Timestamp "x"`) {
		t.Errorf("error is %v", err)
	}
}

// Ensure failed requests are replayed with a token out, or left out, and counted.
func TestTraceFailed(t *testing.T) {
	set := textTrace(burstHeader + "1,,1,m,9,0,9,x\n3,,1,m,7,5,12,x\n5,,1,m,8,0,8,x\n")
	ds, counts, err := replayed(t, set)
	if len(ds) != 3 || ds[0].Out != 1 || ds[0].In != 9 || ds[1].Intended != 2*time.Second || counts.Rows != 3 || counts.Failed != 2 || err != nil {
		t.Errorf("demands %+v, counts %+v, %v", ds, counts, err)
	}
	set.SkipFailed = true
	ds, counts, err = replayed(t, set)
	if len(ds) != 1 || ds[0].In != 7 || ds[0].Intended != 0 || counts.Rows != 3 || counts.Failed != 2 || err != nil {
		t.Errorf("left out: demands %+v, counts %+v, %v", ds, counts, err)
	}
}
