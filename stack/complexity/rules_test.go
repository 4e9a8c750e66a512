package complexity_test

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/complexity"
	"pgregory.net/rapid"
)

func newRules(t testing.TB, c complexity.Config) *complexity.Rules {
	t.Helper()
	r, err := complexity.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// What is counted, by its share in the structure's score: each row's counts are put into the formula of
// the package comment.
func TestStructureOfExamples(t *testing.T) {
	rules := newRules(t, complexity.Default())
	for _, c := range []struct {
		text                                                string
		blocks, items, numbers, questions, depth, sentences float64
	}{
		{text: ""},
		{text: " \n\t\n"},
		{text: "Hello", sentences: 1},
		{text: "Hello. World", sentences: 2},
		{text: "Hello!!! World...", sentences: 2},
		{text: "See example.org or v1.2, then stop.", sentences: 1, numbers: 1},
		{text: "Is it? Is it really?", sentences: 2, questions: 2},
		{text: "难吗？为什么？因为。", sentences: 3, questions: 2},
		{text: "f(g[h{x}]) and (y)", sentences: 1, depth: 3},
		{text: ")))((", depth: 2},
		{text: "1 and 2,000 and 3.14 and 4.", numbers: 4, sentences: 1},
		{text: "1,2, 3", numbers: 2},
		{text: "- a\n* b\n  + c\n-d\n--", items: 3, sentences: 1},
		{text: "1. a\n22) b\n3 c\n1234567890. d", items: 2, numbers: 4, sentences: 2},
		{text: "Fix it.\n```go\nx := f(1)\n```\nThanks.", blocks: 1, numbers: 1, depth: 1, sentences: 2},
		{text: "~~~\n```", blocks: 1},
		{text: "```\na\n```\n```\nb", blocks: 2, sentences: 1},
		{text: "\xff\xfe", sentences: 0},
	} {
		part := func(n, half, weight float64) float64 { return weight * n / (n + half) }
		want := part(c.blocks, 1, 0.20) + part(c.items, 5, 0.20) + part(c.numbers, 8, 0.15) +
			part(c.questions, 2, 0.15) + part(c.depth, 3, 0.15) + part(c.sentences, 10, 0.15)
		if got := rules.Parts(complexity.Features{Text: c.text}).Structure; !near(got, want) {
			t.Errorf("%q: structure %v, want %v", c.text, got, want)
		}
	}
}

func TestKeywordsOfExamples(t *testing.T) {
	c := complexity.Default()
	c.Words = []complexity.Keyword{
		{Text: "why", Weight: 0.5}, {Text: "step by step", Weight: 0.25}, {Text: "compar*", Weight: 0.125}, {Text: "证明", Weight: 0.5},
	}
	rules := newRules(t, c)
	for text, want := range map[string]float64{
		"":                             0,
		"Why":                          0.5,
		"why, WHY and why":             0.5, // once each
		"whys and swhy, why2 and 2why": 0,
		"(why)":                        0.5,
		"step-by-step":                 0.25,
		"Step\nby step!":               0.25,
		"step  by step":                0,
		"stepbystep":                   0,
		"Comparing these":              0.125,
		"incomparable":                 0,
		"compa":                        0,
		"请证明这个":                        0.5,
		"Why compare, step by step?":   1 - 0.5*0.75*0.875,
	} {
		if got := rules.Parts(complexity.Features{Text: text}).Keywords; !near(got, want) {
			t.Errorf("%q: keywords %v, want %v", text, got, want)
		}
	}
}

func TestLengthOfExamples(t *testing.T) {
	rules := newRules(t, complexity.Default())
	for _, c := range []struct {
		tokens int64
		text   string
		want   float64
	}{
		{2000, "", 0.5},
		{6000, "", 0.75},
		{math.MaxInt64, "", 1},
		{0, "", 0},
		{0, strings.Repeat("x", 8000), 0.5},
		{-7, strings.Repeat("x", 7997), 0.5},
		{2000, strings.Repeat("x", 8001), 0.5},
	} {
		if got := rules.Parts(complexity.Features{Tokens: c.tokens, Text: c.text}).Length; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d tokens, %d bytes: length %v, want %v", c.tokens, len(c.text), got, c.want)
		}
	}
}

// Prompts of one length, labelled by hand. Rules cannot get all right; most pairs of a hard and an
// easy one must be in order (the area under the ROC curve), and the hard ones that look easy stand
// here as a warning.
func TestHardAboveEasy(t *testing.T) {
	hard := []string{
		"Prove that the square root of 2 is irrational.",
		"Compare three designs of a rate limiter for 2000 agents and justify your choice. Consider bursts, fairness and failure.",
		"Here is a stack trace and the function:\n```go\nfunc f(a []int) int { return a[len(a)] }\n```\nFind the root cause and fix it.",
		"Derive the posterior of a beta-binomial model step by step.",
		"Propose a hypothesis that explains the interaction of the two proteins, and a plan to test it with at most 3 experiments.",
		"Why does the p99 rise when the arrival rate is unchanged? Which of the following could be at fault?\n- the retry policy\n- the pool size\n- the DNS cache",
		"Design a schema for multi-tenant billing. It must support: 1) proration, 2) credits, 3) refunds. What are the trade-offs?",
		"Refactor this class so that it can be tested without a network, and explain each change.",
		"Evaluate the methodology of the paper: sample size (n = 24), controls, statistics. Are the conclusions justified?",
		"Is P equal to NP?",
	}
	easy := []string{
		"Translate to French: good morning.",
		"Summarise the abstract in one sentence.",
		"Fix the spelling of this line: I beleive you.",
		"Classify the sentiment as positive or negative: the food was cold.",
		"Extract the dates from the note: met on 3 May, again on 7 June.",
		"What is the capital of Portugal?",
		"Write a title for the following paragraph about whales.",
		"Convert 12 miles to kilometres.",
		"Remove the timestamps from these log lines: 12:00:01 started, 12:00:09 done.",
		"How old is the universe?",
	}
	rules := newRules(t, complexity.Default())
	ordered := 0
	for _, h := range hard {
		for _, e := range easy {
			if rules.Score(complexity.Features{Tokens: 100, Text: h}) > rules.Score(complexity.Features{Tokens: 100, Text: e}) {
				ordered++
			}
		}
	}
	t.Logf("%d of %d pairs in order", ordered, len(hard)*len(easy))
	if ordered < len(hard)*len(easy)*85/100 {
		t.Errorf("%d of %d pairs in order", ordered, len(hard)*len(easy))
	}
}

// text is made of what the rules look for, and of anything.
var text = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOf(rapid.OneOf(
		rapid.SampledFrom([]string{"why", "step by", "step", "prov", "e", " ", "\n", "\n- ", "1. ", "```", "(", "]", "?", ". ", "3.", "3,1", "证明。", "\xe3"}),
		rapid.String(),
	)).Draw(t, "pieces"), "")
})

func checkScore(t testing.TB, rules *complexity.Rules, f complexity.Features) {
	t.Helper()
	s, p := rules.Score(f), rules.Parts(f)
	if s != rules.Score(f) {
		t.Fatalf("%+v has two scores", f)
	}
	for _, x := range []float64{s, p.Length, p.Structure, p.Keywords} {
		if !(x >= 0 && x <= 1) {
			t.Fatalf("%+v: score %v of %+v", f, s, p)
		}
	}
}

// checkGrowth: more tokens, and more lines, never lower the score.
func checkGrowth(t testing.TB, rules *complexity.Rules, f complexity.Features, more int64, lines string) {
	t.Helper()
	f.Tokens = max(1, f.Tokens)
	s := rules.Score(f)
	longer := f
	longer.Tokens += min(max(0, more), math.MaxInt64-f.Tokens)
	if got := rules.Score(longer); got < s {
		t.Fatalf("%q: %v at %d tokens, %v at %d", f.Text, s, f.Tokens, got, longer.Tokens)
	}
	longer = f
	longer.Text += "\n" + lines
	if got := rules.Score(longer); got < s {
		t.Fatalf("%q scores %v, with %q behind it %v", f.Text, s, lines, got)
	}
}

func TestScoreIsBoundedAndGrowsWithLength(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := complexity.Default()
		weight := rapid.Float64Range(0, 1)
		c.Length, c.Structure, c.Keywords = 0.01+0.99*weight.Draw(rt, "length"), weight.Draw(rt, "structure"), weight.Draw(rt, "keywords")
		c.HalfTokens = rapid.Int64Range(1, 1_000_000_000).Draw(rt, "half")
		rules := newRules(t, c)
		f := complexity.Features{Tokens: rapid.Int64().Draw(rt, "tokens"), Text: text.Draw(rt, "text")}
		checkScore(t, rules, f)
		checkGrowth(t, rules, f, rapid.Int64().Draw(rt, "more"), text.Draw(rt, "lines"))
	})
}

// Ensure a score does not fall by a rounding where lengths are absurd.
func TestScoreOfAbsurdLengths(t *testing.T) {
	c := complexity.Default()
	for _, half := range []int64{1, 3, 1000, 999_999_937, 1_000_000_000} {
		c.HalfTokens = half
		rules, last := newRules(t, c), 0.0
		for tokens := int64(1); tokens < math.MaxInt64/2; tokens += tokens/7 + 1 {
			s := rules.Score(complexity.Features{Tokens: tokens, Text: "step by\nprove"})
			if s < last {
				t.Fatalf("half %d: %v at %d tokens, below %v", half, s, tokens, last)
			}
			last = s
		}
	}
}

func FuzzScore(f *testing.F) {
	rules := newRules(f, complexity.Default())
	for _, s := range []string{"", "Why?", "step by\nstep", "1. a\n```\n(((", "3.1,4", "\xff", "证明？", "- \n-"} {
		f.Add(int64(10), s, int64(5), "and more.")
	}
	f.Fuzz(func(t *testing.T, tokens int64, text string, more int64, lines string) {
		checkScore(t, rules, complexity.Features{Tokens: tokens, Text: text})
		checkGrowth(t, rules, complexity.Features{Tokens: tokens, Text: text}, more, lines)
	})
}

func TestScoringAllocatesNothing(t *testing.T) {
	rules := newRules(t, complexity.Default())
	f := complexity.Features{Text: strings.Repeat("Why is f(x) = 3.1, step by step?\n- 证明\n", 20)}
	if n := testing.AllocsPerRun(100, func() { rules.Score(f) }); n != 0 {
		t.Errorf("%v allocations per score", n)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(*complexity.Config){
		"weight of length is -0.1":      func(c *complexity.Config) { c.Length = -0.1 },
		"weight of structure is NaN":    func(c *complexity.Config) { c.Structure = math.NaN() },
		"weight of keywords is +Inf":    func(c *complexity.Config) { c.Keywords = math.Inf(1) },
		"all weights are 0":             func(c *complexity.Config) { c.Length, c.Structure, c.Keywords = 0, 0, 0 },
		"half tokens are 0":             func(c *complexity.Config) { c.HalfTokens = 0 },
		"keywords are 257":              func(c *complexity.Config) { c.Words = make([]complexity.Keyword, 257) },
		`keyword "*" has 0 bytes`:       func(c *complexity.Config) { c.Words[0].Text = "*" },
		`keyword "a*b" has a *`:         func(c *complexity.Config) { c.Words[0].Text = "a*b" },
		`keyword " a" has outer blanks`: func(c *complexity.Config) { c.Words[0].Text = " a" },
		`keyword "Why" is not in lower`: func(c *complexity.Config) { c.Words[0].Text = "Why" },
		`keyword "prove" has weight 2`:  func(c *complexity.Config) { c.Words[0].Weight = 2 },
	} {
		c := complexity.Default()
		spoil(&c)
		if _, err := complexity.New(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkScore(b *testing.B) {
	rules := newRules(b, complexity.Default())
	paragraph := "Compare the two designs of the limiter (a bucket, and a window of 60 counters) and say why the first bursts.\n"
	for name, n := range map[string]int{"short": 2, "long": 75} {
		f := complexity.Features{Text: strings.Repeat(paragraph, n)}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(f.Text)))
			for b.Loop() {
				rules.Score(f)
			}
		})
	}
}
