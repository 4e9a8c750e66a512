package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Ensure the old content stands until the new one is whole, and mode and links survive.
func TestOutFileReplacesAtOnce(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "r.json"), filepath.Join(dir, "latest.json")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("r.json", link); err != nil {
		t.Fatal(err)
	}
	o, err := createFile(link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.buf.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("before commit: %q, want old", got)
	}
	if err := o.commit(); err != nil {
		t.Fatal(err)
	}
	o.discard() // as a deferred call does
	if got := read(t, path); got != "new" {
		t.Errorf("after commit: %q, want new", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: %v %v, want 0640", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%d files, want 2: %v %v", len(left), left, err)
	}
}

// Ensure nothing appears when a run comes to nothing.
func TestOutFileDiscard(t *testing.T) {
	dir := t.TempDir()
	var files outFiles
	o, err := files.create(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.buf.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	files.discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Ensure a write error that comes late is told, and leaves the old file.
func TestOutFileCommitFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	o, err := createFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // in the way of the rename
		t.Fatal(err)
	}
	if err := o.commit(); err == nil || !strings.Contains(err.Error(), "writing "+path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}

func TestScreen(t *testing.T) {
	for _, tc := range []struct {
		columns string
		want    int
	}{{"", 80}, {"132", 132}, {"0", 80}, {"-3", 80}, {"wide", 80}} {
		env := func(k string) string { return map[string]string{"COLUMNS": tc.columns}[k] }
		s := newScreen(&strings.Builder{}, &strings.Builder{}, env)
		if s.width != tc.want || s.color || s.live {
			t.Errorf("COLUMNS=%q: %+v, want width %d, no colour, not live", tc.columns, s, tc.want)
		}
	}
}
