package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

const traceHeader = "TIMESTAMP,ContextTokens,GeneratedTokens\n"

func zipped(t interface{ Fatal(...any) }, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t interface{ Fatal(...any) }, text string) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll([]byte(text), nil)
}

func readAll(r io.Reader) ([]TraceRow, error) {
	rows, _, err := readAs(Trace{Path: "t.csv"}, r)
	return rows, err
}

// readAs reads a trace with settings to its end, or to an error.
func readAs(set Trace, r io.Reader) ([]TraceRow, TraceCounts, error) {
	t, err := set.Read(r)
	if err != nil {
		return nil, TraceCounts{}, err
	}
	var rows []TraceRow
	for {
		row, ok := t.Next()
		if !ok {
			return rows, t.Counts(), errors.Join(t.Err(), t.Close())
		}
		rows = append(rows, row)
	}
}

// Ensure every form of the file that is promised gives the rows it means.
func TestTraceForms(t *testing.T) {
	s := time.Second
	tests := []struct {
		name, text string
		want       []TraceRow
	}{
		{"azure", traceHeader + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n", []TraceRow{{At: 0, In: 374, Out: 44}, {At: 4314579000, In: 396, Out: 109}}},
		{"no last line end", traceHeader + "5,1,2\n7,3,4", []TraceRow{{At: 0, In: 1, Out: 2}, {At: 2 * s, In: 3, Out: 4}}},
		{"CRLF, BOM, quotes, empty lines", "\xef\xbb\xbf\"TIMESTAMP\",\"ContextTokens\",\"GeneratedTokens\"\r\n\r\n\"0\",1 , \"2\"\r\n  \r\n1,3,4\r\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: s, In: 3, Out: 4}}},
		{"other order, case and columns", "generatedtokens,note,CONTEXTTOKENS,Timestamp\n2,\"a, \"\"b\"\"\",1,0\n4,,3,1\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: s, In: 3, Out: 4}}},
		{"zones", traceHeader + "2024-05-10T00:00:00Z,1,2\n2024-05-10 02:00:01.5+02:00,3,4\n2024-05-09T20:00:02-04:00,5,6\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: 1500 * time.Millisecond, In: 3, Out: 4}, {At: 2 * s, In: 5, Out: 6}}},
		{"nanoseconds", traceHeader + "2024-05-10 00:00:00.123456789,1,2\n2024-05-10 00:00:00.123456790,3,4\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: 1, In: 3, Out: 4}}},
		{"epoch", traceHeader + "1700158546.680590001,1,2\n1700158546.68059001,3,4\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: 9, In: 3, Out: 4}}},
		{"seconds", traceHeader + "-1.5,1,2\n2.5e-1,3,4\n", []TraceRow{{At: 0, In: 1, Out: 2}, {At: 1750 * time.Millisecond, In: 3, Out: 4}}},
		{"same instant, zero tokens", traceHeader + "3,0,0\n3,1,1\n3,0,2\n", []TraceRow{{At: 0, In: 0, Out: 0}, {At: 0, In: 1, Out: 1}, {At: 0, In: 0, Out: 2}}},
		{"header only", traceHeader, nil},
		{"leap day", traceHeader + "2024-02-28 23:59:59,1,1\n2024-03-01 00:00:00,1,1\n", []TraceRow{{At: 0, In: 1, Out: 1}, {At: 24*time.Hour + s, In: 1, Out: 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for form, data := range map[string][]byte{"plain": []byte(tt.text), "gzip": zipped(t, tt.text), "zstd": zstandard(t, tt.text)} {
				rows, err := readAll(bytes.NewReader(data))
				if err != nil || !reflect.DeepEqual(rows, tt.want) {
					t.Errorf("%s: rows are %v, %v, want %v", form, rows, err, tt.want)
				}
			}
		})
	}
}

// Ensure what cannot be right is an error with file, line and value, after the rows
// before it.
func TestTraceErrors(t *testing.T) {
	tests := []struct {
		name, text string
		rows       int
		want       string
	}{
		{"empty", "", 0, "t.csv: the file is empty"},
		{"missing column", "TIMESTAMP,ContextTokens\n", 0, `t.csv:1: column GeneratedTokens is missing in the header "TIMESTAMP,ContextTokens"`},
		{"column twice", "TIMESTAMP,ContextTokens,GeneratedTokens,timestamp\n", 0, "t.csv:1: column TIMESTAMP is there twice"},
		{"negative", traceHeader + "0,1,2\n1,-3,4\n", 1, `t.csv:3: ContextTokens "-3": a whole number from 0 to 1000000000`},
		{"NaN", traceHeader + "0,1,NaN\n", 0, `t.csv:2: GeneratedTokens "NaN"`},
		{"fraction", traceHeader + "0,1.0,2\n", 0, `t.csv:2: ContextTokens "1.0"`},
		{"too many tokens", traceHeader + "0,1000000001,2\n", 0, `ContextTokens "1000000001"`},
		{"empty field", traceHeader + "0,,2\n", 0, `ContextTokens ""`},
		{"few fields", traceHeader + "0,1\n", 0, "t.csv:2: 2 fields found, 3 expected"},
		{"many fields", traceHeader + "0,1,2,3\n", 0, "t.csv:2: 4 fields found"},
		{"open quote", traceHeader + "0,\"1,2\n", 0, "t.csv:2: a quoted field"},
		{"text after quote", traceHeader + "0,\"1\"x,2\n", 0, "t.csv:2: a quoted field"},
		{"step back", traceHeader + "2023-11-16 18:15:46.68,1,2\n2023-11-16 18:15:46.67,1,2\n", 1, "t.csv:3: the time is 10ms before that of the row before it"},
		{"no date", traceHeader + "2023-13-16 18:15:46,1,2\n", 0, `TIMESTAMP "2023-13-16 18:15:46": a date and time`},
		{"no day", traceHeader + "2023-02-29 18:15:46,1,2\n", 0, `TIMESTAMP "2023-02-29 18:15:46"`},
		{"time NaN", traceHeader + "NaN,1,2\n", 0, `TIMESTAMP "NaN"`},
		{"time infinite", traceHeader + "1e999,1,2\n", 0, `TIMESTAMP "1e999"`},
		{"milliseconds", traceHeader + "1700158546680,1,2\n", 0, "are these milliseconds?"},
		{"far future", traceHeader + "9999-01-01 00:00:00,1,2\n", 0, "beyond the years"},
		{"far past", traceHeader + "-4600000000.999999999,1,2\n-4600000001,1,2\n", 1, "beyond the years"},
		{"kinds mixed", traceHeader + "5,1,2\n2023-11-16 18:15:46,1,2\n", 1, "t.csv:3: the time is in dates, the rows before it have seconds"},
		{"long row", traceHeader + "0,1,2\n1," + strings.Repeat("1", maxRow) + ",2\n", 1, "t.csv:3: the row is longer than 1048576 bytes"},
		{"long header", strings.Repeat("x", 3*maxRow), 0, "t.csv:1: the row is longer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := readAll(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want it to contain %q", err, tt.want)
			}
			if len(rows) != tt.rows {
				t.Errorf("%d rows before the error, want %d", len(rows), tt.rows)
			}
		})
	}
}

// Ensure packed data that ends early or is damaged is an error, and that its last half
// of a row is never taken for a row.
func TestTraceTruncated(t *testing.T) {
	text := traceHeader + strings.Repeat("7,123456789,987654321\n", 8000) // two blocks of zstd
	for name, data := range map[string][]byte{"gzip": zipped(t, text), "zstd": zstandard(t, text)} {
		for cut := 4; cut < len(data); cut += 1 + len(data)/60 {
			rows, err := readAll(bytes.NewReader(data[:cut]))
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "t.csv") {
				t.Fatalf("%s cut at %d of %d: error is %v", name, cut, len(data), err)
			}
			for _, r := range rows {
				if r.In != 123456789 || r.Out != 987654321 {
					t.Fatalf("%s cut at %d: a row is %v", name, cut, r)
				}
			}
		}
		data[len(data)-6] ^= 1
		if _, err := readAll(bytes.NewReader(data)); !errors.Is(err, gzip.ErrChecksum) && !errors.Is(err, zstd.ErrCRCMismatch) {
			t.Errorf("%s damaged: error is %v", name, err)
		}
	}
}

// Ensure a trace that cannot be opened or has no row fails New, and one that breaks
// in the middle ends with an error.
func TestTraceInWorkload(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	of := func(path string) Config {
		return Config{
			Duration: 10 * time.Second, Profiles: []Profile{{MaxOutput: 50, MaxContext: 3}},
			Traces: []Trace{{Path: path, Speed: 1, Clients: 1}},
		}
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "absent.csv"):             "no such file",
		dir:                                          "is a directory",
		write("header.csv", traceHeader):             "header.csv: there is no row",
		write("bad.csv", traceHeader+"0,x,1\n"):      `bad.csv:2: ContextTokens "x"`,
		write("text.csv", "once upon a time\n1,2\n"): "text.csv:1: column TIMESTAMP is missing",
	} {
		if _, err := New(of(path)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}

	w := open(t, of(write("broken.csv", traceHeader+"0,0,0\n1,7,99\n2,7,oops\n3,1,1\n")))
	ds := all(w, 0)
	if len(ds) != 2 || ds[0].In != 1 || ds[0].Out != 1 || ds[1].In != 7 || ds[1].Out != 50 || ds[1].MaxOut != 50 {
		t.Errorf("demands are %+v", ds)
	}
	if err := w.Err(); err == nil || !strings.Contains(err.Error(), "broken.csv:4: GeneratedTokens") {
		t.Errorf("Err() = %v", err)
	}

	w = open(t, of(write("late.csv", traceHeader+"0,1,1\n9.999999999,2,2\n10,3,3\n11,x,x\n")))
	if ds := all(w, 0); len(ds) != 2 || w.Err() != nil {
		t.Errorf("%d demands within 10 s, %v", len(ds), w.Err())
	}
	w = open(t, of(write("closed.csv", traceHeader+"0,1,1\n1,2,2\n")))
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, ok := w.Next(0); ok || w.Err() != nil {
		t.Errorf("a closed workload has a demand, or an error: %v", w.Err())
	}
}
