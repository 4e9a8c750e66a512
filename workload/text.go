package workload

import (
	"strings"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// The words that texts are made of. They are arbitrary: what counts is that two wordings of a topic
// share its subject and differ around it, and that what is hard is asked for as people ask for hard things.
var (
	subjects = words(`membrane protein lattice enzyme glacier plasma neuron alloy catalyst genome aerosol polymer
		sediment virus quasar antibody isotope turbine reef semiconductor ribosome magnet fungus laser estuary
		vaccine photon mineral hormone algorithm battery crystal larva comet tumour catalyst orbit pigment`)
	traits = words(`thermal rapid dense coupled fragile seasonal nonlinear chiral porous viral synthetic ambient
		coastal frozen elastic toxic ancient tidal acoustic bright hybrid metallic organic spectral`)
	doings = words(`growth decay transport binding folding erosion imaging synthesis mutation cooling migration
		scattering storage signalling fatigue diffusion repair mixing damping sorting`)
	openings = []string{
		"What is known about ", "Summarise what we know about ", "Tell me what is known about ", "Give an overview of ",
		"Please describe ", "Which results are there on ", "I need the state of knowledge on ", "Sum up the findings on ",
	}
	endings = []string{"?", ".", ", please.", " in a few words.", " briefly.", ", in short."}
	demands = []string{
		"Compare the competing explanations step by step and decide which one holds.",
		"Derive the governing equation, state every assumption, and prove that it is stable.",
		"Design an experiment that could refute it, with controls, and justify each choice.",
		"Analyse the trade-offs: 1. accuracy 2. cost 3. time, and explain why the optimum lies where it does.",
		"Evaluate the evidence critically, then reconcile the contradictions between the studies.",
	}
	fields = words(`arctic tropical clinical industrial marine orbital alpine urban deep volcanic`)
)

func words(list string) []string { return strings.Fields(list) }

// Text is the core of what a demand asks, for caches and routers that look at prompts: the rest of its
// tokens are counted and never written. It is a function of (Profile, Topic, Wording, Hard), and of ID where
// there is no topic.
func (d *Demand) Text() string {
	of := d.ID
	if d.Topic > 0 {
		of = jitter.Mix(d.Topic + uint64(d.Profile)<<32)
	}
	h := draws{of}
	var b strings.Builder
	way := draws{jitter.Mix(of ^ uint64(d.Wording+1)*golden)}
	b.WriteString(way.pick(openings))
	subject, trait, doing, field, other := h.pick(subjects), h.pick(traits), h.pick(doings), h.pick(fields), h.pick(subjects)
	switch way.below(3) {
	case 0:
		b.WriteString(trait + " " + subject + " " + doing + " in " + field + " " + other + " systems")
	case 1:
		b.WriteString("the " + doing + " of " + trait + " " + subject + " in " + field + " " + other + " systems")
	default:
		b.WriteString(subject + " " + doing + " (" + trait + ") in " + field + " " + other + " systems")
	}
	b.WriteString(way.pick(endings))
	if d.Hard {
		b.WriteString(" " + h.pick(demands) + " " + h.pick(demands))
	}
	return b.String()
}

// draws are picks that follow from a hash.
type draws struct{ state uint64 }

func (h *draws) below(n int) int {
	h.state = jitter.Mix(h.state + golden)
	return int(h.state >> 33 % uint64(n))
}

func (h *draws) pick(list []string) string { return list[h.below(len(list))] }
