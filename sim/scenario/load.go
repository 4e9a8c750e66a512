package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Scenario is a loaded scenario: checked, with its overrides applied and its variants
// made.
type Scenario struct {
	File string   // as given
	Sets []string // overrides as given
	// Spec is the scenario as written. With variants it is the base, which is not run
	// and may lack what every variant adds.
	Spec *Spec

	variants []*Variant
	data     []byte // as read, for With
	open     Opener // nil: the file system
	tree     *node
	problems *problems
}

// Load reads and checks a scenario file. Sets are overrides of the form path=value,
// applied in order before variants are made. The error is of type [Errors].
func Load(path string, sets []string) (*Scenario, error) {
	data, pr := readFile(path)
	if pr != nil {
		return nil, Errors{{File: path, Problem: pr.what, Found: pr.found, Allowed: pr.allowed, Hint: pr.hint}}
	}
	return Parse(path, data, sets)
}

// readFile reads a file that is no larger than [MaxBytes].
func readFile(path string) ([]byte, *problem) {
	cannot := func(err error) *problem {
		pr := &problem{"cannot read the scenario", err.Error(), "a readable file", "check the path and its permissions"}
		var pe *fs.PathError
		if errors.As(err, &pe) {
			pr.found = pe.Err.Error()
		}
		return pr
	}
	tooLarge := func(found string) *problem {
		return &problem{"the file is too large for a scenario", found, "up to " + strconv.Itoa(MaxBytes) + " bytes", "is it a trace? name it under workload.traces"}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannot(err)
	}
	if info.IsDir() {
		return nil, &problem{"cannot read the scenario", "a directory", "a YAML file", "name a file in it"}
	}
	if info.Size() > MaxBytes {
		if pr := foreignFile(headOf(path)); pr != nil {
			return nil, pr
		}
		return nil, tooLarge(strconv.FormatInt(info.Size(), 10) + " bytes")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannot(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, cannot(err)
	}
	if len(data) > MaxBytes {
		return nil, tooLarge("more than " + strconv.Itoa(MaxBytes) + " bytes")
	}
	return data, nil
}

// Parse is [Load] for text in memory. Name stands in messages, and relative paths of
// traces start from its directory.
func Parse(name string, data []byte, sets []string) (*Scenario, error) {
	return ParseWith(name, data, sets, nil)
}

// ParseWith is [Parse] for a scenario whose traces are elsewhere: open is asked for them, and no file is read.
func ParseWith(name string, data []byte, sets []string, open Opener) (*Scenario, error) {
	p := &problems{file: name}
	if len(data) > MaxBytes {
		p.note(Error{
			File: name, Problem: "the file is too large for a scenario", Found: strconv.Itoa(len(data)) + " bytes",
			Allowed: "up to " + strconv.Itoa(MaxBytes) + " bytes", Hint: "is it a trace? name it under workload.traces",
		})
		return nil, p.err()
	}
	if pr := foreignFile(data); pr != nil {
		p.note(Error{File: name, Line: 1, Column: 1, Problem: pr.what, Found: pr.found, Allowed: pr.allowed, Hint: pr.hint})
		return nil, p.err()
	}
	tree := parseTree(p, data, false)
	if tree == nil {
		return nil, p.err()
	}
	if tree.kind != mapNode {
		e := emptyError(name)
		e.Problem, e.Line, e.Column = "not a scenario", tree.line, tree.column
		if !tree.null() {
			e.Found = tree.found()
		}
		p.note(e)
		return nil, p.err()
	}
	for _, set := range sets {
		if set == "stack=none" {
			set = "stack.client=none"
		}
		applySet(p, tree, set)
	}
	spellNaive(tree)
	s := &Scenario{File: name, Sets: sets, Spec: new(Spec), data: data, open: open, tree: tree, problems: p}
	s.decode()
	if err := p.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// decode makes the variants and checks them.
func (s *Scenario) decode() {
	p := s.problems
	overlays := s.tree.child("variants")
	d := decoder{problems: p, partial: overlays != nil && len(overlays.names) > 0}
	d.value(s.tree, reflect.ValueOf(s.Spec).Elem(), rules{})
	if s.Spec.Name == "" {
		s.Spec.Name = strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File))
	}
	if p.err() != nil {
		return
	}
	if !d.partial {
		s.variants = []*Variant{{Name: "base", Spec: s.Spec, scenario: s, tree: s.tree}}
	} else {
		base := s.tree.clone()
		base.drop("variants")
		for i, name := range overlays.names {
			s.variant(name, base, overlays.items[i])
		}
	}
	for _, v := range s.variants {
		p.variant = ""
		if d.partial {
			p.variant = v.Name
		}
		v.compile(p, 0, false)
	}
	p.variant = ""
}

// variant merges an overlay into the base and decodes the result.
func (s *Scenario) variant(name string, base, overlay *node) {
	tree := base
	if !overlay.null() {
		tree = merge(reflect.TypeFor[Spec](), base, overlay)
	}
	v := &Variant{Name: name, Spec: &Spec{Name: s.Spec.Name}, scenario: s, tree: tree}
	s.problems.variant = name
	d := decoder{problems: s.problems}
	before := len(s.problems.list) + s.problems.more
	d.value(tree, reflect.ValueOf(v.Spec).Elem(), rules{})
	if before == len(s.problems.list)+s.problems.more {
		s.variants = append(s.variants, v)
	}
}

// Variants returns the configurations to run, in the order of the file: the scenario
// itself, named "base", when it has no variants.
func (s *Scenario) Variants() []*Variant { return s.variants }

// Name returns the scenario's name.
func (s *Scenario) Name() string { return s.Spec.Name }

// Seed returns the seed of the scenario, 1 by default.
func (s *Scenario) Seed() uint64 {
	if s.Spec.Seed == nil {
		return 1
	}
	return *s.Spec.Seed
}

// Modes of a run: whose clock it follows.
const (
	ModeVirtual = "virtual"
	ModeWall    = "wall"
)

// Mode returns [ModeVirtual] or [ModeWall].
func (s *Scenario) Mode() string {
	if s.Spec.Mode == "" {
		return ModeVirtual
	}
	return s.Spec.Mode
}

// Agents returns the number of agents, of the variant with the most.
func (s *Scenario) Agents() int {
	most := 0
	for _, v := range s.variants {
		n := 0
		for _, group := range v.Spec.Workload.Agents.Values {
			n += group.Count
		}
		most = max(most, n)
	}
	return most
}

// SHA256 returns the hash, in hex, of the scenario after its overrides. Comments and
// layout do not count, the order of entries does.
func (s *Scenario) SHA256() string {
	var b strings.Builder
	s.tree.canonical(&b, nil)
	return hash(b.String())
}

// DemandSHA256 returns the hash, in hex, of everything that demand depends on:
// workload, seed, duration, warm-up, and the content of the traces. The error, of
// type [Errors], tells a trace that cannot be read.
func (s *Scenario) DemandSHA256(seed uint64) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d duration %d warmup %d", seed, s.Spec.Duration, s.Spec.Warmup)
	seen := make(map[string]bool)
	for _, v := range s.variants {
		contents := make(map[*node]string)
		for i, name := range v.Spec.Workload.Traces.Names {
			at, _ := v.tree.at("workload", "traces", name, "path")
			sum, err := s.hashFile(v.tracePath(at, v.Spec.Workload.Traces.Values[i].Path))
			if err != nil {
				return "", Errors{v.unreadable(at, err)}
			}
			contents[at] = sum
		}
		var w strings.Builder
		v.tree.child("workload").canonical(&w, contents)
		if text := w.String(); !seen[text] {
			seen[text] = true
			b.WriteString("\nworkload " + text)
		}
	}
	return hash(b.String()), nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// tracePath resolves a trace's path: relative to the scenario file, or to the working
// directory where it comes from an override.
func (v *Variant) tracePath(at *node, path string) string {
	if filepath.IsAbs(path) || at.set {
		return path
	}
	return filepath.Join(filepath.Dir(v.scenario.File), path)
}
