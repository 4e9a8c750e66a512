package workload

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

const (
	burstHeader = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	eventLine   = `{"id":"00000000000004d2","agent":7,"profile":"notes","intended_s":1.000000000,"submitted_s":1.000000000,"ended_s":2.500000000,"ending":"succeeded","reason":"none","tokens_in":512,"tokens_out":256,"steps":[{"model":"gpt-4.1","key":"k1","queued_s":1.0,"first_token_s":null,"status":200}]}` + "\n"
)

var fuzzSeeds = []string{
	"", "\n", traceHeader, traceHeader + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n",
	"\xef\xbb\xbf\"TIMESTAMP\",\"GeneratedTokens\",\"ContextTokens\"\r\n\"1700158546.5\",0,1\r\n",
	traceHeader + "NaN,1,1\n", traceHeader + "-1.5,1,2\n2.5e-1,3,4\n", traceHeader + "1,-1,1\n", traceHeader + "2,1,1\n1,1,1\n",
	traceHeader + "2024-05-10T00:00:00+02:00,1,2\n", traceHeader + "0,\"\"\"\",1\n", traceHeader + "-4600000000,1,1\n4600000000,1,1\n",
	burstHeader + "5,17,2.5,ChatGPT,472,18,490,Conversation log\n5,,,GPT-4,10,0,10,\"API log\"\n8,17,1,\"Chat\"\"GPT\",1,2,3,x\n",
	"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n45,GPT-4,1087,230,1317,API log\n",
	`{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2, -3]}` + "\n" + `{"timestamp":1.5e3,"input_length":1,"output_length":0,"hash_ids":[0],"session_id":"a\u00e9"}`,
	`{"timestamp":0,"input_length":1,"output_length":0,"hash_ids":null,"x":{"y":[true,false,{}]}}`, `{"timestamp":1`, "{}", `{"a":[[[[]]]]}`,
	eventLine + strings.Replace(eventLine, "1.000000000", "0.5", 1),
}

// fuzzSettings turns a number into settings, so that all of them are tried.
func fuzzSettings(n uint16) Trace {
	set := Trace{
		Path: "fuzz", Format: TraceFormat(n % uint16(numFormats)), SkipBad: n>>3&1 == 1, SkipFailed: n>>4&1 == 1,
		Reorder: int(n >> 5 & 3), CacheBlocks: int(n >> 7 & 3),
	}
	if n>>9&1 == 1 {
		set.Spread = time.Duration(n>>10) * time.Second
	}
	return set
}

// FuzzTrace ensures that no input makes the reader of any format panic, that what it
// accepts is in order and in range, that rows are counted, and that it stays ended.
func FuzzTrace(f *testing.F) {
	for _, text := range fuzzSeeds {
		for _, n := range []uint16{0, 8 + 2<<5 + 1<<7 + 3<<9} {
			f.Add([]byte(text), n)
			f.Add(zipped(f, text), n)
			f.Add(zipped(f, text)[:15], n)
			f.Add(zstandard(f, text), n)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint16) {
		set := fuzzSettings(n)
		r, err := set.Read(bytes.NewReader(data))
		if err != nil {
			if r != nil || !strings.Contains(err.Error(), "fuzz") {
				t.Fatalf("reader %v, error %v", r, err)
			}
			return
		}
		defer r.Close()
		last, n2 := TraceRow{}, int64(0)
		for ; ; n2++ {
			row, ok := r.Next()
			if !ok {
				break
			}
			if n2 == 0 && row.At != 0 || row.At < last.At || row.In < 0 || row.Out < 0 || row.In > maxRowTokens ||
				row.Out > maxRowTokens || row.Prefix < 0 || row.Prefix > row.In || row.Failed && set.SkipFailed {
				t.Fatalf("row %+v after %+v", row, last)
			}
			last = row
		}
		err = r.Err()
		if _, ok := r.Next(); ok || r.Err() != err {
			t.Fatalf("a row after the end, or another error than %v", err)
		}
		c := r.Counts()
		want := c.Rows
		if set.SkipFailed {
			want -= c.Failed
		}
		if n2 != want && err == nil || n2 > want || (c.Skipped > 0) != (c.FirstSkipped != "") || c.Skipped > 0 && !set.SkipBad {
			t.Fatalf("%d rows, counts %+v, error %v", n2, c, err)
		}
	})
}

// FuzzJSONRow ensures that a row is accepted as an object only if it is one, and that
// fields have the values that the standard library finds.
func FuzzJSONRow(f *testing.F) {
	for _, text := range append(fuzzSeeds, `{"timestamp":1,"input_length":2,"output_length":3}`, `{"a":"\ud800","b":-0.5E+3}`, `{"a":01}`, `{"a":1}}`, `{,}`, "{\"a\":\"\n\"}") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		c := cursor{text: line}
		err := c.open()
		last := map[string]string{}
		for err == nil {
			key, value, more, e := c.field()
			if err = e; err != nil || !more {
				break
			}
			if !json.Valid(value) {
				t.Fatalf("value %q is not JSON", value)
			}
			last[string(key)] = string(value)
		}
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(line, &object) == nil && object != nil
		if (err == nil) != isObject && err != errDepth {
			t.Fatalf("error is %v, the library says %v", err, isObject)
		}
		if err != nil {
			return
		}
		for key, value := range last {
			if strings.Contains(key, `\`) || !utf8.ValidString(key) {
				continue
			}
			if want, ok := object[key]; ok && string(want) != value {
				t.Fatalf("field %q is %q, the library says %q", key, value, want)
			}
		}
	})
}
