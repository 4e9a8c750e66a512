package mockupstream

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The peak of the books is that of every sliding minute counted anew, in whole tenths of a second.
func TestPeakOfSlidingMinutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := mustNew(t, single(1_000_000_000, 1_000_000_000_000))
		type charged struct {
			bin    int64
			tokens int64
		}
		var all []charged
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 80).Draw(t, "calls") {
			now += time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(5*time.Second)), rapid.Int64Range(0, int64(100*time.Second))).Draw(t, "step"))
			in := rapid.Int64Range(1, 5000).Draw(t, "in")
			p.Admit(now, Call{ID: uint64(i), Attempt: 1, In: in, MaxOut: 1})
			all = append(all, charged{int64(now / rollingBin), in})
		}
		var requests, tokens int64
		for i := range all {
			var n, sum int64
			for _, c := range all[:i+1] {
				if c.bin > all[i].bin-rollingBins {
					n++
					sum += c.tokens
				}
			}
			requests, tokens = max(requests, n), max(tokens, sum)
		}
		if q := p.Books().Quotas[0]; q.PeakRequests != requests || q.PeakTokens != tokens {
			t.Fatalf("peaks of %d requests and %d tokens, want %d and %d", q.PeakRequests, q.PeakTokens, requests, tokens)
		}
	})
}

// Peaks are as charged at admission: a guess that was too large counts for as long as a minute held it, one that was too small does not
// grow when its call ends, and a minute that begins after a correction is that of its own admissions.
func TestPeakIsAsChargedAtAdmission(t *testing.T) {
	p := mustNew(t, speaking(DialectAnthropic, Quota{TPM: 1_000_000}))
	large := p.Admit(0, Call{ID: 1, Attempt: 1, In: 3000, EstIn: 4000})
	p.Complete(large.End, large.ID)
	small := p.Admit(50*time.Second, Call{ID: 2, Attempt: 1, In: 5000, EstIn: 100})
	p.Complete(small.End, small.ID)
	q := p.Books().Quotas[0]
	if q.PeakTokens != 4100 || q.PeakRequests != 2 {
		t.Errorf("a peak of %d tokens and %d requests, 4100 and 2 were charged at admission", q.PeakTokens, q.PeakRequests)
	}
	if q.Minutes[0].Tokens != 8000 {
		t.Errorf("a minute of %d tokens, want 8000, as corrected", q.Minutes[0].Tokens)
	}
}
