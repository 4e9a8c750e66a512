package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/compaction"
	"pgregory.net/rapid"
)

func Example() {
	p := compaction.Policy{Cap: 16_000, Keep: 8_000, Output: 500}
	var m compaction.Memory
	before := int64(0)
	for _, tokens := range []int64{15_000, 20_000, 25_000} {
		var fit, read compaction.Prompt
		fit, read, m = p.Fit(m, compaction.Prompt{Est: tokens, In: tokens, Prefix: before})
		before = tokens
		fmt.Printf("of %d go out %d, after a summary of %d\n", tokens, fit.In, read.In)
	}
	// Output:
	// of 15000 go out 15000, after a summary of 0
	// of 20000 go out 8000, after a summary of 12500
	// of 25000 go out 13000, after a summary of 0
}

func TestFit(t *testing.T) {
	p := compaction.Policy{Cap: 100, Keep: 50, Output: 10}
	type prompt = compaction.Prompt
	var m compaction.Memory
	for i, step := range []struct {
		whole, fit, read prompt
	}{
		{prompt{100, 90, 0}, prompt{100, 90, 0}, prompt{}},
		{prompt{100, 200, 90}, prompt{100, 200, 90}, prompt{}}, // the estimate decides
		{prompt{120, 240, 200}, prompt{50, 100, 0}, prompt{80, 160, 160}},
		{prompt{130, 260, 240}, prompt{60, 120, 100}, prompt{}},
		{prompt{169, 338, 260}, prompt{99, 198, 120}, prompt{}},
		{prompt{171, 342, 338}, prompt{50, 100, 0}, prompt{61, 122, 122}},
		{prompt{171, 342, 322}, prompt{60, 120, 100}, prompt{}},        // the whole is at its longest: 20 are new, and 20 fell out
		{prompt{342, 342, 342}, prompt{50, 50, 0}, prompt{80, 80, 80}}, // taken for twice as long as it is: so is the part
		{prompt{90, 90, 0}, prompt{90, 90, 0}, prompt{}},               // another conversation, though it is longer than what was left
		{prompt{95, 95, 90}, prompt{95, 95, 90}, prompt{}},
		{prompt{500, 500, 0}, prompt{50, 50, 0}, prompt{460, 460, 0}},
	} {
		var fit, read prompt
		fit, read, m = p.Fit(m, step.whole)
		if fit != step.fit || read != step.read {
			t.Errorf("step %d: %+v and a summary of %+v; want %+v and %+v", i, fit, read, step.fit, step.read)
		}
	}
	if !m.Compacted() || (compaction.Memory{}).Compacted() {
		t.Error("a conversation does not know whether it goes on from a summary")
	}
	got, m := p.Truncated(prompt{50, 100, 0})
	if next, read, _ := p.Fit(m, prompt{140, 280, 260}); got != (prompt{40, 80, 0}) || next != (prompt{50, 100, 80}) || read != (prompt{}) {
		t.Errorf("without its summary: %+v, and with 20 tokens more %+v", got, next)
	}
}

// Ensure that no prompt is above the cap, that what goes out and what is summarised are all there is, and that
// the next summary is not due before the conversation has grown by what was made room for, however wrong the estimates
// are (within a half), and whatever bounds the whole.
func TestFitHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := compaction.Policy{Output: rapid.Int64Range(1, 1000).Draw(t, "output")}
		p.Keep = p.Output + rapid.Int64Range(1, 10_000).Draw(t, "keep")
		p.Cap = p.Keep + rapid.Int64Range(0, 10_000).Draw(t, "room")
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		longest := rapid.Int64Range(p.Cap, 10*p.Cap).Draw(t, "longest")
		wrong := rapid.Int64Range(0, 50).Draw(t, "wrong by percent")
		var m compaction.Memory
		var whole compaction.Prompt
		least := int64(0) // of growth until the next compaction
		for range rapid.IntRange(1, 50).Draw(t, "rounds") {
			growth := rapid.Int64Range(0, 20_000).Draw(t, "growth")
			before := whole.In
			whole.In = min(longest, before+growth)
			whole.Prefix = min(before, max(0, whole.In-growth))
			whole.Est = whole.In * (100 + rapid.Int64Range(-wrong, wrong).Draw(t, "error")) / 100
			if least -= growth; whole.Prefix == 0 {
				least = 0
			}
			fit, read, after := p.Fit(m, whole)
			if fit.Est > p.Cap || fit.Est < 0 || fit.In < 0 || fit.In > max(1, whole.In) || fit.Prefix > fit.In || read.Prefix > read.In {
				t.Fatalf("%+v, then a summary of %+v, for the cap %d", fit, read, p.Cap)
			}
			if m = after; read == (compaction.Prompt{}) {
				continue
			}
			if least > 0 {
				t.Fatalf("compacted with room for %d tokens more", least)
			}
			if left := read.In + fit.In; left > whole.In+p.Output*fit.In/fit.Est+2 || read.Est < p.Output {
				t.Fatalf("a summary of %d and %d go out of a conversation of %d", read.In, fit.In, whole.In)
			}
			// What was kept is taken for at most Keep now, and then for as much more as estimates differ.
			least = p.Cap*100/(100+wrong) - fit.In - 2
		}
	})
}

func TestValidate(t *testing.T) {
	for want, p := range map[string]compaction.Policy{
		"a summary of 0 tokens":     {Cap: 10, Keep: 5},
		"5 tokens are kept":         {Cap: 10, Keep: 5, Output: 5},
		"a cap of 4 tokens":         {Cap: 4, Keep: 5, Output: 1},
		"want at least 1":           {},
		"those that are kept, 2000": {Cap: 1000, Keep: 2000, Output: 1},
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
}
