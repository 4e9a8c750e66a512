package mockupstream

import "slices"

// Books returns a copy of the account so far. A call's bill and its write enter the
// account when it ends (Complete or Disconnect), a lost response's write at once.
//
// At every instant Received = Admitted + Refused + Faulted, and Billed is the sum of
// what Complete and Disconnect returned.
func (p *Provider) Books() Books {
	b := p.books
	b.PeakCalls100ms, b.PeakRetries100ms = p.calls.most, p.retries.most
	for _, k := range p.keyBooks {
		if k.Received > 0 {
			b.Keys = append(b.Keys, k)
		}
	}
	for i := range p.quotas {
		q := &p.quotas[i]
		b.Quotas = append(b.Quotas, QuotaBook{
			Quota: i, Minutes: slices.Clone(q.minutes), PeakRequests: q.sliding.mostRequests, PeakTokens: q.sliding.mostTokens,
		})
	}
	return b
}
