package scenario

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// decodeText decodes a YAML text into v and returns the first problem, or "".
func decodeText(text string, v any) string {
	p := problems{file: "x"}
	n := parseTree(&p, []byte(text), false)
	if n != nil {
		d := decoder{problems: &p}
		d.value(n, reflect.ValueOf(v).Elem(), rules{})
	}
	if len(p.list) > 0 {
		return p.list[0].Problem
	}
	return ""
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    Tokens
		problem string
	}{
		{"0", 0, ""},
		{"8k", 8000, ""},
		{"1.5k", 1500, ""},
		{"2M", 2_000_000, ""},
		{"1.1M", 1_100_000, ""},
		{`"9"`, 9, ""},
		{"2.0", 2, ""},
		{"1.5", 0, "not a whole number"},
		{"8K", 0, "not a number"},
		{"-1", 0, "negative"},
		{".nan", 0, "not a number"},
		{".inf", 0, "not a number"},
		{"-.inf", 0, "negative"},
		{"1e6", 0, "not a number"},
		{"010", 0, "not a number"},
		{"0x10", 0, "not a number"},
		{"1_000", 0, "not a number"},
		{"true", 0, "not a number"},
		{"~", 0, "not a number"},
		{"[1]", 0, "not a number"},
		{"1000001M", 0, "too large"},
		{"999999999999999M", 0, "not a whole number"},
	} {
		var v Tokens
		if problem := decodeText(c.text, &v); problem != c.problem || v != c.want {
			t.Errorf("%s: got %v (%s), want %v (%s)", c.text, v, problem, c.want, c.problem)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    time.Duration
		problem string
	}{
		{"20s", 20 * time.Second, ""},
		{"1h30m", 90 * time.Minute, ""},
		{"160us", 160 * time.Microsecond, ""},
		{"0s", 0, ""},
		{`"5m"`, 5 * time.Minute, ""},
		{"20", 0, "a duration without a unit"},
		{"0", 0, "a duration without a unit"},
		{"1.5", 0, "not a duration"},
		{".inf", 0, "not a duration"},
		{"-1s", 0, "negative duration"},
		{"1d", 0, "not a duration"},
		{"5 s", 0, "not a duration"},
		{"", 0, "the file holds no scenario"},
		{"~", 0, "not a duration"},
		{"{a: 1}", 0, "not a duration"},
		{"99999h", 0, "too large duration"},
		{"9999999999h", 0, "not a duration"},
	} {
		var v Duration
		if problem := decodeText(c.text, &v); problem != c.problem || time.Duration(v) != c.want {
			t.Errorf("%q: got %v (%s), want %v (%s)", c.text, time.Duration(v), problem, c.want, c.problem)
		}
	}
}

func TestSharesAndPercents(t *testing.T) {
	for _, c := range []struct {
		text           string
		share          Share
		percent        Percent
		shareProblem   string
		percentProblem string
	}{
		{"5%", 0.05, 5, "", ""},
		{"0.05", 0.05, 5, "", ""},
		{"100%", 1, 100, "", ""},
		{"0", 0, 0, "", ""},
		{"0.29", 0.29, 29, "", ""},
		{"1", 1, 100, "", ""},
		{"0.2%", 0.002, 0, "", "not a whole percent"},
		{"5", 0, 0, "too large", "too large"},
		{"101%", 0, 0, "too large", "too large"},
		{"-1%", 0, 0, "negative", "negative"},
		{".nan", 0, 0, "not a share", "not a share"},
		{"half", 0, 0, "not a share", "not a share"},
		{"1e-3", 0, 0, "not a share", "not a share"},
	} {
		var s Share
		if problem := decodeText(c.text, &s); problem != c.shareProblem || s != c.share {
			t.Errorf("%s as a share: got %v (%s), want %v (%s)", c.text, s, problem, c.share, c.shareProblem)
		}
		var p Percent
		if problem := decodeText(c.text, &p); problem != c.percentProblem || p != c.percent {
			t.Errorf("%s as percent: got %v (%s), want %v (%s)", c.text, p, problem, c.percent, c.percentProblem)
		}
	}
}

// Every count that can be written in thousandths of k or M is read exactly.
func TestSuffixesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 999_999_999).Draw(t, "n")
		for text, want := range map[string]int64{
			fmt.Sprint(n):                           n,
			fmt.Sprintf("%d.%03dk", n/1000, n%1000): n,
			fmt.Sprintf("%d.%06dM", n/1e6, n%1e6):   n,
			fmt.Sprintf("%dk", n/1000):              n / 1000 * 1000,
		} {
			var v Tokens
			if problem := decodeText(text, &v); problem != "" || int64(v) != want {
				t.Fatalf("%s: got %d (%s), want %d", text, v, problem, want)
			}
		}
	})
}

// Whatever Go prints as a duration is read back.
func TestDurationsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64Range(0, int64(8784*time.Hour)).Draw(t, "d"))
		var v Duration
		if problem := decodeText(want.String(), &v); problem != "" || time.Duration(v) != want {
			t.Fatalf("%v: got %v (%s)", want, time.Duration(v), problem)
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"queue", "concurrency", "rotation", "retry"}
	for name, want := range map[string]string{"queu": "queue", "QUEUE": "queue", "concurency": "concurrency", "rety": "retry", "xyzzy": "", "q": "", "": ""} {
		if got := nearest(name, names); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}

// Ensure a name may have 100 characters, whatever their bytes, and no more.
func TestLongestName(t *testing.T) {
	for _, c := range []struct {
		name string
		ok   bool
	}{{strings.Repeat("é", 100), true}, {strings.Repeat("a", 101), false}} {
		_, err := Load("testdata/small.yaml", []string{"alerts.p99={" + c.name + ": 1s}"})
		if told := err != nil && strings.Contains(err.Error(), "not a usable name"); told == c.ok {
			t.Errorf("%d bytes: %v", len(c.name), err)
		}
	}
}
