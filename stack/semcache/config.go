package semcache

import (
	"errors"
	"fmt"
	"time"
)

// Config sets the bounds of a cache.
type Config struct {
	// Threshold is the least cosine of two vectors that counts as a hit, above 0 and up to
	// 1. Lower: more hits, and more answers to a question that was not asked. At 1 the
	// second step is off: only equal texts hit, and nothing is embedded.
	Threshold float64
	// TTL is the life of an entry from its storing, 1 ms to 365 days. Longer: more hits, and
	// staler answers.
	TTL time.Duration
	// Entries bounds the whole cache, over all keys, 1 to 1 000 000. More: more
	// hits and memory (about 4 bytes per dimension, plus the text), and longer scans.
	Entries int
	// MaxTextBytes bounds a text without its outer blanks, 1 to 16 MiB. A longer one is neither
	// stored nor found. It is not cut: two prompts that differ behind the cut would be one.
	MaxTextBytes int
	// Embedder makes the vectors. It may be nil only if Threshold is 1.
	Embedder Embedder
}

// Default returns the bounds to start from: cosine 0.95 of character n-grams, one hour,
// 10 000 entries of at most 32 KiB.
func Default() Config {
	return Config{Threshold: 0.95, TTL: time.Hour, Entries: 10_000, MaxTextBytes: 32 << 10, Embedder: NGrams{}}
}

// Validate reports everything that is wrong with the configuration, joined.
func (c *Config) Validate() error {
	const day = 24 * time.Hour
	var errs []error
	failf := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !(c.Threshold > 0 && c.Threshold <= 1) { // also if it is not a number
		failf("threshold is %v (allowed: above 0, up to 1)", c.Threshold)
	}
	if c.TTL < time.Millisecond || c.TTL > 365*day {
		failf("TTL is %v (allowed: %v to %v)", c.TTL, time.Millisecond, 365*day)
	}
	if c.Entries < 1 || c.Entries > 1_000_000 {
		failf("entries are %d (allowed: 1 to 1000000)", c.Entries)
	}
	if c.MaxTextBytes < 1 || c.MaxTextBytes > 16<<20 {
		failf("max text is %d bytes (allowed: 1 to %d)", c.MaxTextBytes, 16<<20)
	}
	if c.Embedder == nil && c.Threshold != 1 {
		failf("embedder is missing (it may be only if the threshold is 1)")
	}
	return errors.Join(errs...)
}

// Key names a partition of the cache. An entry is found only under an equal key (INV-60).
type Key struct {
	Tenant uint64
	Model  int
	// Params is the caller's hash of all else that shapes an answer: system prompt, the
	// conversation before, tools, response format, temperature, seed, output limit. Two sets of
	// parameters with one hash share their answers, so the hash must be a good one of 64 bits.
	Params uint64
}

// Answer is what a caller knows of an answer when it decides whether to store it.
type Answer struct {
	OK        bool // the call succeeded
	Write     bool // the request changes something besides the model's own state
	ToolCalls bool // the answer asks for tools to be called
	Truncated bool // the answer was cut off, by a limit or an abort
}

// Cacheable reports whether the answer may be stored: a whole answer of a call that
// succeeded, wrote nothing and asks for no tool (INV-60). The zero Answer may not.
func (a Answer) Cacheable() bool {
	return a.OK && !a.Write && !a.ToolCalls && !a.Truncated
}
