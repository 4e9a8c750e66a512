package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/shard"
)

// ShardHeader identifies a shard of the plan in a results file; see [Plan.RunShard].
func (p *Plan) ShardHeader(s shard.Shard) (Header, error) {
	h, err := p.Header()
	h.Shard, h.Runs = s.String(), p.rangeRuns()
	return h, err
}

// rangeRuns is the number of runs of the whole range.
func (p *Plan) rangeRuns() int {
	n := len(p.variants) * p.cfg.Reps
	for i := range p.axes {
		n *= len(p.axes[i].Values)
	}
	return n
}

// RunShard carries out a shard's part of the plan's range, every value or all of a grid times the replications, into the
// session's journal: a search goes from one point to the next, so what can be dealt out is what it might ask for. The
// plan itself goes on from the results of all shards, put together by [MergeResults]; what only the answer tells, such as
// what it is sensitive to, and a growth, it runs then. RunShard returns how many runs the shard has. An interruption is no error.
func (p *Plan) RunShard(s Session, sh shard.Shard) (int, error) {
	w := newSweep(p, s)
	all, todo := 0, []run(nil)
	for i := range p.rangeRuns() {
		if !sh.Has(i) {
			continue
		}
		all++
		r := p.rangeRun(i)
		if n := len(todo); n > 0 && todo[n-1].point.label == r.point.label {
			r.point = todo[n-1].point // it is loaded once for its replications
		}
		if !w.has(r) {
			todo = append(todo, r)
		}
	}
	w.progress.Parts = len(todo)
	for part := range slices.Chunk(todo, gridChunk) { // their scenarios are in memory together
		if err := w.carryOut(part); err != nil {
			if errors.Is(err, ErrStopped) {
				err = nil
			}
			return all, err
		}
		for _, r := range part {
			r.point.unload(p)
		}
	}
	return all, nil
}

func (w *sweep) has(r run) bool {
	_, ok := w.Journal.find(r)
	return ok
}

// rangeRun is run i of the whole range, replications first.
func (p *Plan) rangeRun(i int) run {
	rep, i := i%p.cfg.Reps, i/p.cfg.Reps
	index := make([]int, len(p.axes))
	for a := len(p.axes) - 1; a >= 0; a-- {
		n := len(p.axes[a].Values)
		index[a], i = i%n, i/n
	}
	return run{p.at(nil, index), &p.variants[i], rep}
}

// Merged is what the results files of a plan's shards hold together.
type Merged struct {
	Header Header // of the whole plan
	Runs   int
	Notes  []string // what is no error, but worth a word

	lines map[string][]byte // by sampleKey; walked in the order of its keys
}

// results is a results file of a shard.
type results struct {
	shard.Raw
	header Header
	shard  shard.Shard
	runs   map[string][]byte
	cut    bool
}

// MergeResults puts the results files of a plan's shards together, in whatever order they are given. A run that is there twice
// counts once. Files that do not belong together, shards that are missing, and runs that differ are a *shard.FileError,
// or a *shard.MissingError; tool is the program that merges, which must have written them. A shard that was interrupted is a note: the plan runs what it has not.
func MergeResults(raw []shard.Raw, tool report.Tool) (*Merged, error) {
	files := make([]*results, len(raw))
	for i := range raw {
		files[i] = &results{Raw: raw[i]}
		if err := files[i].read(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(files, func(a, b *results) int { return cmp.Or(cmp.Compare(a.shard.I, b.shard.I), cmp.Compare(a.Path, b.Path)) })
	first := files[0]
	have := make([]bool, first.shard.N)
	for _, f := range files {
		if err := first.together(f); err != nil {
			return nil, err
		}
		have[f.shard.I-1] = true
	}
	if first.header.Tool != tool {
		return nil, shard.OtherTool(first.Path, first.header.Tool, tool)
	}
	if err := shard.Absent(have, first.header.Runs); err != nil {
		return nil, err
	}
	m := &Merged{Header: first.header, lines: make(map[string][]byte)}
	m.Header.Shard, m.Header.Runs = "", 0
	for _, f := range files {
		if err := m.add(f); err != nil {
			return nil, err
		}
	}
	m.incomplete(files)
	m.Runs = len(m.lines)
	return m, nil
}

// read takes the file apart.
func (f *results) read() error {
	first, rest, _ := bytes.Cut(f.Data, []byte{'\n'})
	wrong := func(problem, hint string) error { return &shard.FileError{Path: f.Path, Problem: problem, Hint: hint} }
	if err := json.Unmarshal(first, &f.header); err != nil || f.header.Schema != ResultsSchema {
		return wrong("it is no results file of a plan's shard", "those are written by: simload plan SCENARIO --vary PATH=RANGE --shard i/n --results FILE.jsonl")
	}
	if f.header.Shard == "" {
		return wrong("it has the results of a whole plan, and of no shard", "plan --results goes on from it as it is")
	}
	var err error
	if f.shard, err = shard.Parse(f.header.Shard); err != nil || f.header.Runs < 1 {
		return wrong(fmt.Sprintf("line 1 is damaged: shard %q of %d runs", f.header.Shard, f.header.Runs), "run the shard again")
	}
	f.runs = make(map[string][]byte)
	for n := 2; len(rest) > 0; n++ {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if !whole {
			f.cut = true
			break
		}
		var s Sample
		if err := json.Unmarshal(line, &s); err != nil {
			return wrong(fmt.Sprintf("line %d is damaged: %v", n, err), "run the shard again")
		}
		f.runs[sampleKey(s.Point, s.Variant, s.Rep)], rest = line, after
	}
	return nil
}

// together says why two files are not of one plan, if so.
func (f *results) together(o *results) error {
	differ := func(problem, hint string) error {
		return &shard.FileError{Path: o.Path, Problem: problem, Hint: hint}
	}
	a, b := f.header, o.header
	switch {
	case a.Tool != b.Tool:
		return differ(fmt.Sprintf("another version of simload: %s, and %s in %s", shard.ToolName(b.Tool), shard.ToolName(a.Tool), f.Path), "run all shards with one version, on one architecture")
	case a.Scenario != b.Scenario:
		return differ(fmt.Sprintf("another scenario: %s, and %s in %s", b.Scenario, a.Scenario, f.Path), shard.SameCommand)
	case a.Plan != b.Plan || a.Runs != b.Runs:
		return differ("another plan than that of "+f.Path+": the scenario's content, --vary, --slo, --reps, --seed, --variant or --set differ", shard.SameCommand)
	case f.shard.N != o.shard.N:
		return differ(fmt.Sprintf("another number of shards: %d, and %d in %s", o.shard.N, f.shard.N, f.Path), shard.SameCommand)
	}
	return nil
}

// add takes over the runs of a file.
func (m *Merged) add(f *results) error {
	twice := false
	for _, key := range sortedKeys(f.runs) {
		line, ok := m.lines[key]
		if ok && !bytes.Equal(line, f.runs[key]) {
			var s Sample
			_ = json.Unmarshal(line, &s) // it was read before
			return &shard.FileError{Path: f.Path, Problem: fmt.Sprintf("%s of variant %s, replication %d, is in another file too, with another result", s.Point, s.Variant, s.Rep+1), Hint: "leave out one of them"}
		}
		twice = twice || ok
		m.lines[key] = f.runs[key]
	}
	if twice {
		m.Notes = append(m.Notes, f.Path+": its runs are in another file too, with the same results; they count once")
	}
	if f.cut {
		m.Notes = append(m.Notes, f.Path+": half a line at its end is left out")
	}
	return nil
}

// incomplete notes the shards of which there are not all runs, whichever files they are in.
func (m *Merged) incomplete(files []*results) {
	for i := 0; i < len(files); {
		s, all := files[i].shard, shard.Count(files[i].shard, files[i].header.Runs)
		mine := make(map[string]bool) // counted, never walked
		for ; i < len(files) && files[i].shard == s; i++ {
			for _, key := range sortedKeys(files[i].runs) {
				mine[key] = true
			}
		}
		if len(mine) < all {
			m.Notes = append(m.Notes, fmt.Sprintf("shard %s: %d of its %d runs are there; the plan carries out what is missing", s, len(mine), all))
		}
	}
}

func sortedKeys(of map[string][]byte) []string {
	keys := make([]string, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Write writes the results file of the whole plan, which it goes on from. It does not depend on the order of the files.
func (m *Merged) Write(w io.Writer) error {
	head, err := json.Marshal(m.Header)
	if err == nil {
		_, err = w.Write(append(head, '\n'))
	}
	for _, key := range sortedKeys(m.lines) {
		if err == nil {
			_, err = w.Write(append(slices.Clone(m.lines[key]), '\n'))
		}
	}
	if err != nil {
		return fmt.Errorf("writing results: %w", err)
	}
	return nil
}

// Describe says what was merged into a file, and how to go on.
func (m *Merged) Describe(path string) string {
	return fmt.Sprintf("%d runs of a plan of %s, in %s\n"+
		"next: the same simload plan, without --shard and with --results %s\n", m.Runs, m.Header.Scenario, path, path)
}

// DescribeShard says what a shard's results file holds, and how to go on.
func DescribeShard(s shard.Shard, h Header, finished, all int, path string) string {
	what := fmt.Sprintf("shard %s of a plan of %s: %d of %d runs, in %s\n", s, h.Scenario, all, h.Runs, path)
	if finished < all {
		return what + fmt.Sprintf("%d of them are there, the same command goes on with the others\n", finished)
	}
	return what + "next, with the files of all shards: simload merge FILES... -o merged.jsonl\n"
}
