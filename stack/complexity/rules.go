package complexity

import (
	"errors"
	"fmt"
)

// Features is what a scorer may look at.
type Features struct {
	// Tokens is the length of the whole prompt, with its context. Below 1: unknown, and taken as a
	// token per four bytes of the text, rounded up.
	Tokens int64
	// Text is what is asked. It need not be the whole prompt.
	Text string
}

// Scorer tells how hard a prompt is: the higher, the harder. Only the order of
// scores matters to Calibrate, but they must be finite.
type Scorer interface {
	Score(f Features) float64
}

// Config sets how the parts of the score are mixed.
type Config struct {
	// Length, Structure and Keywords are the weights of the three parts, each from 0 to 1, and
	// not all 0; the score is divided by their sum.
	Length, Structure, Keywords float64
	// HalfTokens is the length in tokens at which the length scores 1/2, 1 to 1 000 000 000. Choose
	// it amid the lengths of the workload: far from it, all prompts score alike.
	HalfTokens int64
	// Words are the keywords, at most 256.
	Words []Keyword
}

// Default returns the mix of the package comment: length 0.25, structure 0.30, keywords 0.45 from the
// English list.
func Default() Config {
	return Config{Length: 0.25, Structure: 0.30, Keywords: 0.45, HalfTokens: 2000, Words: Keywords()}
}

// Validate reports everything that is wrong with the configuration, joined.
func (c *Config) Validate() error {
	var errs []error
	failf := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, w := range []struct {
		name  string
		value float64
	}{{"length", c.Length}, {"structure", c.Structure}, {"keywords", c.Keywords}} {
		if !(w.value >= 0 && w.value <= 1) { // also if it is not a number
			failf("weight of %s is %v (allowed: 0 to 1)", w.name, w.value)
		}
	}
	if c.Length == 0 && c.Structure == 0 && c.Keywords == 0 {
		failf("all weights are 0")
	}
	if c.HalfTokens < 1 || c.HalfTokens > 1_000_000_000 {
		failf("half tokens are %d (allowed: 1 to 1000000000)", c.HalfTokens)
	}
	if len(c.Words) > maxWords {
		failf("keywords are %d (allowed: up to %d)", len(c.Words), maxWords)
	}
	for _, w := range c.Words {
		if err := w.validate(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Rules is the built-in Scorer. It is never written to after New.
type Rules struct {
	length, structure, keywords float64 // weights that add up to 1
	halfTokens                  float64
	words                       dictionary
}

// New returns a scorer, or what is wrong with its configuration.
func New(c Config) (*Rules, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("making a scorer of complexity: %w", err)
	}
	sum := c.Length + c.Structure + c.Keywords
	return &Rules{
		length: c.Length / sum, structure: c.Structure / sum, keywords: c.Keywords / sum,
		halfTokens: float64(c.HalfTokens), words: newDictionary(c.Words),
	}, nil
}

// Parts are what a score is made of, each from 0 to 1.
type Parts struct{ Length, Structure, Keywords float64 }

// Parts returns the parts of the score, to see why a prompt is taken for hard.
func (r *Rules) Parts(f Features) Parts {
	tokens := f.Tokens
	if tokens < 1 {
		tokens = (int64(len(f.Text)) + 3) / 4
	}
	form, found := r.read(f.Text)
	return Parts{
		Length:    saturate(float64(tokens), r.halfTokens),
		Structure: form.score(),
		Keywords:  r.words.score(found),
	}
}

// Score returns how hard a prompt is, from 0 to 1. For a given text it never falls when Tokens rises
// (from 1 on), and for given Tokens it never falls when lines are added at the end.
func (r *Rules) Score(f Features) float64 {
	p := r.Parts(f)
	// The conversions forbid fusing a product with its sum, which would let scores
	// differ between architectures.
	s := float64(r.length*p.Length) + float64(r.structure*p.Structure) + float64(r.keywords*p.Keywords)
	return min(1, s)
}

// saturate grows from 0 towards 1 and is 1/2 at half. Beyond longest the sum would be rounded, and the quotient could
// fall by its last bit.
func saturate(n, half float64) float64 {
	const longest = 1 << 52
	n = min(n, longest)
	return n / (n + half)
}
