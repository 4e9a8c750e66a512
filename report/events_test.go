package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
)

// eventLine is a line as a reader sees it.
type eventLine struct {
	ID        string      `json:"id"`
	Agent     uint32      `json:"agent"`
	Task      uint32      `json:"task"`
	Prefix    int64       `json:"prefix"`
	Profile   string      `json:"profile"`
	Intended  json.Number `json:"intended_s"`
	Submitted json.Number `json:"submitted_s"`
	Ended     json.Number `json:"ended_s"`
	Ending    string      `json:"ending"`
	Reason    string      `json:"reason"`
	In        int64       `json:"tokens_in"`
	Out       int64       `json:"tokens_out"`
	UsedIn    int64       `json:"used_in"`
	UsedOut   int64       `json:"used_out"`
	Steps     []eventStep `json:"steps"`
}

type eventStep struct {
	Model   string       `json:"model"`
	Key     string       `json:"key"`
	Queued  json.Number  `json:"queued_s"`
	Sent    json.Number  `json:"sent_s"`
	First   *json.Number `json:"first_token_s"`
	Ended   json.Number  `json:"ended_s"`
	Outcome string       `json:"outcome"`
	Status  int          `json:"status"`
}

// TestEventsAreValidJSON reads every line back, strictly, whatever the names.
func TestEventsAreValidJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testSetup()
		s.Profiles[0].Name = rapid.String().Draw(t, "profile")
		s.Models[0].Name = rapid.String().Draw(t, "model")
		s.Keys[0] = rapid.String().Draw(t, "key")
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), 20)
		var out bytes.Buffer
		w := NewEventWriter(&out, &s)
		for i := range all {
			all[i].res.Usage = stack.Usage{In: int64(i), Out: 2}
			w.Append(&all[i].job, &all[i].res)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
		if len(lines) != len(all) {
			t.Fatalf("%d lines of %d requests", len(lines), len(all))
		}
		for i, line := range lines {
			checkLine(t, &s, line, &all[i])
		}
	})
}

func checkLine(t *rapid.T, s *Setup, line []byte, l *life) {
	var got eventLine
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	sec := func(d time.Duration) json.Number {
		return json.Number(fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second))
	}
	want := eventLine{
		ID: fmt.Sprintf("%016x", l.job.ID), Agent: l.job.Agent, Profile: s.Profiles[l.job.Profile].Name,
		Intended: sec(l.job.Intended), Submitted: sec(l.res.Submitted), Ended: sec(l.res.Ended),
		Ending: l.res.Ending.String(), Reason: l.res.Reason.String(), In: l.job.In, Out: l.job.Out, UsedIn: l.res.Usage.In, UsedOut: 2,
	}
	if len(got.Steps) != len(l.res.Steps) {
		t.Fatalf("%d steps, want %d", len(got.Steps), len(l.res.Steps))
	}
	for i, st := range l.res.Steps {
		g := got.Steps[i]
		if g.First == nil || *g.First != sec(st.FirstToken) {
			t.Fatalf("first token %v, want %v", g.First, st.FirstToken)
		}
		g.First = nil
		if w := (eventStep{
			Model: s.Models[st.Target].Name, Key: s.Keys[st.Key], Queued: sec(st.Queued), Sent: sec(st.Sent), Ended: sec(st.Ended),
			Outcome: st.Outcome.Kind.String(), Status: st.Outcome.Status,
		}); g != w {
			t.Fatalf("step %+v, want %+v", g, w)
		}
	}
	got.Steps = nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
}

type brokenWriter struct{ writes int }

var errDisk = errors.New("disk full")

func (b *brokenWriter) Write([]byte) (int, error) {
	b.writes++
	return 0, errDisk
}

// TestEventErrorsAreKept ensures that the first error is told by Close and ends the writing.
func TestEventErrorsAreKept(t *testing.T) {
	s, b := testSetup(), &brokenWriter{}
	w := NewEventWriter(b, &s)
	for range 2000 {
		w.Append(&Job{}, &stack.Result{Ending: stack.Succeeded})
	}
	if err := w.Close(); !errors.Is(err, errDisk) || b.writes != 1 {
		t.Errorf("error %v after %d writes", err, b.writes)
	}
}

func BenchmarkEvents(b *testing.B) {
	s, all := testSetup(), lives(newRand(1), 256)
	w := NewEventWriter(&bytes.Buffer{}, &s)
	w.w = discard{}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.Append(&all[i&255].job, &all[i&255].res)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
