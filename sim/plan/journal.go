package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// ResultsSchema names the form of a results file.
const ResultsSchema = "simload.plan-results/v1"

// Header is the first line of a results file: which plan the results belong to.
type Header struct {
	Schema   string      `json:"schema"`
	Tool     report.Tool `json:"tool"`
	Scenario string      `json:"scenario"`
	Plan     string      `json:"plan_sha256"`
	// Of a shard (see Plan.RunShard): which it is, as i/n, and the number of runs of all of them.
	Shard string `json:"shard,omitempty"`
	Runs  int    `json:"runs,omitempty"`

	plan *Plan // that reads the results; nil of a header that was read
}

// ResultsError says why a results file cannot be gone on with.
type ResultsError struct {
	Path, Problem, Hint string
}

// Error implements error.
func (e *ResultsError) Error() string { return "results file " + e.Path + ": " + e.Problem }

// Journal holds the results of runs as they come. The zero value keeps them in memory alone.
type Journal struct {
	file *resultsFile
	path string
	have map[string]Sample // by sampleKey; asked, never walked
	err  error
}

// sampleKey tells a run from the others of a plan.
func sampleKey(point, variant string, rep int) string {
	return fmt.Sprintf("%s\x00%s\x00%d", variant, point, rep)
}

// OpenJournal opens a results file to go on with it, or begins it. Every finished run becomes a line, written at
// once, so that whatever ends the program loses runs under way alone; half a line at the end is dropped. A file of
// another plan, of another scenario or another program is a [ResultsError], and so is one that another process writes to.
func OpenJournal(path string, h Header) (*Journal, error) {
	h.Schema = ResultsSchema
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	file, data, err := openResults(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{path: path, have: make(map[string]Sample), file: file}
	whole, err := j.whole(data, head, h)
	if err == nil {
		if err = file.keep(whole); err != nil {
			err = &ResultsError{path, err.Error(), "name a regular file"}
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if whole == 0 {
		j.write(h)
	}
	return j, j.err
}

// whole takes over the whole lines of a file that is to begin with a head, and returns how many bytes they are.
func (j *Journal) whole(data, head []byte, h Header) (int, error) {
	n := bytes.LastIndexByte(data, '\n') + 1
	if n == 0 && !bytes.HasPrefix(head, data) { // half a head is what was killed at once
		return 0, notResults(j.path)
	}
	return n, j.read(data[:n], h)
}

func notResults(path string) error {
	return &ResultsError{path, "it is not a results file of simload plan", "name another file; nothing was changed"}
}

// read takes over the finished runs of earlier calls.
func (j *Journal) read(data []byte, want Header) error {
	if len(data) == 0 {
		return nil
	}
	first, rest, _ := bytes.Cut(data, []byte{'\n'})
	var h Header
	if err := json.Unmarshal(first, &h); err != nil || h.Schema != ResultsSchema {
		return notResults(j.path)
	}
	const hint = "name another file, or remove this one; nothing was changed"
	switch {
	case h.Tool != want.Tool:
		return &ResultsError{j.path, fmt.Sprintf("it was written by simload %s (%s, %s), this is %s (%s, %s)", h.Tool.Version, h.Tool.Go, h.Tool.Arch, want.Tool.Version, want.Tool.Go, want.Tool.Arch), hint}
	case h.Scenario != want.Scenario:
		return &ResultsError{j.path, fmt.Sprintf("it belongs to another scenario, %s", h.Scenario), hint}
	case h.Plan != want.Plan:
		return &ResultsError{j.path, fmt.Sprintf("it belongs to another plan (%.12s, this is %.12s): the scenario's content, --vary, --slo, --min or --max, --reps, --seed, --variant or --set differ", h.Plan, want.Plan), hint}
	}
	if problem, hint := h.otherShard(&want); problem != "" {
		return &ResultsError{j.path, problem, hint}
	}
	for n := 2; len(rest) > 0; n++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		var s Sample
		err := json.Unmarshal(line, &s)
		if err == nil && want.plan != nil {
			err = want.plan.made(&s)
		}
		if err != nil {
			return &ResultsError{j.path, fmt.Sprintf("line %d is damaged: %v", n, err), hint}
		}
		j.have[sampleKey(s.Point, s.Variant, s.Rep)] = s
	}
	return nil
}

// made says why a result is of no run that the plan makes, if so.
func (p *Plan) made(s *Sample) error {
	i := slices.IndexFunc(p.variants, func(v subject) bool { return v.name == s.Variant })
	switch {
	case i < 0:
		return fmt.Errorf("variant %q is not planned for", s.Variant)
	case s.Rep < 0 || s.Rep >= p.cfg.Reps:
		return fmt.Errorf("replication %d of %d", s.Rep, p.cfg.Reps)
	case s.Seed != sim.ReplicationSeed(p.seed, s.Rep):
		return fmt.Errorf("seed %d, replication %d has %d", s.Seed, s.Rep, sim.ReplicationSeed(p.seed, s.Rep))
	case len(s.Checks) != len(p.variants[i].objectives):
		return fmt.Errorf("%d checks of %d objectives", len(s.Checks), len(p.variants[i].objectives))
	}
	for k := range s.Checks {
		if m := float64(s.Checks[k].Margin); !(m >= -1 && m <= 1) {
			return fmt.Errorf("check %d has no margin", k+1)
		}
	}
	return nil
}

// otherShard says why results of another shard, or of a whole plan, cannot be gone on with.
func (h *Header) otherShard(want *Header) (problem, hint string) {
	switch {
	case h.Shard == want.Shard:
		return "", ""
	case want.Shard == "":
		return "it belongs to shard " + h.Shard + " of the plan", "put the files of all shards together: simload merge FILES... -o merged.jsonl"
	case h.Shard == "":
		return "it belongs to the whole plan, this is shard " + want.Shard, "name another file; nothing was changed"
	}
	return "it belongs to shard " + h.Shard + ", this is " + want.Shard, "name another file; nothing was changed"
}

// Finished is the number of runs that the file had when it was opened, and has got since.
func (j *Journal) Finished() int { return len(j.have) }

// find returns the result of a run that has ended.
func (j *Journal) find(r run) (Sample, bool) {
	s, ok := j.have[sampleKey(r.point.label, r.subject.name, r.rep)]
	return s, ok
}

// add keeps a result.
func (j *Journal) add(s Sample) {
	if j.have == nil {
		j.have = make(map[string]Sample)
	}
	line := j.write(s)
	var kept Sample
	if err := json.Unmarshal(line, &kept); err != nil && j.err == nil {
		j.err = fmt.Errorf("reading a result back: %w", err)
	}
	j.have[sampleKey(kept.Point, kept.Variant, kept.Rep)] = kept
}

// write appends a line, if there is a file, and returns it.
func (j *Journal) write(v any) []byte {
	line, err := json.Marshal(v)
	if err == nil && j.file != nil && j.err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("writing results: %w", err)
	}
	return line
}

// Close closes the file.
func (j *Journal) Close() error {
	if j.file == nil {
		return j.err
	}
	return errors.Join(j.err, j.file.Close())
}
