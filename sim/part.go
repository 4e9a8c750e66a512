package sim

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// Part is what one run of an experiment gave. Written as JSON and read back, on whatever machine, it says the same to the
// last bit; only the version of the program that wrote it is sure to read it.
type Part struct {
	Task      Task
	Requests  int64
	Events    int64
	Simulated time.Duration   // demand
	Harness   *report.Harness // of a run on the wall clock
	Ended     string          // which expectation ended the run early; "": none did

	// One of them: what was recorded here, or as it was read.
	rec    *report.Recorder
	frozen []byte
}

// partFile is a part in JSON.
type partFile struct {
	Task      Task            `json:"task"`
	Requests  int64           `json:"requests"`
	Events    int64           `json:"events"`
	Simulated time.Duration   `json:"simulated_ns"`
	Harness   *report.Harness `json:"harness,omitempty"`
	Ended     string          `json:"ended,omitempty"`
	Recorder  []byte          `json:"recorder"` // of report.Recorder.Freeze
}

// MarshalJSON implements json.Marshaler. Equal parts give equal bytes.
func (p *Part) MarshalJSON() ([]byte, error) {
	f := partFile{p.Task, p.Requests, p.Events, p.Simulated, p.Harness, p.Ended, p.frozen}
	if p.rec != nil {
		var err error
		if f.Recorder, err = p.rec.Freeze(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(f)
}

// UnmarshalJSON implements json.Unmarshaler. What is no part, or damaged, is an error.
func (p *Part) UnmarshalJSON(data []byte) error {
	var f partFile
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if len(f.Recorder) == 0 {
		return errors.New("a part without what was recorded")
	}
	// It is kept frozen, which takes a tenth of the memory, and thawed again when its turn has come.
	if _, err := report.Thaw(f.Recorder); err != nil {
		return err
	}
	*p = Part{
		Task: f.Task, Requests: f.Requests, Events: f.Events, Simulated: f.Simulated, Harness: f.Harness, Ended: f.Ended,
		frozen: f.Recorder,
	}
	return nil
}

// recorder is what was recorded, for the caller alone if the part was read.
func (p *Part) recorder() (*report.Recorder, error) {
	if p.rec != nil {
		return p.rec, nil
	}
	return report.Thaw(p.frozen)
}
