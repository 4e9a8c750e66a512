package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// pageMax is what the page of an hour of 2000 agents may weigh.
const pageMax = 1_000_000

// TestPageAndPictureOf2000Agents: the page stays small, and the picture in the README is the one that the
// code draws ("make picture" or -update renew it).
func TestPageAndPictureOf2000Agents(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole hour of 2000 agents, under the race detector")
	}
	dir := t.TempDir()
	page, picture, file := filepath.Join(dir, "r.html"), filepath.Join(dir, "r.svg"), filepath.Join(dir, "r.json")
	var out, errs buffer
	args := []string{"run", "../../scenarios/2000-agents.yaml", "--quiet", "-o", page, "-o", picture, "-o", file}
	if code := run(context.Background(), args, os.Stdin, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if info, err := os.Stat(page); err != nil || info.Size() > pageMax {
		t.Errorf("the page: %v, %v, want at most %d bytes", info, err, pageMax)
	}
	got, err := os.ReadFile(picture)
	if err != nil || len(got) > 100_000 {
		t.Fatalf("the picture: %d bytes, %v", len(got), err)
	}
	again := filepath.Join(dir, "again.svg")
	if code := run(context.Background(), []string{"report", file, "-o", again}, os.Stdin, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if redrawn, err := os.ReadFile(again); err != nil || !bytes.Equal(got, redrawn) {
		t.Errorf("the picture of the report file is another one (%v)", err)
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the picture in the README is that of amd64: other processors round otherwise")
	}
	path := filepath.Join("..", "..", "docs", "2000-agents.svg")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/2000-agents.svg is not what is drawn now (%v); run: make picture", err)
	}
}
