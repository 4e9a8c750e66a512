package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Ensure only an error about a row is hinted at as one that a row's correction would mend.
func TestImportHints(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,10,10\n2023-11-16 18:15:47.6805900,10,10\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := b.Bytes()
	damaged[len(damaged)-6] ^= 0xff // of the checksum
	for name, c := range map[string]struct {
		data []byte
		row  bool
	}{
		"row.csv":        {[]byte("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,10,-1\n"), true},
		"damaged.csv.gz": {damaged, false},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("simload", "import", path).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "hint: ") || strings.Contains(string(out), "correct the row") != c.row {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

// rows is a trace in Azure's form, of so many requests.
func rows(n int, at func(i int) float64) string {
	text := "TIMESTAMP,ContextTokens,GeneratedTokens\n"
	for i := range n {
		text += fmt.Sprintf("%.6f,10,10\n", at(i))
	}
	return text
}

// calls are twenty measured calls of each model, those of the second five times as slow.
func calls(models ...string) string {
	text := "model,in,out,first_token_s,total_s\n"
	for k, m := range models {
		for i := range 20 {
			slow := float64(1 + 4*k)
			text += fmt.Sprintf("%s,%d,%d,%.3f,%.3f\n", m, 100*i, 10+i, slow*(0.1+0.01*float64(i)), slow*(0.5+0.02*float64(i)))
		}
	}
	return text
}

// Ensure what import cannot do is the user's error, with what is wrong and what can be done; and what it can do in spite of
// odd files is told.
func TestImportSays(t *testing.T) {
	steady := rows(100, func(i int) float64 { return 1.3 * float64(i) })
	dir := t.TempDir()
	for name, text := range map[string]string{
		"steady.csv": steady,
		"fast.csv":   rows(3000, func(i int) float64 { return float64(i) / 2e6 }),
		"heap.csv":   rows(40, func(i int) float64 { return float64(i/39) * 50_000 }),
		"few.csv":    rows(19, func(i int) float64 { return float64(i) }),
		"late.csv":   rows(30, func(i int) float64 { return float64(i * (29 - i)) }),
		"report.json": `{"schema": "simload.report/v1",
`,
		"two.csv": calls("fast-m", "slow-m"), "same.csv": calls(" gpt-4.1-mini", "slow-m"), "one.csv": calls("fast-m"),
		"odd.csv": calls("null", "a b"), "mark.csv": "\ufeff\n" + calls("m"), "head.csv": calls(), "slow.csv": strings.ReplaceAll(calls("m"), "0.", "9000000."),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]struct {
		code  int
		lines []string // parts of the output
	}{
		"steady.csv --latency two.csv":  {2, []string{`two.csv: measured calls of several models: "fast-m" (20), "slow-m" (20)`, "hint: name one of them with --model"}},
		"steady.csv --latency same.csv": {0, []string{"gpt-4.1-mini: 20 calls;", "Left out: 20 calls of other models."}},
		"steady.csv --latency one.csv":  {0, []string{"fast-m: 20 calls;"}},
		"steady.csv --latency mark.csv": {0, []string{"m: 20 calls;"}},
		"steady.csv --latency none.csv": {2, []string{"no such file", "hint: check the path"}},
		"latency two.csv":               {0, []string{"fast-m: 20 calls;", "slow-m: 20 calls;"}},
		"latency odd.csv":               {0, []string{"null: 20 calls;", "a b: 20 calls;"}},
		"latency none.csv":              {2, []string{"no such file", "hint: check the path"}},
		"latency head.csv":              {2, []string{"too few measured calls: 0, at least 20 are needed", "hint: "}},
		"latency slow.csv":              {2, []string{"for an empty prompt, at most 1h0m0s are possible", "hint: first_token_s and total_s are seconds"}},
		"fast.csv":                      {2, []string{"2e+06 per second at the busiest, at most 1000000 are possible", "hint: see that times are in the unit"}},
		"heap.csv":                      {2, []string{"nearly all of the 40 come together", "hint: see that times are in the unit"}},
		"few.csv":                       {2, []string{"too few: 19, at least 20 are needed", "hint: record the traffic for longer"}},
		"steady.csv --for 5s":           {2, []string{"too few: 4, at least 20 are needed", "hint: take a longer part"}},
		"steady.csv --for -5s":          {2, []string{"must not be negative, found 0s and -5s", "hint: both are times of the trace"}},
		"none.csv":                      {2, []string{"no such file", "hint: check the path"}},
		"late.csv":                      {2, []string{"late.csv:18: the time is 2s before that of the row before it: the trace is not sorted", "hint: correct the row, "}},
		"report.json":                   {2, []string{"report.json:1: the row is not one JSON object", "say which with --format; if it is one of these, correct the row"}},
		"steady.csv --format mooncake":  {2, []string{"steady.csv:1: the row is not one JSON object", "say which with --format"}},
	} {
		cmd := exec.Command("simload", append([]string{"import"}, strings.Fields(args)...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != want.code {
			t.Errorf("%s: exit code %d, want %d: %s", args, code, want.code, out)
		}
		for _, line := range want.lines {
			if !strings.Contains(string(out), line) {
				t.Errorf("%s: %q is not in the output: %s", args, line, out)
			}
		}
	}
}

// Ensure the README's import is what the program prints, line by line, with parts left out.
func TestReadmeShowsTheImport(t *testing.T) {
	trace, err := filepath.Abs("../../../shared/data/mooncake_conversation_trace.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(trace); err != nil {
		t.Skipf("the reference trace is not here: %v", err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "\n$ simload import mooncake")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimRight(block, "\n"), "\n")[1:] // less the command
	if len(lines) < 10 {
		t.Fatalf("the README shows %d lines", len(lines))
	}
	out, err := exec.Command("simload", "import", trace, "-o", filepath.Join(t.TempDir(), "mine.yaml")).Output()
	if err != nil {
		t.Fatal(err)
	}
	rest := string(out)
	for _, line := range lines {
		if line == "..." {
			continue
		}
		_, after, found := strings.Cut(rest, line+"\n")
		if !found {
			t.Errorf("the program does not print, or not here: %q", line)
			continue
		}
		rest = after
	}
}
