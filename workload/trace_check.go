package workload

import (
	"fmt"
	"math"
)

// Check opens the trace and reads its first row, as [New] does, whose errors of a trace it returns.
func (t *Trace) Check() error {
	r, err := newReplay(t, 0, 0)
	if err != nil {
		return err
	}
	return r.reader.Close()
}

func (v *validator) trace(at string, t *Trace) {
	v.profileIndex(at, t.Profile)
	if t.Path == "" {
		v.add(at+".path", "is empty")
	}
	if !(t.Speed > 0) || math.IsInf(t.Speed, 0) {
		v.add(at+".speed", "is %v, must be positive", t.Speed)
	}
	v.clients(at, t.Clients)
	if t.Format >= numFormats {
		v.add(at+".format", "is %d, must be below %d", t.Format, numFormats)
	}
	for i := range t.Models {
		in := fmt.Sprintf("%s.models[%d]", at, i)
		v.profileIndex(in, t.Models[i].Profile)
		if t.Models[i].Match == "" {
			v.add(in+".match", "is empty")
		}
	}
	for i := range t.Sessions {
		in := fmt.Sprintf("%s.sessions[%d]", at, i)
		v.profileIndex(in, t.Sessions[i].Profile)
		if t.Sessions[i].Match == "" {
			v.add(in+".match", "is empty")
		}
	}
	if t.Spread < 0 || t.Spread > maxSpread {
		v.add(at+".spread", "is %v, must be 0 to %v", t.Spread, maxSpread)
	}
	if t.Loop < -1 {
		v.add(at+".loop", "is %d, must be -1 (until the end of the run) or more", t.Loop)
	}
	if t.Reorder < 0 || t.Reorder > maxReorder {
		v.add(at+".reorder", "is %d, must be 0 to %d rows", t.Reorder, maxReorder)
	}
	if t.CacheBlocks < 0 || t.CacheBlocks > maxBlocks {
		v.add(at+".cache_blocks", "is %d, must be 0 to %d", t.CacheBlocks, maxBlocks)
	}
}
