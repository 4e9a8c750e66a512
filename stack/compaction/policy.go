package compaction

import "fmt"

// Policy says how long prompts may become and what they are cut down to. All are numbers of tokens, as the client
// estimates them.
type Policy struct {
	Cap    int64 // largest prompt that is sent as it is
	Keep   int64 // length of a prompt after its compaction, the summary included; at most Cap
	Output int64 // length of a summary; less than Keep
}

// Validate returns an error that names what is wrong.
func (p Policy) Validate() error {
	switch {
	case p.Output < 1:
		return fmt.Errorf("compaction: a summary of %d tokens, want at least 1", p.Output)
	case p.Keep <= p.Output:
		return fmt.Errorf("compaction: %d tokens are kept, want more than those of the summary, %d", p.Keep, p.Output)
	case p.Cap < p.Keep:
		return fmt.Errorf("compaction: a cap of %d tokens, want at least those that are kept, %d", p.Cap, p.Keep)
	}
	return nil
}

// Prompt is the length of a prompt, in tokens.
type Prompt struct {
	Est    int64 // as the client estimates it, at least 0: what decides
	In     int64 // in truth, at least 0
	Prefix int64 // of In: what repeats the conversation's prompt before; 0: the conversation begins
}

// Memory is what is known of one conversation: how long its last prompt was in truth, if it goes on from a summary. The
// zero value is one that has none.
type Memory struct{ length int64 }

// Compacted reports whether the conversation goes on from a summary.
func (m Memory) Compacted() bool { return m.length > 0 }

// Fit takes the whole conversation that a prompt would be, and returns the prompt that goes out in its place. If that
// took a compaction, read is what is to be summarised before (else zero). After is what is to be remembered of the
// conversation; a prompt that repeats nothing begins anew.
//
// A conversation that goes on from a summary grows by what each round adds, whole.In less whole.Prefix, whatever falls out at
// the other end of the whole. A summary is of what would no longer fit, Policy.Output less than is made room for. Estimates
// are as wrong of a part as they are of the whole. A prompt with a fresh summary repeats nothing of the one before.
func (p Policy) Fit(m Memory, whole Prompt) (fit, read Prompt, after Memory) {
	now := whole
	if m.Compacted() && whole.Prefix > 0 {
		now.In = min(whole.In, m.length+whole.In-whole.Prefix)
		now.Prefix = min(m.length, now.In)
		now.Est = share(now.In, whole.Est, whole.In)
	} else {
		m = Memory{}
	}
	if now.Est <= p.Cap {
		if m.Compacted() {
			m.length = now.In
		}
		return now, Prompt{}, m
	}
	fit = Prompt{Est: p.Keep, In: share(now.In, p.Keep, now.Est)}
	read = Prompt{Est: now.Est - (p.Keep - p.Output)}
	read.In = share(now.In, read.Est, now.Est)
	read.Prefix = min(now.Prefix, read.In) // it is the beginning of the prompt before
	return fit, read, Memory{fit.In}
}

// Truncated is a prompt that Fit made, without the summary, which could not be had, and what is then to be remembered: the
// oldest part is lost.
func (p Policy) Truncated(fit Prompt) (Prompt, Memory) {
	est := max(1, fit.Est-p.Output)
	in := share(fit.In, est, fit.Est)
	return Prompt{Est: est, In: in}, Memory{in}
}

// share is n*part/whole, at least 1. Tokens are below 2^32, so that the product does not overflow.
func share(n, part, whole int64) int64 { return max(1, n*part/max(1, whole)) }
