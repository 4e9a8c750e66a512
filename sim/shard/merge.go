package shard

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// Merged is what several shards gave together.
type Merged struct {
	Experiment  sim.Experiment
	Parts       []*sim.Part // for sim.Experiment.Assemble
	Shards      int
	Interrupted bool     // a shard was
	Notes       []string // what is no error, but worth a word
}

// Merge puts the files of an experiment's shards together, in whatever order they are given. Of a shard that is there twice
// the same runs count once. Files that do not belong together, shards that are missing, and runs that differ are a
// *FileError, or a *MissingError; and so are files that another program than tool, which merges, wrote.
func Merge(files []*File, tool report.Tool) (*Merged, error) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Path, b.Path)) })
	first := files[0]
	for _, f := range files[1:] {
		if err := first.together(f); err != nil {
			return nil, err
		}
	}
	if first.Experiment.Tool != tool {
		return nil, OtherTool(first.Path, first.Experiment.Tool, tool)
	}
	m := &Merged{Experiment: first.Experiment, Shards: first.Shards}
	if err := missing(files); err != nil {
		return nil, err
	}
	have := make(map[int]*File) // by the number of a run; asked, never walked
	whole := make(map[int]bool) // shards of which a file was not interrupted
	for _, f := range files {
		whole[f.Shard] = whole[f.Shard] || !f.Interrupted
		if err := m.add(f, have); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if !whole[f.Shard] && !m.Interrupted {
			m.Interrupted = true
			m.Notes = append(m.Notes, fmt.Sprintf("%s: shard %d/%d was interrupted after %d runs; the report is partial", f.Path, f.Shard, f.Shards, len(f.Runs)))
		}
	}
	return m, nil
}

// add takes over the runs of a file that are not there yet.
func (m *Merged) add(f *File, have map[int]*File) error {
	twice := ""
	for i, p := range f.Runs {
		other := have[p.Task.Index]
		if other == nil {
			have[p.Task.Index] = f
			m.Parts = append(m.Parts, p)
			continue
		}
		k := slices.IndexFunc(other.Runs, func(q *sim.Part) bool { return q.Task == p.Task })
		if !bytes.Equal(f.lines[i], other.lines[k]) {
			e := &FileError{f.Path, fmt.Sprintf("%v is in %s too, with another result", p.Task, other.Path), "leave out one of them"}
			if f.Interrupted || other.Interrupted {
				e.Hint = "leave out the one that was interrupted"
			}
			return e
		}
		twice = other.Path
	}
	if twice != "" {
		m.Notes = append(m.Notes, fmt.Sprintf("%s: shard %d/%d is in %s too, with the same results; it counts once", f.Path, f.Shard, f.Shards, twice))
	}
	return nil
}

// SameCommand is the hint about shards that do not belong together.
const SameCommand = "all shards are of one command, but for --shard and the file"

// together says why two files are not of one experiment, if so.
func (f *File) together(o *File) error {
	a, b := &f.Experiment, &o.Experiment
	differ := func(what, x, y, hint string) error {
		return &FileError{o.Path, fmt.Sprintf("%s: %s, and %s in %s", what, report.Clean(y, 80), report.Clean(x, 80), f.Path), hint}
	}
	list := func(l []string) string {
		if len(l) == 0 {
			return "none"
		}
		return strings.Join(l, ", ")
	}
	for _, c := range []struct{ what, x, y, hint string }{
		{"another version of simload", ToolName(a.Tool), ToolName(b.Tool), "run all shards with one version, on one architecture"},
		{"another scenario", a.Scenario.Name, b.Scenario.Name, SameCommand},
		{"another number of shards", fmt.Sprint(f.Shards), fmt.Sprint(o.Shards), SameCommand},
		{"another seed", fmt.Sprint(a.Scenario.Seed), fmt.Sprint(b.Scenario.Seed), SameCommand},
		{"other overrides (--set)", list(a.Scenario.Overrides), list(b.Scenario.Overrides), SameCommand},
		{"other variants", list(a.Variants), list(b.Variants), SameCommand},
		{"another content of the scenario", short(a.Scenario.SHA256), short(b.Scenario.SHA256), "the file was changed in between: run all shards again"},
		{"other demand, from another trace", short(a.Scenario.DemandSHA256), short(b.Scenario.DemandSHA256), "a trace was changed in between: run all shards again"},
		{"another number of replications", fmt.Sprint(a.Reps), fmt.Sprint(b.Reps), SameCommand},
		{"another clock", a.Scenario.Mode, b.Scenario.Mode, SameCommand},
		{"another target", cmp.Or(a.Scenario.Target, "none"), cmp.Or(b.Scenario.Target, "none"), SameCommand},
		{"other expectations", list(a.Expect), list(b.Expect), SameCommand},
	} {
		if c.x != c.y {
			return differ(c.what, c.x, c.y, c.hint)
		}
	}
	return nil
}

// ToolName names a program for messages.
func ToolName(t report.Tool) string { return fmt.Sprintf("%s (%s, %s)", t.Version, t.Go, t.Arch) }

// OtherTool is the error about a file that another program wrote than the one that reads it.
func OtherTool(path string, wrote, reads report.Tool) error {
	return &FileError{path, fmt.Sprintf("it was written by simload %s, this is %s", ToolName(wrote), ToolName(reads)), "merge with the program that ran the shards"}
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// MissingError tells the shards that are not there.
type MissingError struct {
	Shards []Shard
	Runs   []int // of the first of them, from 0: the first nine, and the last
}

// Error implements error.
func (e *MissingError) Error() string {
	names := make([]string, 0, 8)
	for i, s := range e.Shards {
		if i == 8 {
			names = append(names, fmt.Sprintf("and %d more", len(e.Shards)-i))
			break
		}
		names = append(names, s.String())
	}
	if len(e.Shards) == 1 {
		return fmt.Sprintf("shard %s is missing (%s)", names[0], runList(e.Runs))
	}
	return fmt.Sprintf("shards %s are missing (of the first: %s)", strings.Join(names, ", "), runList(e.Runs))
}

// runList names some runs, from 1.
func runList(runs []int) string {
	switch len(runs) {
	case 0:
		return "it has no runs, but leaves a file"
	case 1:
		return fmt.Sprintf("run %d", runs[0]+1)
	}
	return "runs " + numbers(runs)
}

// numbers lists numbers that count from 0 as people do: "3, 11, 19 ... 75".
func numbers(list []int) string {
	var out []string
	for i, n := range list {
		if i == 8 && len(list) > 9 {
			return strings.Join(out, ", ") + fmt.Sprintf(" ... %d", list[len(list)-1]+1)
		}
		out = append(out, fmt.Sprint(n+1))
	}
	return strings.Join(out, ", ")
}

// missing says which shards are not there.
func missing(files []*File) error {
	have := make([]bool, files[0].Shards)
	for _, f := range files {
		have[f.Shard-1] = true
	}
	tasks := files[0].Experiment.Tasks()
	return Absent(have, len(tasks))
}

// listed is how many runs a [MissingError] names: their number is the word of a file.
const listed = 10

// dealt are the first of the runs of shard i of n, from 0, and the last of them.
func dealt(i, n, runs int) (list []int) {
	for k := i; k < runs && len(list) < listed-1; k += n {
		list = append(list, k)
	}
	if len(list) == listed-1 {
		if last := i + (runs-1-i)/n*n; last > list[len(list)-1] {
			list = append(list, last)
		}
	}
	return list
}

// Absent says which of the shards of so many runs are not there: a *MissingError, or nil.
func Absent(have []bool, runs int) error {
	e := &MissingError{}
	for i, ok := range have {
		if ok {
			continue
		}
		if e.Shards = append(e.Shards, Shard{i + 1, len(have)}); len(e.Shards) == 1 {
			e.Runs = dealt(i, len(have), runs)
		}
	}
	if len(e.Shards) == 0 {
		return nil
	}
	return e
}
