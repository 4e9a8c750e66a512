package fit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/workload"
)

// told reads a trace in memory, fits it, and returns what is told of the fit.
func told(t *testing.T, name, text string) string {
	t.Helper()
	r, err := workload.ReadTrace(strings.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Read(r, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, g := judged(t, tr)
	return strings.Join(strings.Fields(g.Text(f)), " ")
}

// Ensure a fit names the figures that it does not have, and no others; that a recorded 0 is shown as 0; and that
// nothing is said of tokens that nobody knows.
func TestTextTellsWhatIsNotMet(t *testing.T) {
	const burst = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	var apart, zeros, failed, steady, fast strings.Builder
	for _, b := range []*strings.Builder{&zeros, &failed, &steady, &fast} {
		b.WriteString(burst)
	}
	for i := range 400 {
		in, hashes := 700, fmt.Sprintf("%d, %d", i%20*10, i%20*10+1)
		if i%2 == 0 {
			in, hashes = 0, ""
		}
		fmt.Fprintf(&apart, `{"timestamp": %d, "input_length": %d, "output_length": 5, "hash_ids": [%s]}`+"\n", 1700*i, in, hashes)
		fmt.Fprintf(&zeros, "%d,,1,m,0,1,1,x\n", 2*i+i%3)
		fmt.Fprintf(&failed, "%d,s%d,1,m,10,0,10,x\n", 2*i+i%3, i)
		fmt.Fprintf(&steady, "%d,s%d,1,m,%d,20,30,x\n", 2*i+i%3, i, 500+i%7)
		fmt.Fprintf(&fast, "%.6f,,1,m,10,10,20,x\n", float64(i)/1e6)
	}
	for name, c := range map[string]struct {
		file, text string
		has, hasNo string
	}{
		"apart":  {"t.jsonl", apart.String(), "Not met, by more than 20 %: tokens in (mean), tokens in (p95), sessions, requests of a session (mean), tokens in seen before. To keep them, replay the trace.", ""},
		"zeros":  {"t.csv", zeros.String(), "tokens in, mean 0 1 - tokens in, p50 0 1 -", "tokens in ("},
		"failed": {"t.csv", failed.String(), "tokens in -, tokens out -", "tokens in ("},
		"steady": {"t.csv", steady.String(), "tokens in 0.0", "Not met, by"},
		"fast":   {"t.csv", fast.String(), "Not met, by more than 20 %: requests.", "tokens in ("},
	} {
		got := told(t, c.file, c.text)
		if !strings.Contains(got, c.has) || c.hasNo != "" && strings.Contains(got, c.hasNo) {
			t.Errorf("%s: %q is missing or %q is there: %s", name, c.has, c.hasNo, got)
		}
	}
}
