package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Directions of a search.
const (
	Smallest = "smallest"
	Largest  = "largest"
)

// Bounds of Config.Reps.
const (
	RepsDefault = 10
	RepsMin     = 2
	RepsMax     = 1000
)

// Config says what to plan.
type Config struct {
	// Vary holds one axis to search along, or two that make a grid, as PATH=RANGE: see [ParseAxis].
	Vary []string
	// Objectives replace the scenario's expectations; see [ParseObjectives]. Empty: the scenario's.
	Objectives []string
	// Direction is [Smallest] or [Largest], of the last axis; "": Largest along a path of demand
	// (workload..., but for times such as an interval), else Smallest.
	Direction string
	// Reps is the number of replications of each point, [RepsMin] to [RepsMax]; 0 is [RepsDefault]. All points meet the same
	// demand: replication k has the same seed everywhere (common random numbers: Law, Simulation Modeling and
	// Analysis, 11.2), so that differences between points are theirs, and not the seed's.
	Reps int
	// Seed overrides the scenario's when not nil.
	Seed *uint64
	// Variants to plan for; empty: all of the scenario.
	Variants []string
	// Sensitivity asks for the runs that change one thing at the answer.
	Sensitivity bool
	// Growth lists demands for which the search is repeated, as numbers of agents (5000) or multiples (2.5x). [Auto]: as it
	// is, 2.5 times and 5 times, where there is one axis, of means, and an answer. Empty or [None]: none.
	Growth []string
	// Along lists the paths of numbers that grow with it, as --set takes them. Empty: all means but those asked for
	// ([scenario.Scenario.ScaleMeans]); [None]: nothing.
	Along []string
	Tool  report.Tool
}

// Plan is a plan that fits its scenario.
type Plan struct {
	cfg      Config
	sc       *scenario.Scenario // with the objectives
	axes     []Axis
	seed     uint64
	growth   []growth
	outlook  bool     // nobody asked for the growth plan
	asked    []string // objectives that took the place of the scenario's
	notes    []string
	variants []subject
}

// subject is a variant that is planned for, with what is judged of it.
type subject struct {
	name       string
	objectives []report.Expect
}

// New checks a plan against the scenario. Errors about what the caller asked for are of type [scenario.Errors].
func New(sc *scenario.Scenario, cfg Config) (*Plan, error) {
	cfg.Reps = cmp.Or(cfg.Reps, RepsDefault)
	if err := CheckReps(cfg.Reps); err != nil {
		return nil, err
	}
	if len(cfg.Vary) == 0 || len(cfg.Vary) > 2 {
		return nil, wrong(fromVary, "", "a plan varies one value, or two", fmt.Sprint(len(cfg.Vary)), "one or two --vary PATH=RANGE", "write for example --vary upstreams.openai.keys.main.count=4..40")
	}
	if sc.Mode() == scenario.ModeWall {
		return nil, wrong(sc.File, "mode", "a plan runs in virtual time", "wall", "virtual", "add --set mode=virtual")
	}
	p := &Plan{cfg: cfg, sc: sc, seed: sc.Seed()}
	if cfg.Seed != nil {
		p.seed = *cfg.Seed
	}
	if err := p.judged(); err != nil {
		return nil, err
	}
	for _, arg := range cfg.Vary {
		a, err := ParseAxis(arg, p.sc)
		if err != nil {
			return nil, err
		}
		p.axes = append(p.axes, a)
	}
	if err := p.fits(); err != nil {
		return nil, err
	}
	p.cfg.Direction = cmp.Or(cfg.Direction, p.inferred())
	return p, p.grows()
}

// CheckReps says what is wrong with a number of replications that somebody asked for: of those, 0 is no default. The error is of type
// [scenario.Errors].
func CheckReps(n int) error {
	if n < RepsMin || n > RepsMax {
		return wrong("--reps", "", "too few or too many replications", fmt.Sprint(n), fmt.Sprintf("%d to %d", RepsMin, RepsMax), "an interval needs two, and five or more say something")
	}
	return nil
}

// judged lays the objectives over the scenario.
func (p *Plan) judged() error {
	if len(p.cfg.Objectives) > 0 {
		texts, err := ParseObjectives(p.cfg.Objectives)
		if err != nil {
			return err
		}
		p.asked = texts
		if p.sc, err = p.sc.With(expectSet(texts)); err != nil {
			return renamed(err, "expect", fromSLO)
		}
	}
	if len(p.sc.Spec.Expect) == 0 {
		return wrong(p.sc.File, "expect", "nothing to plan for", "no expectations", "expectations in the scenario, or --slo", "add --slo 'p99 < 10s'")
	}
	return nil
}

// subjects lists the variants to plan for.
func (p *Plan) subjects(low, high *scenario.Scenario) error {
	var expects []report.Expect
	for _, text := range p.sc.Spec.Expect {
		e, err := report.ParseExpect(text)
		if err != nil {
			return fmt.Errorf("an expectation of a checked scenario: %w", err)
		}
		expects = append(expects, e)
	}
	var names []string
	for i, v := range low.Variants() {
		names = append(names, v.Name)
		if len(p.cfg.Variants) > 0 && !slices.Contains(p.cfg.Variants, v.Name) {
			continue
		}
		if v.SHA256() == high.Variants()[i].SHA256() {
			p.notes = append(p.notes, fmt.Sprintf("variant %s is left out: %s", v.Name, p.untouched(v.Name)))
			continue
		}
		own, left := objectivesOf(expects, v)
		for _, l := range left {
			if note := "not judged: " + l; !slices.Contains(p.notes, note) {
				p.notes = append(p.notes, note)
			}
		}
		if len(own) == 0 {
			p.notes = append(p.notes, fmt.Sprintf("variant %s is left out: no expectation is about it", v.Name))
			continue
		}
		p.variants = append(p.variants, subject{v.Name, own})
	}
	for _, want := range p.cfg.Variants {
		if !slices.Contains(names, want) {
			return wrong("--variant", "", "no such variant", want, strings.Join(names, ", "), "name a variant of the scenario")
		}
	}
	if len(p.variants) == 0 {
		return wrong(p.sc.File, "expect", "nothing to plan for", strings.Join(p.notes, "; "), "a variant that --vary changes, with an expectation about it alone", "add --slo 'p99 < 10s', or another --vary")
	}
	return nil
}

// untouched says why the axes change nothing of a variant.
func (p *Plan) untouched(variant string) string {
	var own, others []string
	for i := range p.axes {
		path := segments(p.axes[i].Path)
		if len(path) > 2 && path[0] == "variants" && path[1] != variant {
			others = append(others, p.axes[i].Path+" is about variant "+path[1])
		} else {
			own = append(own, p.axes[i].Path)
		}
	}
	if len(own) > 0 {
		others = append(others, "it says itself what "+strings.Join(own, " and ")+" is")
	}
	return strings.Join(others, ", and ")
}

// inferred is the direction that the last path suggests: of demand one wants the most, of means and of times the least.
func (p *Plan) inferred() string {
	if p.axes[len(p.axes)-1].demand() {
		return Largest
	}
	return Smallest
}

// Header identifies the plan in a results file. What is asked for beside the search (Sensitivity, Growth, Along) is not part of it:
// a result is kept with all overrides of its run, so that it is the same with whatever else is asked for, and a plan can go on
// from results with more or less. The error tells a trace that cannot be read.
func (p *Plan) Header() (Header, error) {
	demand, err := p.sc.DemandSHA256(p.seed) // has the content of traces, which the scenario's hash has not
	if err != nil {
		return Header{}, err
	}
	c := &p.cfg
	data, err := json.Marshal([]any{
		p.sc.SHA256(), demand, p.seed, p.axes, c.Direction, c.Reps, c.Variants,
	})
	if err != nil {
		return Header{}, fmt.Errorf("hashing the plan: %w", err)
	}
	sum := sha256.Sum256(data)
	return Header{Schema: ResultsSchema, Tool: c.Tool, Scenario: p.sc.Name(), Plan: hex.EncodeToString(sum[:]), plan: p}, nil
}

// point is a configuration: the scenario with some overrides.
type point struct {
	index  []int // along the axes; nil: beside them
	values []string
	sets   []string
	label  string // the overrides, with spaces between
	load   func() (*scenario.Scenario, error)
}

// at is the point at some values of the axes, on top of other overrides.
func (p *Plan) at(base []string, index []int) *point {
	sets := slices.Clone(base)
	pt := &point{index: index}
	for i := range p.axes {
		pt.values = append(pt.values, p.axes[i].Values[index[i]])
		sets = append(sets, p.axes[i].set(index[i]))
	}
	return p.with(pt, sets)
}

// with completes a point that has these overrides. It is loaded when it is first asked for.
func (p *Plan) with(pt *point, sets []string) *point {
	pt.label, pt.sets = strings.Join(sets, " "), sets
	pt.unload(p)
	return pt
}

// unload forgets the scenario of a point, which takes memory; it is loaded again when it is asked for.
func (pt *point) unload(p *Plan) {
	sets := pt.sets
	pt.load = sync.OnceValues(func() (*scenario.Scenario, error) { return p.sc.With(sets...) })
}

// variantOf is the variant of a point that a subject is.
func variantOf(pt *point, s *subject) (*scenario.Variant, error) {
	sc, err := pt.load()
	if err != nil {
		return nil, err
	}
	all := sc.Variants()
	return all[slices.IndexFunc(all, func(v *scenario.Variant) bool { return v.Name == s.name })], nil
}

// built is the configuration of a point.
func (p *Plan) built(pt *point, s *subject) (*scenario.Built, error) {
	v, err := variantOf(pt, s)
	if err != nil {
		return nil, err
	}
	return v.Build(p.seed)
}

// Session is what a plan needs to be carried out.
type Session struct {
	Journal  *Journal           // nil: results are kept in memory
	Stop     *atomic.Bool       // ends the runs under way when set; nil: nobody does
	Progress func(sim.Progress) // told of every finished run, never by two goroutines at once; nil: nobody
	// Execute carries out units elsewhere instead of on the processors of this machine: nil. It tells the result of
	// each, in any order, but never two at once, and returns when none is under way. [ErrStopped] is the result of one that was stopped.
	Execute func(units []Unit, done func(i int, s Sample, err error))
}
