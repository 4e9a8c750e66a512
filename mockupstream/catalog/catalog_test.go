package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"pgregory.net/rapid"
)

func mustLoad(t *testing.T) *Catalog {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoad(t *testing.T) {
	c := mustLoad(t)
	m, ok := c.Model("claude-sonnet-4-5")
	if !ok || m.Vendor != "anthropic" || m.ContextWindow != 200_000 || m.MaxOutput != 64_000 {
		t.Errorf("model %+v", m)
	}
	if m.Dialect != mockupstream.DialectAnthropic || m.Cache != (mockupstream.PromptCache{MinTokens: 1024, Block: 1, TTL: 5 * time.Minute}) || m.CacheSource.AsOf == "" {
		t.Errorf("dialect %v, cache %+v from %+v", m.Dialect, m.Cache, m.CacheSource)
	}
	long := mockupstream.Rates{Input: 6_000_000, Cached: 600_000, Output: 22_500_000, CacheWrite: 7_500_000}
	if m.Price != (Price{Input: 3_000_000, Cached: 300_000, Output: 15_000_000, CacheWrite: 3_750_000, LongFrom: 200_000, Long: long}) {
		t.Errorf("price %+v", m.Price)
	}
	if m.Latency.PerPromptToken != 160*time.Microsecond || m.Latency.FirstTokenSigma != .2 {
		t.Errorf("latency %+v", m.Latency)
	}
	if tier, ok := m.Tier("tier2"); !ok || tier.RPM != 1000 || tier.TPM != 450_000 || tier.OTPM != 90_000 || tier.Source.AsOf == "" {
		t.Errorf("tier2 %+v", tier)
	}
	if _, ok := m.Tier("tier9"); ok {
		t.Error("there is a tier9")
	}
	if _, ok := c.Model("no-such-model"); ok {
		t.Error("there is a model of no name")
	}
	if m, _ := c.Model("deepseek-chat"); len(m.Tiers) != 1 || m.Tiers[0].RPM != 0 || m.Tiers[0].TPM != 0 {
		t.Errorf("deepseek-chat: tiers %+v, want one without limits", m.Tiers)
	}
	if m, _ := c.Model("qwen-turbo"); m.Price.Cached != m.Price.Input {
		t.Errorf("qwen-turbo: cached at %d, input at %d: no discount is known", m.Price.Cached, m.Price.Input)
	}
	names := c.Names()
	if len(names) != 34 || !slices.IsSorted(names) {
		t.Errorf("%d names, sorted: %v", len(names), slices.IsSorted(names))
	}
}

// TestModelsServe: every model of the catalogue is one the mock accepts.
func TestModelsServe(t *testing.T) {
	c := mustLoad(t)
	for _, name := range c.Names() {
		m, _ := c.Model(name)
		_, err := mockupstream.New(mockupstream.Config{Models: []mockupstream.Model{{
			Name: m.Name, Vendor: m.Vendor, Dialect: m.Dialect, ContextWindow: m.ContextWindow, MaxOutput: m.MaxOutput, Latency: m.Latency,
			Cache: m.Cache, Price: m.Price, LongFrom: m.LongContext,
		}}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if p := m.Price; p.Cached > p.Input || p.Input > p.Output || p.Cached <= 0 || m.Source.AsOf == "" {
			t.Errorf("%s: price %+v, source %+v", name, p, m.Source)
		}
	}
}

func reference(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open("../../../shared/data/" + name)
	if err != nil {
		t.Skipf("reference data %s is not there: nothing to compare with", name)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		fields := make(map[string]string)
		for i, column := range rows[0] {
			fields[column] = row[i]
		}
		out = append(out, fields)
	}
	return out
}

// TestPricesAreTheReference: every row of the price list is in the catalogue, to the digit.
func TestPricesAreTheReference(t *testing.T) {
	rows := reference(t, "prices.csv")
	c := mustLoad(t)
	if len(rows) != len(c.Names()) {
		t.Errorf("%d rows, %d models", len(rows), len(c.Names()))
	}
	for _, r := range rows {
		m, ok := c.Model(r["model"])
		if !ok {
			t.Errorf("%s is missing", r["model"])
			continue
		}
		number := func(column string) int64 {
			n, err := strconv.ParseInt(r[column], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		price := func(column string) int64 {
			n, err := ParsePrice(r[column])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		want := Price{Input: price("input_usd_per_mtok"), Output: price("output_usd_per_mtok")}
		if want.Cached = want.Input; r["cache_read_usd_per_mtok"] != "" {
			want.Cached = price("cache_read_usd_per_mtok")
		}
		if want.CacheWrite = want.Input; r["cache_write_usd_per_mtok"] != "" {
			want.CacheWrite = price("cache_write_usd_per_mtok")
		}
		if r["long_from_tokens"] != "" {
			want.LongFrom = number("long_from_tokens")
			want.Long.Input, want.Long.Output = price("input_long_usd_per_mtok"), price("output_long_usd_per_mtok")
			share := float64(want.Long.Input) / float64(want.Input)
			want.Long.Cached, want.Long.CacheWrite = int64(math.Round(float64(want.Cached)*share)), int64(math.Round(float64(want.CacheWrite)*share))
		}
		window := number("context_window")
		if window == 272_000 {
			window += number("max_output")
		}
		if m.Price != want || m.Vendor != r["vendor"] || m.ContextWindow != window || m.MaxOutput != number("max_output") {
			t.Errorf("%s: %+v, reference %v", r["model"], m, r)
		}
	}
}

// TestTiersAreTheReference: each tier of a model that the limit list names by itself is there.
func TestTiersAreTheReference(t *testing.T) {
	c := mustLoad(t)
	compared := 0
	for _, r := range reference(t, "limits.csv") {
		if name, _, long := strings.Cut(r["model"], " long-context >128k"); long {
			m, _ := c.Model(name)
			if tier, ok := m.Tier(r["tier"]); !ok || m.LongContext != 128_000 || tier.LongRPM != int64(atoi(r["rpm"])) || tier.LongTPM != int64(atoi(r["tpm"])) {
				t.Errorf("%s %s, long prompts: %+v, reference %v", name, r["tier"], tier, r)
			}
			continue
		}
		m, ok := c.Model(r["model"])
		if !ok || strings.Contains(r["tier"], " ") {
			continue
		}
		tpm := r["tpm"]
		if tpm == "" {
			tpm = r["itpm"]
		}
		tier, ok := m.Tier(r["tier"])
		got := fmt.Sprint(tier.RPM, tier.TPM, tier.OTPM, tier.RPD, tier.Concurrency)
		want := fmt.Sprint(atoi(r["rpm"]), atoi(tpm), atoi(r["otpm"]), atoi(r["rpd"]), atoi(r["max_concurrency"]))
		if !ok || got != want {
			t.Errorf("%s %s: %s, reference %s", r["model"], r["tier"], got, want)
		}
		compared++
	}
	if compared < 40 {
		t.Errorf("only %d tiers compared", compared)
	}
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func TestParsePrice(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "0.0": 0, "15": 15_000_000, "0.42": 420_000, "0.003625": 3625, "0.000001": 1, "10000": 10_000_000_000, "2.5000000000": 2_500_000, "007": 7_000_000,
	} {
		if got, err := ParsePrice(in); err != nil || got != want {
			t.Errorf("ParsePrice(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "1.", ".5", "-1", "+1", "1e3", " 1", "1 ", "0.0000001", "10000.000001", "99999999999999999999", "NaN", "Inf", "0x1", "1.2.3", "1,5", "$1", "１"} {
		if got, err := ParsePrice(in); !errors.Is(err, ErrPrice) {
			t.Errorf("ParsePrice(%q) = %d, %v; want an error", in, got, err)
		}
	}
}

// TestINV61PricesAreExact: a price survives being written and read.
func TestINV61PricesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pico := rapid.Int64Range(0, MaxPrice*1_000_000).Draw(t, "pico")
		written := fmt.Sprintf("%d.%06d", pico/1_000_000, pico%1_000_000)
		if got, err := ParsePrice(written); err != nil || got != pico {
			t.Fatalf("ParsePrice(%q) = %d, %v", written, got, err)
		}
	})
}

func FuzzParsePrice(f *testing.F) {
	for _, s := range []string{"0.42", "1.", "1e9", "-0", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParsePrice(s)
		if (err == nil) == errors.Is(err, ErrPrice) || n < 0 || n > MaxPrice*1_000_000 {
			t.Errorf("ParsePrice(%q) = %d, %v", s, n, err)
		}
	})
}

const minimal = `sources: {s: {text: a, as_of: b}}
latency_classes: {l: {base: 1s}}
models:
  - {name: m, vendor: v, dialect: openai, context_window: 10, max_output: 5, usd_per_mtok: {input: "1", output: "2"}, source: s, latency: l, tiers: [{name: t, rpm: 1, source: s}]}
`

func TestParseErrors(t *testing.T) {
	if _, err := Parse([]byte(minimal)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "# nothing\n", minimal + "---\n" + minimal} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is taken for a catalogue", text)
		}
	}
	for _, c := range []struct{ old, replacement, want string }{
		{"vendor: v", "vendor: v, colour: red", "colour"},
		{"vendor: v", "vendor: v, vendor: w", "vendor"},
		{"name: m", `name: ""`, "name and vendor"},
		{"dialect: openai", "dialect: klingon", "dialect"},
		{"max_output: 5", "max_output: 11", "max_output"},
		{"context_window: 10", "context_window: -10", "context_window"},
		{`input: "1"`, `input: "1e3"`, "input: parsing price"},
		{`output: "2"`, `output: ""`, "output: parsing price"},
		{`output: "2"`, `output: "2", cached: "x"`, "cached: parsing price"},
		{`output: "2"`, `output: "2", cache_write: "x"`, "cache_write: parsing price"},
		{`output: "2"`, `output: "2", long_from: 5`, "need all three or none"},
		{`output: "2"`, `output: "2", long_input: "5", long_output: "6"`, "need all three or none"},
		{"max_output: 5", "max_output: 5, long_context: 11", "long_context"},
		{"max_output: 5", "max_output: 5, cache: z", `no cache "z"`},
		{"source: s, latency", "source: z, latency", `source "z"`},
		{"latency: l", "latency: z", `class "z"`},
		{"base: 1s", "base: -1s", "time of -1s"},
		{"base: 1s", "load: .nan", "NaN"},
		{"rpm: 1", "rpm: -1", `tier "t"`},
		{"rpm: 1, source: s", "rpm: 1, source: z", `tier "t"`},
		{"{name: t, rpm: 1, source: s}", "{name: t, source: s}, {name: t, source: s}", "used twice"},
		{"models:\n", "models:\n  - {name: m, vendor: v, dialect: openai, context_window: 10, max_output: 5, usd_per_mtok: {input: \"1\", output: \"2\"}, source: s, latency: l}\n", "used twice"},
	} {
		text := strings.Replace(minimal, c.old, c.replacement, 1)
		if text == minimal {
			t.Fatalf("%q is not in the text", c.old)
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want %q in it", c.replacement, c.old, err, c.want)
		}
	}
}
