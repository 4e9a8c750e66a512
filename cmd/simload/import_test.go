package main

import (
	"bytes"
	"compress/gzip"
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
