package report

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestForms(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		what, got, want string
	}{
		{"count", formCount(0), "0"},
		{"count", formCount(999), "999"},
		{"count", formCount(1000), "1 000"},
		{"count", formCount(-1234567), "-1 234 567"},
		{"three digits", form3(0), "0"},
		{"three digits", form3(4.4312), "4.43"},
		{"three digits", form3(9.996), "10.0"},
		{"three digits", form3(99.96), "100"},
		{"three digits", form3(118.2), "118"},
		{"three digits", form3(999.6), "1 000"},
		{"three digits", form3(48213), "48 200"},
		{"three digits", form3(0.0123), "0.0123"},
		{"three digits", form3(0.00001234), "1.23e-05"},
		{"three digits", form3(nan), "-"},
		{"three digits", form3(math.Inf(-1)), "-"},
		{"suffix", formSI(48.21e6), "48.2 M"},
		{"suffix", formSI(999_600), "1.00 M"},
		{"suffix", formSI(999_400), "999 000"},
		{"suffix", formSI(3.01e9), "3.01 G"},
		{"percent", formPercent(0), "0"},
		{"percent", formPercent(1), "100"},
		{"percent", formPercent(0.00001), "<0.01"},
		{"percent", formPercent(0.999999), "99.99"},
		{"percent", formPercent(0.0612), "6.12"},
		{"percent", formPercent(1.23), "123"},
		{"percent", formPercent(nan), "-"},
		{"ok", formOK(99_999, 100_000), "99.99"},
		{"ok", formOK(999_999, 1_000_000), "99.99"},
		{"ok", formOK(5, 5), "100.00"},
		{"ok", formOK(29, 100), "29.00"},
		{"ok", formOK(0, 0), ""},
		{"money", formMoney(812.4), "812.40"},
		{"money", formMoney(5833.03), "5 833"},
		{"money", formMoney(0.00312), "0.00312"},
		{"money", formMoney(0), "0.00"},
		{"seconds", formSeconds(4.4312), "4.43 s"},
		{"seconds", formSeconds(0.25), "250 ms"},
		{"seconds", formSeconds(0), "0 s"},
		{"span", formSpan(3600), "1h"},
		{"span", formSpan(5400), "1h30m"},
		{"span", formSpan(90), "1m30s"},
		{"span", formSpan(600), "10m"},
		{"span", formSpan(0.5), "500ms"},
		{"span", formSpan(0), "0s"},
		{"clock", formClock(872), "14:32"},
		{"clock", formClock(4472), "1:14:32"},
		{"clock", formClock(nan), "-"},
		{"unit", formUnit(12, UnitNumber), "12"},
		{"unit", formUnit(1.3842, UnitNumber), "1.38"},
		{"unit", formUnit(0.01, UnitShare), "1.00 %"},
		{"unit", formUnit(math.Inf(1), UnitTime), "-"},
		{"times", formTimes(138, 100), "x1.38"},
		{"times", formTimes(1, 0), ""},
	} {
		if got := strings.ReplaceAll(c.got, thin, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestWidths(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{shorten("gpt-4.1", 7), "gpt-4.1"},
		{shorten("models/llama-405b", 11), "model…-405b"},
		{shorten("漢字漢字", 5), "漢…字"},
		{shorten("abc", 1), "…"},
		{shorten("abc", 0), ""},
		{clean("a\nb\tc\x1b[1m\u202e\u200d\u00a0"), `a\nb c\x1b[1m` + " "},
		{clean("\u0085\u2028"), `\x85` + "\ufffd"},
		{strings.Join(wrap("aa bb cccccc d", 5), "|"), "aa bb|ccccc|c d"},
		{strings.Join(flow([]string{"aa", "", "bb", "cc dd"}, 7), "|"), "aa   bb|cc dd"},
		{shellWord("a/b.yaml"), "a/b.yaml"},
		{shellWord("it's"), `'it'\''s'`},
		{shellWord(""), "''"},
		{mdCode("a`b"), "`` a`b ``"},
		{mdCode("a``b"), "``` a``b ```"},
		{mdText("a|<b>_c_"), `a\|&lt;b&gt;\_c\_`},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestMarksDoNotHeapUpAroundInvisibleCharacters(t *testing.T) {
	if got := clean("a\u0300\u0300\u00ad\u0300\u200d\u0300b"); got != "a\u0300\u0300b" {
		t.Errorf("got %q", got)
	}
}

func TestCleanTextIsSafeAndShort(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := clean(rapid.String().Draw(rt, "s"))
		if strings.ContainsAny(s, "\n\r\t\x1b") || clean(s) != s {
			rt.Fatalf("%q", s)
		}
		width := rapid.IntRange(0, 30).Draw(rt, "width")
		if got := shorten(s, width); columns(got) > width {
			rt.Fatalf("%q has %d columns, more than %d", got, columns(got), width)
		}
		for _, l := range wrap(s, width+2) {
			if columns(l) > width+2 {
				rt.Fatalf("%q is wider than %d", l, width+2)
			}
		}
	})
}

func TestMeanInterval(t *testing.T) {
	// Student's t for 4 degrees of freedom is 2.776; the sample's deviation is sqrt(2.5).
	mean, half := meanInterval([]float64{1, 2, 3, 4, 5})
	if mean != 3 || math.Abs(half-2.776445*math.Sqrt(2.5/5)) > 1e-5 {
		t.Errorf("got %v and %v", mean, half)
	}
	if _, half := meanInterval([]float64{1}); !math.IsNaN(half) {
		t.Errorf("one sample has the interval %v", half)
	}
}
