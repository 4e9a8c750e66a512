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

func auditBooks() *mockupstream.Books {
	return &mockupstream.Books{
		Received: 200, Admitted: 150, Refused: 45, Refused429: 40, Faulted: 5, EarlyRetries: 3, PeakCalls100ms: 60, PeakRetries100ms: 30,
		CommittedWrites: 20, DuplicateWrites: 2, ReplayedWrites: 1, Billed: mockupstream.Usage{In: 30_000, Cached: 10_000, Out: 4000},
		Keys: []mockupstream.KeyBook{{
			Received: 200, Admitted: 150, Refused429: 40, Billed: mockupstream.Usage{In: 30_000, Cached: 10_000, Out: 4000},
			Tariff: mockupstream.Tariff{Long: mockupstream.Usage{In: 10_000, Cached: 2000, Out: 1000}},
		}},
		Quotas: []mockupstream.QuotaBook{{Minutes: []mockupstream.Minute{{Requests: 80, Tokens: 55_000}, {Requests: 90, Tokens: 1000}}}},
	}
}

// Ensure an audit finds each fault of a client, and counts its tokens at the model's prices,
// those of long prompts at theirs.
func TestAudit(t *testing.T) {
	a := NewAudit(auditConfig(), auditBooks(), time.Minute, Tool{})
	if a.Verdict != "faults" || len(a.Faults) != 4 {
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
	clean := &mockupstream.Books{Received: 200, Admitted: 199, Refused: 1, Refused429: 1, PeakCalls100ms: 60, PeakRetries100ms: 1}
	if a := NewAudit(auditConfig(), clean, time.Minute, Tool{}); a.Verdict != "good" || len(a.Faults) != 0 {
		t.Errorf("a client without fault: %s, %q", a.Verdict, a.Faults)
	}
	if a := NewAudit(auditConfig(), &mockupstream.Books{}, time.Minute, Tool{}); a.Verdict != "unused" {
		t.Errorf("nobody came: %s", a.Verdict)
	}
}

func TestRenderAudit(t *testing.T) {
	a := NewAudit(auditConfig(), auditBooks(), 90*time.Second, Tool{})
	for format, words := range map[string][]string{
		"table":    {"FAULTS", "200 calls, 150 carried out", "429 40 (20.0 %)", "early 3", "twice 2", "k-1", "110"},
		"markdown": {"FAULTS", "| k-1 |", "3 retries came before"},
		"json":     {`"schema": "simload.audit/v1"`, `"early_retries": 3`, `"peak_retries_100ms": 30`},
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
