package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

func auditConfig() *mockupstream.Config {
	return &mockupstream.Config{
		Models: []mockupstream.Model{{Name: "m", Price: mockupstream.Price{
			Input: 2e6, Cached: 5e5, Output: 8e6, CacheWrite: 2e6, LongFrom: 1000, Long: mockupstream.Rates{Input: 4e6, Cached: 1e6, Output: 12e6, CacheWrite: 4e6},
		}}},
		Quotas: []mockupstream.Quota{{Name: "q", RPM: 100, TPM: 50_000}},
		Keys:   []mockupstream.Key{{ID: "k-1", Quotas: []int{0}}},
	}
}

func auditStats() *mockupstream.Stats {
	return &mockupstream.Stats{Now: 90 * time.Second, Rejected: map[int]int64{401: 3, 404: 3}, Books: mockupstream.Books{
		Received: 200, Admitted: 150, Answered: 140, Refused: 45, Refused429: 40, Faulted: 5, EarlyRetries: 3, PeakCalls100ms: 60, PeakRetries100ms: 30,
		CommittedWrites: 20, DuplicateWrites: 2, ReplayedWrites: 1, Billed: mockupstream.Usage{In: 30_000, Cached: 10_000, Out: 4000},
		Keys: []mockupstream.KeyBook{{
			Received: 200, Admitted: 150, Answered: 140, Refused429: 40, Billed: mockupstream.Usage{In: 30_000, Cached: 10_000, Out: 4000},
			Tariff: mockupstream.Tariff{Long: mockupstream.Usage{In: 10_000, Cached: 2000, Out: 1000}},
		}},
		Quotas: []mockupstream.QuotaBook{{Minutes: []mockupstream.Minute{{Requests: 80, Tokens: 55_000}, {Requests: 90, Tokens: 1000}}}},
	}}
}

// Ensure an audit finds each fault of a client, and counts its tokens at the model's prices,
// those of long prompts at theirs.
func TestAudit(t *testing.T) {
	a := NewAudit(auditConfig(), auditStats(), Tool{})
	if a.Verdict != "faults" || len(a.Faults) != 5 {
		t.Errorf("%s: %q", a.Verdict, a.Faults)
	}
	// Short: 12 000 fresh, 8000 cached, 3000 out; long: 8000 fresh, 2000 cached, 1000 out.
	want := (12_000*2e6 + 8000*5e5 + 3000*8e6 + 8000*4e6 + 2000*1e6 + 1000*12e6) / 1e12
	if a.CostUSD != Num(want) || a.Keys[0].CostUSD != a.CostUSD {
		t.Errorf("cost %v, by key %v, want %v", a.CostUSD, a.Keys[0].CostUSD, want)
	}
	if k := a.Keys[0]; k.PeakRPM != 0.9 || k.PeakTPM != 1.1 {
		t.Errorf("peaks %v and %v of the limits", k.PeakRPM, k.PeakTPM)
	}
}

// Ensure a verdict needs reason, and words its findings.
func TestAuditVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		books    mockupstream.Books
		rejected map[int]int64
		verdict  string
		fault    string
	}{
		"nobody":                  {verdict: "unused"},
		"no fault":                {books: mockupstream.Books{Received: 200, Admitted: 199, Answered: 199, Refused429: 1, PeakCalls100ms: 60, PeakRetries100ms: 1}, verdict: "good"},
		"a 429 in a short run":    {books: mockupstream.Books{Received: 42, Refused429: 1}, verdict: "good"},
		"four 429s":               {books: mockupstream.Books{Received: 42, Refused429: 4}, verdict: "good"},
		"five 429s":               {books: mockupstream.Books{Received: 42, Refused429: 5}, verdict: "faults", fault: "5 of 42 calls were told 429: "},
		"five of many":            {books: mockupstream.Books{Received: 500, Refused429: 5}, verdict: "good"},
		"six of many":             {books: mockupstream.Books{Received: 500, Refused429: 6}, verdict: "faults", fault: "6 of 500 calls were told 429: "},
		"a black hole":            {books: mockupstream.Books{Received: 1, Faulted: 1}, verdict: "good"},
		"one early":               {books: mockupstream.Books{Received: 2, EarlyRetries: 1}, verdict: "faults", fault: "1 retry came before "},
		"two early":               {books: mockupstream.Books{Received: 2, EarlyRetries: 2}, verdict: "faults", fault: "2 retries came before "},
		"a herd":                  {books: mockupstream.Books{Received: 20, PeakRetries100ms: 10}, verdict: "faults", fault: "10 retries came within 100 ms"},
		"a write twice":           {books: mockupstream.Books{Received: 2, DuplicateWrites: 1}, verdict: "faults", fault: "1 write carried out again: "},
		"wrong key and path":      {rejected: map[int]int64{404: 3, 401: 3}, verdict: "faults", fault: "6 requests never reached a model (401 3, 404 3): wrong key, path or model"},
		"one too large":           {books: mockupstream.Books{Received: 9}, rejected: map[int]int64{413: 1}, verdict: "faults", fault: "1 request never reached a model (413 1): wrong request"},
		"embeddings of a speaker": {rejected: map[int]int64{403: 1}, verdict: "faults", fault: "1 request never reached a model (403 1): wrong endpoint for the model"},
	} {
		a := NewAudit(auditConfig(), &mockupstream.Stats{Books: c.books, Rejected: c.rejected}, Tool{})
		if a.Verdict != c.verdict || len(a.Faults) > 1 || !strings.HasPrefix(strings.Join(a.Faults, ""), c.fault) || (c.fault == "") != (len(a.Faults) == 0) {
			t.Errorf("%s: %s, %q", name, a.Verdict, a.Faults)
		}
	}
	var b bytes.Buffer
	a := NewAudit(auditConfig(), &mockupstream.Stats{Books: mockupstream.Books{Received: 1, Faulted: 1}}, Tool{})
	if err := RenderAudit(&b, a, "table", Options{}); err != nil || !strings.Contains(b.String(), "1 call, 0 answered") {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestRenderAudit(t *testing.T) {
	a := NewAudit(auditConfig(), auditStats(), Tool{})
	for format, words := range map[string][]string{
		"table":    {"FAULTS", "200 calls, 140 answered", "broken off 10 (5.00 %)", "rejected before any limit: 401 3, 404 3", "429 40 (20.0 %)", "early 3", "again 2", "k-1", "110"},
		"markdown": {"FAULTS", "| k-1 |", "3 retries came before", "6 requests never reached a model"},
		"json":     {`"schema": "simload.audit/v1"`, `"early_retries": 3`, `"answered": 140`, `"broken": 10`, `"401": 3`, `"peak_retries_100ms": 30`},
	} {
		var b bytes.Buffer
		if err := RenderAudit(&b, a, format, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: no %q in\n%s", format, w, b.String())
			}
		}
		if format == "json" && !json.Valid(b.Bytes()) {
			t.Errorf("no JSON: %s", b.String())
		}
		if format == "table" {
			for l := range strings.Lines(b.String()) {
				if columns(strings.TrimRight(l, "\n")) > 80 {
					t.Errorf("a line of more than 80 columns: %s", l)
				}
			}
		}
	}
}
