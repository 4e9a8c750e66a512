package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-4fd17b57/simload/stack"
)

// The frozen form: frozenMagic, a byte for the version, and a Zstandard frame of the fields. Change the version whenever
// what a part carries changes.
const (
	frozenMagic   = "SLrec"
	frozenVersion = 1
	// frozenMax is the most that the fields may take, and thawMax the memory that they may take when they are read.
	frozenMax = 64 << 20
	thawMax   = 512 << 20
)

// frozenCoder is used by all: its two methods for whole blocks are made for that.
var frozenCoder = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // options that are constants
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(frozenMax))
	if err != nil {
		panic(err)
	}
	return e, d
})

// Freeze returns a closed recorder as bytes, which [Thaw] makes a recorder of again: one that merges, describes and is
// described as this one, to the last bit. So the runs of a scenario can take place in several processes, on several
// machines. Equal recorders give equal bytes. Only the version of the program that froze it is sure to thaw it.
func (r *Recorder) Freeze() ([]byte, error) {
	if len(r.ended.list) == 0 {
		return nil, errors.New("freezing a recorder: its run is not closed")
	}
	return frozenAs(frozenMagic, r.carry)
}

// frozenAs returns what is carried in the frozen form.
func frozenAs(magic string, carry func(*tape)) ([]byte, error) {
	t := &tape{}
	carry(t)
	if t.err == nil && len(t.data) > frozenMax {
		t.fail("%d bytes are more than %d", len(t.data), frozenMax)
	}
	if t.err != nil {
		return nil, fmt.Errorf("freezing a recorder: %w", t.err)
	}
	e, _ := frozenCoder()
	return e.EncodeAll(t.data, append([]byte(magic), frozenVersion)), nil
}

// Thaw makes a recorder of what Freeze returned. Bytes that are damaged, of another version, or made up by somebody are
// an error; a recorder that is returned can be described, and merged with others of its setup (see
// [Recorder.SameSetup]), whatever it holds.
func Thaw(frozen []byte) (*Recorder, error) {
	r := &Recorder{nextTick: never}
	if err := thawedAs(frozenMagic, frozen, r.carry); err != nil {
		return nil, err
	}
	return r, nil
}

// thawedAs carries back what is frozen.
func thawedAs(magic string, frozen []byte, carry func(*tape)) error {
	rest, ok := bytes.CutPrefix(frozen, []byte(magic))
	if !ok || len(rest) == 0 {
		return errors.New("thawing a recorder: this is none")
	}
	if v := rest[0]; v != frozenVersion {
		return fmt.Errorf("thawing a recorder: its form has the version %d, this program knows %d", v, frozenVersion)
	}
	_, d := frozenCoder()
	data, err := d.DecodeAll(rest[1:], nil)
	if err != nil {
		return fmt.Errorf("thawing a recorder: %w", err)
	}
	return thaw(data, carry)
}

// thaw reads the fields.
func thaw(data []byte, carry func(*tape)) error {
	t := &tape{reading: true, data: data, room: thawMax}
	carry(t)
	t.check(len(t.data) == 0, "there is more than a recorder")
	if t.err != nil {
		return fmt.Errorf("thawing a recorder: %w", t.err)
	}
	return nil
}

// SameSetup reports whether the runs of two recorders can be merged: their setups differ in the seed at most.
func (r *Recorder) SameSetup(o *Recorder) bool { return r.setup.same(&o.setup) }

// carry names what is left of a recorder when it is closed.
func (r *Recorder) carry(t *tape) {
	s := &r.setup
	if s.carry(t); t.err != nil {
		return
	}
	np, nm, nk := len(s.Profiles), len(s.Models), len(s.Keys)
	r.carryCounts(t)
	fixed(t, &r.modelLatency, nm, func(of *[2]histogram) {
		for m := range of {
			of[m].carry(t)
		}
	})
	r.fair.carry(t, np)
	r.laws.carry(t, np, nk*nm)
	r.series.carry(t, s)
	fixed(t, (*[]gateSum)(&r.gates), nm, func(g *gateSum) { g.carry(t) })
	r.slowest.carry(t, s)
	r.left.carry(t, s)
	r.ended.carry(t, s)
	list(t, &r.traces, func(b *TraceBook) { b.carry(t) })
}

// carryCounts names what is a sum wherever a run begins and ends (see addCounts), and what it is counted by.
func (r *Recorder) carryCounts(t *tape) {
	s := &r.setup
	np, nm, nk := len(s.Profiles), len(s.Models), len(s.Keys)
	cells := int64(np) * int64(nm+1)
	t.check(cells <= math.MaxInt32 && int64(nk)*int64(nm) <= math.MaxInt32, "too many profiles, models or keys")
	r.models = nm
	number(t, &r.now)
	fixed(t, &r.offered, np, func(o *offer) { t.counts(&o.requests, &o.in, &o.out) })
	fixed(t, &r.cells, int(cells), func(c *cell) { c.carry(t) })
	array(t, r.outcomes[:])
	array(t, r.rejected[:])
	array(t, r.dead[:])
	array(t, r.degraded[:])
	t.counts(&r.r5xx, &r.retries, &r.cacheHits, &r.cacheWrong, &r.cappedUS, &r.sentInWindow, &r.abandoned)
	t.column(&r.keyFailures, nk)
	fixed(t, &r.latency, np, func(of *[numMetrics]histogram) {
		for m := range of {
			of[m].carry(t)
		}
	})
	fixed(t, &r.keyLatency, nk, func(h *histogram) { h.carry(t) })
}

// classesOf carries what there is of each class.
func classesOf[T any](t *tape, v *[stack.NumClasses]T, each func(*T)) {
	for c := range v {
		each(&v[c])
	}
}
