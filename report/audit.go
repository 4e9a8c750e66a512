package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// AuditSchema is the form of an audit in JSON.
const AuditSchema = "simload.audit/v1"

// Bounds beyond which an audit finds fault. They are judgement: a client that keeps to limits
// meets next to no 429s, and retries that are spread do not come in crowds.
const (
	auditRefused      = 0.01 // share of the calls that were told 429,
	auditRefusedLeast = 5    // and how many, so that one in a short run is no fault
	auditHerd         = 10   // retries within 100 ms
)

// Audit is what the mock's books say of the client that used it, whoever wrote that client.
type Audit struct {
	Schema  string   `json:"schema"`
	Tool    Tool     `json:"tool"`
	SpanS   Num      `json:"span_s"` // from the start of the mock, or its reset, until now
	Verdict string   `json:"verdict"`
	Faults  []string `json:"faults"` // of the client, in words

	Calls    int64 `json:"calls"`
	Answered int64 `json:"answered"` // to their end
	Broken   int64 `json:"broken"`   // carried out, but not answered to their end: the mock's doing, or the client went away
	HTTP429  int64 `json:"http_429"`
	Refused  int64 `json:"refused"` // other 4xx
	Faulted  int64 `json:"faulted"` // 5xx and not carried out at all: the mock's doing
	// Rejected counts requests that never became calls, by status.
	Rejected map[int]int64 `json:"rejected"`

	EarlyRetries int64 `json:"early_retries"`
	// Peaks within 100 ms.
	PeakCalls       int64 `json:"peak_calls_100ms"`
	PeakRetries     int64 `json:"peak_retries_100ms"`
	CommittedWrites int64 `json:"committed_writes"`
	DuplicateWrites int64 `json:"duplicate_writes"`
	ReplayedWrites  int64 `json:"replayed_writes"` // answered from an idempotency key

	TokensIn     int64 `json:"tokens_in"`
	TokensCached int64 `json:"tokens_cached"`
	TokensOut    int64 `json:"tokens_out"`
	CostUSD      Num   `json:"cost_usd"`

	Keys []AuditKey `json:"keys"` // that were used
}

// AuditKey is one key at one model.
type AuditKey struct {
	Key          string `json:"key"`
	Model        string `json:"model"`
	Calls        int64  `json:"calls"`
	Answered     int64  `json:"answered"`
	HTTP429      int64  `json:"http_429"`
	TokensIn     int64  `json:"tokens_in"`
	TokensCached int64  `json:"tokens_cached"`
	TokensOut    int64  `json:"tokens_out"`
	CostUSD      Num    `json:"cost_usd"`
	// PeakRPM and PeakTPM are the largest shares of the limits per minute that were charged in a minute
	// of the mock's clock; 0: no limit.
	PeakRPM Num `json:"peak_rpm_share"`
	PeakTPM Num `json:"peak_tpm_share"`
}

// NewAudit judges the client that used a provider of the configuration, by what its server saw.
func NewAudit(cfg *mockupstream.Config, st *mockupstream.Stats, tool Tool) *Audit {
	b := &st.Books
	a := &Audit{
		Schema: AuditSchema, Tool: tool, SpanS: Num(st.Now.Seconds()), Faults: []string{}, Keys: []AuditKey{}, Rejected: st.Rejected,
		Calls: b.Received, Answered: b.Answered, Broken: b.Admitted - b.Answered,
		HTTP429: b.Refused429, Refused: b.Refused - b.Refused429, Faulted: b.Faulted,
		EarlyRetries: b.EarlyRetries, PeakCalls: b.PeakCalls100ms, PeakRetries: b.PeakRetries100ms,
		CommittedWrites: b.CommittedWrites, DuplicateWrites: b.DuplicateWrites, ReplayedWrites: b.ReplayedWrites,
		TokensIn: b.Billed.In, TokensCached: b.Billed.Cached, TokensOut: b.Billed.Out,
	}
	if a.Rejected == nil {
		a.Rejected = map[int]int64{}
	}
	var cost int64
	for i := range b.Keys {
		k := &b.Keys[i]
		pico := bookCost(&cfg.Models[k.Model].Price, k)
		cost += pico
		row := AuditKey{
			Key: cfg.Keys[k.Key].ID, Model: cfg.Models[k.Model].Name, Calls: k.Received, Answered: k.Answered, HTTP429: k.Refused429,
			TokensIn: k.Billed.In, TokensCached: k.Billed.Cached, TokensOut: k.Billed.Out, CostUSD: Num(float64(pico) / 1e12),
		}
		if q := cfg.Keys[k.Key].Quotas[k.Model]; q >= 0 {
			row.PeakRPM, row.PeakTPM = peakShares(&cfg.Quotas[q], minutesOf(b, q))
		}
		a.Keys = append(a.Keys, row)
	}
	a.CostUSD = Num(float64(cost) / 1e12)
	a.judge()
	return a
}

// bookCost is what a key's tokens at a model cost, in pico-USD.
func bookCost(p *mockupstream.Price, k *mockupstream.KeyBook) int64 {
	t := &k.Tariff
	short := mockupstream.Usage{In: k.Billed.In - t.Long.In, Cached: k.Billed.Cached - t.Long.Cached, Out: k.Billed.Out - t.Long.Out}
	return p.Rates(false).Cost(short, t.CacheWrite-t.LongCacheWrite) + p.Rates(true).Cost(t.Long, t.LongCacheWrite)
}

// minutesOf returns what was charged to a quota. Quotas that were not used may be missing.
func minutesOf(b *mockupstream.Books, quota int) []mockupstream.Minute {
	for i := range b.Quotas {
		if b.Quotas[i].Quota == quota {
			return b.Quotas[i].Minutes
		}
	}
	return nil
}

func peakShares(q *mockupstream.Quota, minutes []mockupstream.Minute) (rpm, tpm Num) {
	for _, m := range minutes {
		if q.RPM > 0 {
			rpm = max(rpm, Num(float64(m.Requests)/float64(q.RPM)))
		}
		if q.TPM > 0 {
			tpm = max(tpm, Num(float64(m.Tokens)/float64(q.TPM)))
		}
	}
	return rpm, tpm
}

// judge finds the client's faults.
func (a *Audit) judge() {
	find := func(bad bool, words string) {
		if bad {
			a.Faults = append(a.Faults, words)
		}
	}
	find(a.HTTP429 >= auditRefusedLeast && float64(a.HTTP429) > auditRefused*float64(a.Calls),
		fmt.Sprintf("%s of %s were told 429: keep to a part of the limits, and let one place count for all keys", formCount(a.HTTP429), several(a.Calls, "call")))
	find(a.EarlyRetries > 0,
		several(a.EarlyRetries, "retry")+" came before the wait that the same request was told was over: honour Retry-After, of every attempt")
	find(a.PeakRetries >= auditHerd, several(a.PeakRetries, "retry")+" came within 100 ms: add jitter to waits, told ones too")
	find(a.DuplicateWrites > 0,
		several(a.DuplicateWrites, "write")+" carried out again: send an idempotency key, the same at every retry")
	rejected := a.rejected()
	find(rejected > 0, several(rejected, "request")+" never reached a model ("+strings.Join(a.statuses(), ", ")+"): wrong "+a.wrong())
	switch {
	case len(a.Faults) > 0:
		a.Verdict = "faults"
	case a.Calls == 0:
		a.Verdict = "unused"
	default:
		a.Verdict = "good"
	}
}

// rejected is how many requests never became calls.
func (a *Audit) rejected() (sum int64) {
	for _, n := range a.Rejected {
		sum += n
	}
	return sum
}

// statuses says how many were rejected by which status.
func (a *Audit) statuses() (list []string) {
	for _, status := range slices.Sorted(maps.Keys(a.Rejected)) {
		list = append(list, fmt.Sprintf("%d %s", status, formCount(a.Rejected[status])))
	}
	return list
}

// wrong names what can be wrong with requests that were rejected.
func (a *Audit) wrong() string {
	var list []string
	for _, c := range []struct {
		what string
		by   []int
	}{
		{"key", []int{401}},
		{"path or model", []int{404}},
		{"method", []int{405}},
		{"endpoint for the model", []int{403}},
		{"request", []int{400, 408, 413}},
	} {
		if slices.ContainsFunc(c.by, func(status int) bool { return a.Rejected[status] > 0 }) {
			list = append(list, c.what)
		}
	}
	return strings.Join(list, ", ")
}

// several is a number of things.
func several(n int64, thing string) string {
	switch stem, y := strings.CutSuffix(thing, "y"); {
	case n == 1:
	case y:
		thing = stem + "ies"
	default:
		thing += "s"
	}
	return formCount(n) + " " + thing
}

// RenderAudit writes an audit as table, markdown or json.
func RenderAudit(w io.Writer, a *Audit, format string, opt Options) error {
	switch format {
	case "json":
		return encodeJSON(w, a)
	case "markdown":
		return writeMarkdown(w, a.page(), 0)
	}
	return writeTable(w, a.page(), opt)
}

func (a *Audit) page() []section {
	words := map[string]string{"unused": "UNUSED", "faults": "FAULTS", "good": "GOOD"}
	verdict := section{label: words[a.Verdict], facts: []string{several(a.Calls, "call") + ", " + formCount(a.Answered) + " answered"}}
	out := []section{{facts: []string{"what the mock saw of its client", formSpan(float64(a.SpanS))}}, verdict}
	if len(a.Faults) > 0 {
		out = append(out, section{label: "Faults", lines: a.Faults})
	}
	share := func(n int64) string {
		if a.Calls == 0 {
			return formCount(n)
		}
		return formCount(n) + " (" + formPercent(float64(n)/float64(a.Calls)) + thin + "%)"
	}
	refused := []string{"429 " + share(a.HTTP429), "other 4xx " + share(a.Refused), "5xx or no answer " + share(a.Faulted), "broken off " + share(a.Broken)}
	if list := a.statuses(); len(list) > 0 {
		refused = append(refused, "rejected before any limit: "+strings.Join(list, ", "))
	}
	out = append(out,
		section{label: "Refused", facts: refused},
		section{label: "Retries", facts: []string{
			"early " + formCount(a.EarlyRetries), "peak in 100 ms: " + formCount(a.PeakRetries) + " of " + several(a.PeakCalls, "call"),
		}},
		section{label: "Writes", facts: []string{
			"carried out " + formCount(a.CommittedWrites), "again " + formCount(a.DuplicateWrites), "answered from an idempotency key " + formCount(a.ReplayedWrites),
		}},
		section{label: "Tokens", facts: []string{
			"in " + formTokens(a.TokensIn), "of which cached " + formTokens(a.TokensCached), "out " + formTokens(a.TokensOut),
		}},
		section{label: "Cost", facts: []string{formMoney(float64(a.CostUSD)) + " USD at the mock's prices"}},
	)
	if len(a.Keys) > 0 {
		out = append(out, a.keySection())
	}
	return out
}

func (a *Audit) keySection() section {
	g := &grid{cols: []column{
		{head: "key", text: true},
		{head: "model", text: true},
		{head: "calls"},
		{head: "ok", drop: 5},
		{head: "429"},
		{head: "rpm peak %", drop: 2},
		{head: "tpm peak %", drop: 1},
		{head: "tokens in", drop: 4},
		{head: "out", drop: 3},
		{head: "USD"},
	}}
	percent := func(n Num) string {
		if n == 0 {
			return none
		}
		return formPercent(float64(n))
	}
	for i := range a.Keys {
		k := &a.Keys[i]
		g.add(clean(k.Key), clean(k.Model), formCount(k.Calls), formCount(k.Answered), formCount(k.HTTP429), percent(k.PeakRPM), percent(k.PeakTPM),
			formTokens(k.TokensIn), formTokens(k.TokensOut), formMoney(float64(k.CostUSD)))
	}
	return section{label: "Keys", grid: g}
}

// formTokens prints small numbers whole, and large ones short.
func formTokens(n int64) string {
	if n < 100_000 {
		return formCount(n)
	}
	return formSI(float64(n))
}
