package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// burst makes the rows of a BurstGPT file as they are read: one every 10 ms, in
// sessions of ten, every fiftieth failed.
type burst struct {
	rows, row int
	left      []byte
	room      []byte
}

func newBurst(rows int) *burst { return &burst{rows: rows, left: []byte(burstHeader)} }

func (b *burst) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(b.left) == 0 {
			if b.row == b.rows {
				break
			}
			b.next()
		}
		k := copy(p[n:], b.left)
		b.left = b.left[k:]
		n += k
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (b *burst) next() {
	out := 100 + b.row%7
	if b.row%50 == 49 {
		out = 0
	}
	in := 400 + b.row%1000
	r := strconv.AppendFloat(b.room[:0], float64(b.row)/100, 'f', 2, 64)
	r = append(r, ",s"...)
	r = strconv.AppendInt(r, int64(b.row/10), 10)
	r = append(r, ",2.25,"...)
	r = append(r, [2]string{"ChatGPT", "GPT-4"}[b.row&1]...)
	for _, v := range []int{in, out, in + out} {
		r = append(r, ',')
		r = strconv.AppendInt(r, int64(v), 10)
	}
	b.room = append(r, ",Conversation log\n"...)
	b.left = b.room
	b.row++
}

// Ensure a large BurstGPT file is replayed in less than 200 MB of heap: 500 000 rows,
// or 5 million with SIMLOAD_FULL=1.
func TestTraceBurstGPTLoad(t *testing.T) {
	rows := 500_000
	if os.Getenv("SIMLOAD_FULL") == "1" {
		rows = 5_000_000
	}
	set := Trace{
		Path: "burst.csv", Speed: 1, Clients: 5000, Reorder: 1000, Spread: time.Second, Models: []TraceModel{{"ChatGPT", 0}, {"GPT-4*", 1}},
		Source: func() (io.ReadCloser, error) { return io.NopCloser(newBurst(rows)), nil },
	}
	w := open(t, Config{Duration: 1000 * time.Hour, Profiles: []Profile{{}, {MaxOutput: 50}}, Traces: []Trace{set}})
	var m runtime.MemStats
	high, n, in, begin := uint64(0), 0, int64(0), time.Now()
	for d, ok := w.Next(0); ok; d, ok = w.Next(0) {
		if d.Profile != n&1 || d.Intended != time.Duration(n)*10*time.Millisecond {
			t.Fatalf("request %d is %+v", n, d)
		}
		in += d.In
		if n++; n%(rows/50) == 0 {
			runtime.ReadMemStats(&m)
			high = max(high, m.HeapAlloc)
		}
	}
	took := time.Since(begin)
	c := w.TraceCounts()[0]
	if w.Err() != nil || n != rows || c.Rows != int64(rows) || c.Failed != int64(rows/50) || in != int64(rows)*400+int64(rows)*999/2 {
		t.Errorf("%d requests, %d tokens in, counts %+v, %v", n, in, c, w.Err())
	}
	if high > 200e6 {
		t.Errorf("%d MB of heap, want less than 200", high/1e6)
	}
	t.Logf("%d rows: %.1f MB of heap at most, %v a row, making it included", rows, float64(high)/1e6, took/time.Duration(rows))
}

// Ensure the window sorts what is out of order by no more rows than it holds, with
// rows of one instant in their order, as a stable sort of the whole would.
func TestTraceReorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(1, 8).Draw(t, "window")
		at := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 40).Draw(t, "instants")
		text := traceHeader
		var want []TraceRow
		fits := true
		for i, a := range at {
			text += fmt.Sprintf("%d,%d,0\n", a, i)
			want = append(want, TraceRow{At: time.Duration(a) * time.Second, In: int64(i)})
			earlier := slices.Clone(at[:i])
			slices.Sort(earlier)
			// Of i rows before it, all but window have been handed out.
			if out := i - window; out > 0 && a < earlier[out-1] {
				fits = false
			}
		}
		rows, _, err := readAs(Trace{Path: "t", Reorder: window}, strings.NewReader(text))
		if !fits {
			if err == nil || !strings.Contains(err.Error(), "needed to put this one in order") {
				t.Fatalf("error is %v, a row comes too late", err)
			}
			return
		}
		slices.SortStableFunc(want, func(a, b TraceRow) int { return int(a.At - b.At) })
		for i := range slices.Backward(want) {
			want[i].At -= want[0].At
		}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Fatalf("rows are %v, %v, want %v", rows, err, want)
		}
	})
}

// INV-4: the same file gives the same demands, packed or not.
func TestTraceDeterminism(t *testing.T) {
	text, err := io.ReadAll(newBurst(3000))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	demands := func(name string, data []byte) []Demand {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		set := Trace{Path: path, Speed: 1.7, Clients: 33, Loop: 3, Spread: time.Second, Reorder: 10}
		ds, _, err := replayed(t, set, Profile{EstimateSigma: 0.2, WriteShare: 0.3})
		if err != nil || len(ds) != 9000 {
			t.Fatalf("%s: %d demands, %v", name, len(ds), err)
		}
		return ds
	}
	want := demands("plain.csv", text)
	if !reflect.DeepEqual(demands("again.csv", text), want) {
		t.Error("a second replay differs")
	}
	if !reflect.DeepEqual(demands("a.csv.gz", zipped(t, string(text))), want) {
		t.Error("the gzip file differs")
	}
	if !reflect.DeepEqual(demands("a.csv.zst", zstandard(t, string(text))), want) {
		t.Error("the zstd file differs")
	}
	double := append(zstandard(t, string(text[:5000])), zstandard(t, string(text[5000:]))...)
	if !reflect.DeepEqual(demands("two-frames.zst", double), want) {
		t.Error("the file of two frames differs")
	}
}

// Ensure unpacking starts no goroutine, that a packed file that unpacks to gigabytes
// ends at its first row in little memory, and that a window beyond the bound is refused.
func TestTraceBomb(t *testing.T) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zeroes := make([]byte, 1<<20)
	for range 256 {
		if _, err := z.Write(zeroes); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	var m, n runtime.MemStats
	runtime.ReadMemStats(&m)
	_, err = readAll(bytes.NewReader(b.Bytes()))
	runtime.ReadMemStats(&n)
	if err == nil || !strings.Contains(err.Error(), "t.csv:1: the row is longer") {
		t.Errorf("error is %v", err)
	}
	if used := n.TotalAlloc - m.TotalAlloc; used > 64e6 {
		t.Errorf("%d MB were allocated for %d packed bytes", used/1e6, b.Len())
	}
	if after := runtime.NumGoroutine(); after != before {
		t.Errorf("%d goroutines, %d before", after, before)
	}

	// A frame header that asks for 2^31 bytes of window (RFC 8878, 3.1.1.1.2).
	huge := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, (31 - 10) << 3, 1, 0, 0}
	if _, err := readAll(bufio.NewReader(bytes.NewReader(huge))); !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("a window of 2 GB: %v", err)
	}
}
