package shard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// Schema names the form of a shard's file.
const Schema = "simload.shard/v1"

// Head is the first line of a file.
type Head struct {
	Schema     string         `json:"schema"`
	Shard      int            `json:"shard"` // from 1
	Shards     int            `json:"shards"`
	Parts      int            `json:"parts"` // that follow
	Experiment sim.Experiment `json:"experiment"`
	// Interrupted: runs are missing, or were not carried out to their end.
	Interrupted bool `json:"interrupted,omitempty"`
}

// File is what a shard gave.
type File struct {
	Head
	Path  string // for messages; not in the file
	Runs  []*sim.Part
	lines [][]byte // of the runs
}

// FileError says what is wrong with a file, and what would help.
type FileError struct {
	Path, Problem, Hint string
}

// Error implements error.
func (e *FileError) Error() string { return e.Path + ": " + e.Problem }

// Write writes the file of a shard. Equal ones give equal bytes.
func Write(w io.Writer, s Shard, e *sim.Experiment, parts []*sim.Part, interrupted bool) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // expectations hold < and >
	err := enc.Encode(Head{Schema, s.I, s.N, len(parts), *e, interrupted})
	for _, p := range parts {
		if err == nil {
			err = enc.Encode(p)
		}
	}
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing a shard: %w", err)
	}
	return nil
}

// Describe says what the file of a shard holds, and how to go on.
func Describe(s Shard, e *sim.Experiment, parts []*sim.Part, path string) string {
	var b strings.Builder
	all := e.Tasks()
	mine := Count(s, len(all))
	fmt.Fprintf(&b, "shard %s of %s (seed %d): %d of %d runs, in %s\n", s, report.Clean(e.Scenario.Name, 60), e.Scenario.Seed, mine, len(all), path)
	for _, name := range e.Variants {
		var reps []int
		for _, p := range parts {
			if p.Task.Variant == name {
				reps = append(reps, p.Task.Rep)
			}
		}
		if len(reps) > 0 {
			fmt.Fprintf(&b, "  %s   replication %s\n", report.Clean(name, 60), numbers(reps))
		}
	}
	switch {
	case len(parts) < mine:
		fmt.Fprintf(&b, "interrupted: %d runs are there, the last of them perhaps not whole; run the shard again, or merge what there is\n", len(parts))
	case mine == 0:
		fmt.Fprintf(&b, "there are fewer runs than shards: --reps gives more\n")
	}
	if s.N == 1 {
		fmt.Fprintf(&b, "next: simload merge %s\n", path)
	} else {
		fmt.Fprintf(&b, "next, with the files of all %d shards: simload merge FILES...\n", s.N)
	}
	return b.String()
}

const runAgain = "run the shard again"

// Raw is a file before it is known what it is.
type Raw struct {
	Path string // for messages
	Data []byte
}

// AllOf reports whether files begin with a schema, which is that of no run; files of runs and others together are a *FileError.
func AllOf(schema string, files []Raw) (bool, error) {
	of := make([]bool, len(files))
	for i, f := range files {
		first, _, _ := bytes.Cut(f.Data, []byte{'\n'})
		if of[i] = SchemaOf(first) == schema; of[i] != of[0] {
			runs, plans := f.Path, files[0].Path
			if of[i] {
				runs, plans = plans, runs
			}
			return false, &FileError{plans, "it is of a plan, and " + runs + " is not", "merge the shards of one plan, or of one run"}
		}
	}
	return of[0], nil
}

// Read reads the file of a shard. What is none, or is damaged, is a *FileError.
func Read(raw Raw) (*File, error) {
	data, path := raw.Data, raw.Path
	first, rest, whole := bytes.Cut(data, []byte{'\n'})
	if SchemaOf(first) != Schema {
		return nil, notShard(path, first)
	}
	f := &File{Path: path}
	if err := json.Unmarshal(first, &f.Head); err != nil {
		return nil, &FileError{path, fmt.Sprintf("line 1 is damaged: %v", err), runAgain}
	}
	if err := f.sound(); err != nil {
		return nil, &FileError{path, fmt.Sprintf("line 1 is damaged: %v", err), runAgain}
	}
	cut := &FileError{path, "", "it was cut off, or copied before it was whole: copy it again, or run the shard again"}
	for n := 2; len(rest) > 0; n++ {
		var line []byte
		if line, rest, whole = bytes.Cut(rest, []byte{'\n'}); !whole {
			break // half a line
		}
		p := new(sim.Part)
		if err := json.Unmarshal(line, p); err != nil {
			return nil, &FileError{path, fmt.Sprintf("line %d is damaged: %v", n, err), runAgain}
		}
		f.Runs, f.lines = append(f.Runs, p), append(f.lines, line)
	}
	if !whole || len(f.Runs) < f.Parts {
		cut.Problem = fmt.Sprintf("it ends after %d of %d runs", len(f.Runs), f.Parts)
		return nil, cut
	}
	if err := f.own(); err != nil {
		return nil, err
	}
	return f, nil
}

// sound checks what the head says.
func (f *File) sound() error {
	if f.Shards < 1 || f.Shards > Max || f.Shard < 1 || f.Shard > f.Shards {
		return fmt.Errorf("there is no shard %d of %d", f.Shard, f.Shards)
	}
	return f.Experiment.Check()
}

// own checks that the runs are the shard's, in their order and each once, and all of them if it was not interrupted.
func (f *File) own() error {
	tasks := Deal(Shard{f.Shard, f.Shards}, f.Experiment.Tasks())
	at := 0
	for i, p := range f.Runs {
		k := slices.Index(tasks[at:], p.Task)
		if k < 0 {
			return &FileError{f.Path, fmt.Sprintf("line %d is damaged: %v is none of shard %d/%d, or there twice", i+2, p.Task, f.Shard, f.Shards), runAgain}
		}
		at += k + 1
	}
	if len(f.Runs) != f.Parts || len(f.Runs) < len(tasks) && !f.Interrupted {
		return &FileError{f.Path, fmt.Sprintf("it has %d runs of %d, and says %d", len(f.Runs), len(tasks), f.Parts), runAgain}
	}
	return nil
}

// SchemaOf returns the schema that the first line of a file names; "" if it names none.
func SchemaOf(line []byte) string {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return ""
	}
	return head.Schema
}

// notShard says what a file is instead, as far as one can tell.
func notShard(path string, first []byte) error {
	e := &FileError{path, "it is no shard of a run or a plan", "shards are written by: simload run SCENARIO --reps N --shard i/n -o FILE.jsonl"}
	switch schema := SchemaOf(first); {
	case len(bytes.TrimSpace(first)) == 0:
		e.Problem = "it is empty"
	case bytes.HasPrefix(first, []byte(`{"schema":"`+Schema)):
		e.Problem, e.Hint = "it ends in its first line", runAgain
	case schema != "":
		e.Problem = fmt.Sprintf("it is no shard of a run or a plan: its schema is %q", report.Clean(schema, 60))
	case bytes.Equal(bytes.TrimSpace(first), []byte("{")) || bytes.HasPrefix(bytes.TrimSpace(first), []byte("[")):
		e.Hint = "reports are no shards: give the files of --shard"
	}
	return e
}

// IsFileError returns the error as one about a file, if it is.
func IsFileError(err error) (*FileError, bool) {
	var e *FileError
	ok := errors.As(err, &e)
	return e, ok
}
