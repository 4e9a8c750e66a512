package workload

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// replay is where a trace stands before its coming row.
type replay struct {
	source  int
	client  uint32
	clients uint64
	profile int
	speed   float64
	number  uint64
	reader  *TraceReader
	row     TraceRow // the coming row, if ready
	ready   bool
	done    bool
}

func newReplay(t *Trace, source, client int) (replay, error) {
	reader, err := OpenTrace(t.Path)
	if err != nil {
		return replay{}, err
	}
	r := replay{
		source: source, client: uint32(client), clients: uint64(t.Clients), profile: t.Profile,
		speed: t.Speed, reader: reader,
	}
	r.row, r.ready = reader.Next()
	if !r.ready {
		err := reader.Err()
		if err == nil {
			err = fmt.Errorf("reading trace %s: there is no row after the header", t.Path)
		}
		return replay{}, errors.Join(err, reader.Close())
	}
	return r, nil
}

func (w *Workload) nextOfReplay(r *replay) (Demand, bool) {
	if r.done {
		return Demand{}, false
	}
	if !r.ready {
		r.row, r.ready = r.reader.Next()
	}
	at, fits := scale(r.row.At, r.speed)
	if !r.ready || !fits || at >= w.duration {
		r.done = true
		return Demand{}, false
	}
	d := Demand{
		Source: r.source, Client: r.client + uint32(r.number%r.clients), Profile: r.profile,
		Task: uint32(r.number), Op: uint32(r.number >> 32), Intended: at,
		In: r.row.In, Out: r.row.Out,
	}
	w.complete(&d, &w.profiles[r.profile], w.dice.base(r.source), r.number)
	r.number++
	r.ready = false
	return d, true
}

// scale returns the instant at which a recorded one is replayed; false if it is
// beyond what a Duration holds.
func scale(at time.Duration, speed float64) (time.Duration, bool) {
	if speed == 1 {
		return at, true
	}
	ns := math.Round(float64(at) / speed)
	if ns >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(ns), true
}
