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
	Prefix int64 // of In: what repeats the conversation's prompt before
}

// Memory is what one conversation has left behind in its compactions. The zero value has left nothing.
type Memory struct{ est, in int64 }

// Compacted reports whether the conversation goes on from a summary.
func (m Memory) Compacted() bool { return m != Memory{} }

// Fit takes the whole conversation that a prompt would be, and returns the prompt that goes out in its place. If that
// took a compaction, read is what is to be summarised before (else zero), and after, what is to be remembered of the
// conversation. A conversation that is shorter than what it left behind has begun anew.
//
// A summary is of what would no longer fit, Policy.Output less than is made room for; prompts in truth shrink as their
// estimates do. A prompt with a fresh summary repeats nothing of the one before.
func (p Policy) Fit(m Memory, whole Prompt) (fit, read Prompt, after Memory) {
	if whole.Est <= m.est || whole.In <= m.in {
		m = Memory{}
	}
	now := Prompt{Est: whole.Est - m.est, In: whole.In - m.in, Prefix: max(0, whole.Prefix-m.in)}
	if now.Est <= p.Cap {
		return now, Prompt{}, m
	}
	fit = Prompt{Est: p.Keep, In: share(now.In, p.Keep, now.Est)}
	read = Prompt{Est: now.Est - (p.Keep - p.Output)}
	read.In = share(now.In, read.Est, now.Est)
	read.Prefix = min(now.Prefix, read.In) // it is the beginning of the prompt before
	return fit, read, Memory{whole.Est - fit.Est, whole.In - fit.In}
}

// Truncated is a prompt that Fit made, without the summary, which could not be had: the oldest part is lost.
func (p Policy) Truncated(fit Prompt) Prompt {
	est := max(1, fit.Est-p.Output)
	return Prompt{Est: est, In: share(fit.In, est, fit.Est)}
}

// share is n*part/whole, at least 1, for part at most whole. Tokens are below 2^32.
func share(n, part, whole int64) int64 { return max(1, n*part/max(1, whole)) }
