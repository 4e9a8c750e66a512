package report

// Schema names the version of the report file.
const Schema = "simload.report/v1"

// Report is the report file: everything a rendering or a comparison needs, and
// nothing that differs between two runs of the same scenario and seed (no wall
// times, no host names).
type Report struct {
	Schema   string    `json:"schema"`
	Tool     Tool      `json:"tool"`
	Scenario Scenario  `json:"scenario"`
	Verdict  Verdict   `json:"verdict"`
	Variants []Variant `json:"variants"`
	// Comparison sets the figures of each further variant beside those of the first; none
	// of a single variant.
	Comparison []Comparison `json:"comparison,omitempty"`
}

// Tool identifies the program. It is no part of digests or golden files.
type Tool struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Arch    string `json:"arch"`
}

// Scenario identifies what was run.
type Scenario struct {
	Name         string   `json:"name"`
	File         string   `json:"file,omitempty"` // as given on the command line, for the "Reproduce" line
	Description  string   `json:"description,omitempty"`
	SHA256       string   `json:"sha256"`
	DemandSHA256 string   `json:"demand_sha256"`
	Seed         uint64   `json:"seed"`
	Mode         string   `json:"mode"`
	Target       string   `json:"target,omitempty"` // endpoint that was driven, in place of the mock
	DurationS    Num      `json:"duration_s"`
	WarmupS      Num      `json:"warmup_s"`
	Agents       int      `json:"agents"`
	Overrides    []string `json:"overrides,omitempty"` // --set arguments
}

// Verdict statuses.
const (
	StatusPass    = "pass"
	StatusFail    = "fail"
	StatusInvalid = "invalid"
	StatusPartial = "partial"
)

// Verdict says whether the run met its expectations.
type Verdict struct {
	Status  string   `json:"status"`
	Checks  []Check  `json:"checks"`
	Reasons []string `json:"reasons"`
}

// Check is one expectation judged. Variant is empty where the expression names variants itself.
//
// Of replications, the value of a ratio between two variants is the mean of the ratios of
// the runs with the same seed (see ratioOf), and the embedded interval is its 95 % interval, nil if there
// is none. The mean is judged, not the interval.
type Check struct {
	Expr    string `json:"expr"`
	Variant string `json:"variant,omitempty"`
	Value   Num    `json:"value"` // in the metric's base unit: seconds, share (0..1), count, tokens/min ...; NaN is null
	Bound   Num    `json:"bound"`
	OK      bool   `json:"ok"`
	Note    string `json:"note,omitempty"` // why it could not be judged, or what bound it
	*Interval
}

// Variant holds the measurements of one variant (a scenario without variants has one, named "base").
//
// The window is [warm-up, duration). Requests are measured whose intended instant lies in it,
// to their ends, however late; rates count what happened in it; what is not a matter of single
// requests (keys, breakers, retry peaks, duplicate writes, early retries) is counted from its
// beginning to the end of the run. Only Upstream and Laws are over the whole run, and Series
// begins with it.
//
// Of several replications, counts and money are the sums over SummedRuns runs (expectations
// and tables take the mean of a run), rates and shares those of all of them together, and
// Alerts and Series those of the first.
type Variant struct {
	Name         string        `json:"name"`
	Profiles     []Profile     `json:"profiles"` // in the scenario's order
	Totals       Totals        `json:"totals"`
	Offered      Offered       `json:"offered"`
	Throughput   Throughput    `json:"throughput"`
	Latency      []Latency     `json:"latency"`
	Groups       []Group       `json:"groups"` // counts behind the latency table: per profile and class, and per model
	Keys         []Key         `json:"keys"`
	Stack        Stack         `json:"stack"`
	Fairness     Fairness      `json:"fairness"`
	Cost         Cost          `json:"cost"`
	Upstream     Upstream      `json:"upstream"`
	Laws         Laws          `json:"laws"`
	Traces       []TraceBook   `json:"traces,omitempty"` // of the first replication
	Alerts       []Alert       `json:"alerts"`
	Bound        Bound         `json:"bound"`
	Slowest      []Slow        `json:"slowest"`
	Series       Series        `json:"series"`
	Faults       []Fault       `json:"faults,omitempty"` // scripted, in the scenario's order
	Digest       string        `json:"digest"`
	SummedRuns   int           `json:"summed_runs"` // the number of runs that counts and money are sums of
	Replications []Replication `json:"replications,omitempty"`
	// Harness of a run on the wall clock; nil: virtual time.
	Harness *Harness `json:"harness,omitempty"`
	// Interrupted: the run, or one of several, was stopped before its end, at the simulated
	// instant StoppedS (the earliest). Requests in flight then are no failures, and ratios take those that ended.
	Interrupted bool `json:"interrupted,omitempty"`
	StoppedS    Num  `json:"stopped_s,omitempty"`
}

// Profile is a kind of request and its class.
type Profile struct {
	Name  string `json:"name"`
	Class string `json:"class"`
}

// Totals counts the measured requests and their attempts. InFlight are those that had not
// ended when the run did, or were intended and never asked; they are failures unless
// the run was interrupted. DuplicateWrites and EarlyRetries (retries that came before the
// provider had said they might) are the provider's counts from the end of the warm-up on.
type Totals struct {
	Requests        int64 `json:"requests"`
	Attempts        int64 `json:"attempts"`
	Succeeded       int64 `json:"succeeded"`
	Failed          int64 `json:"failed"`
	DeadLettered    int64 `json:"dead_lettered"`
	Rejected        int64 `json:"rejected"`
	Cancelled       int64 `json:"cancelled"`
	InFlight        int64 `json:"in_flight"`
	Retries         int64 `json:"retries"`
	HTTP429         int64 `json:"http_429"`
	HTTP5xx         int64 `json:"http_5xx"`
	Timeouts        int64 `json:"timeouts"`
	Abandoned       int64 `json:"abandoned"` // rounds never asked for, as their task's deadline had passed; whole run
	Fallback1       int64 `json:"fallback_1"`
	Fallback2       int64 `json:"fallback_2"`
	Fallback3       int64 `json:"fallback_3"`
	CacheHits       int64 `json:"cache_hits"`
	CacheWrong      int64 `json:"cache_wrong,omitempty"` // of CacheHits: the answer to something else; virtual time alone tells
	DuplicateWrites int64 `json:"duplicate_writes"`
	EarlyRetries    int64 `json:"early_retries"`
	TokensIn        int64 `json:"tokens_in"`
	TokensCached    int64 `json:"tokens_cached"`
	TokensOut       int64 `json:"tokens_out"`
	TokensWasted    int64 `json:"tokens_wasted"`
}

// Offered is the demand as intended, whatever became of it, and the stack's own summaries.
type Offered struct {
	RequestsPerS Num `json:"requests_per_s"`
	TokensPerMin Num `json:"tokens_per_min"` // prompt and output
	MeanIn       Num `json:"mean_tokens_in"`
	MeanOut      Num `json:"mean_tokens_out"`
}

// Throughput is what was served in the window, whenever it was intended: what ends while the
// last requests drain is no part of it.
type Throughput struct {
	RequestsPerS Num `json:"requests_per_s"` // that succeeded in the window
	TokensPerMin Num `json:"tokens_per_min"` // prompt and output of attempts that did
	AttemptsPerS Num `json:"attempts_per_s"` // sent in the window
}

// By selects a group; empty fields mean all.
type By struct {
	Profile string `json:"profile,omitempty"`
	Class   string `json:"class,omitempty"`
	Model   string `json:"model,omitempty"`
	Key     string `json:"key,omitempty"`
}

// Latency metrics.
const (
	MetricTotal      = "total"       // from the intended instant; failures are counted apart
	MetricFromSend   = "from_send"   // from the first send
	MetricQueue      = "queue"       // in gates and under the agent's cap
	MetricBackoff    = "backoff"     // between attempts
	MetricFirstToken = "first_token" // of the successful attempt, from its send
	MetricGeneration = "generation"  // from the first token to the end
)

// Latency is one distribution, of successes. Failures is the number of requests
// of the group that failed, or had not ended when the run did (if that was not interrupted),
// which percentiles "with failures as worst" place above every success. HDR is there where
// a percentile needs it: in all rows of profiles and of everything, and in others that have failures.
type Latency struct {
	By       By     `json:"by"`
	Metric   string `json:"metric"`
	Count    int64  `json:"count"`
	Failures int64  `json:"failures"`
	MeanMS   Num    `json:"mean_ms"`
	P50MS    Num    `json:"p50_ms"`
	P90MS    Num    `json:"p90_ms"`
	P95MS    Num    `json:"p95_ms"`
	P99MS    Num    `json:"p99_ms"`
	P999MS   Num    `json:"p999_ms"`
	MaxMS    Num    `json:"max_ms"`
	HDR      string `json:"hdr,omitempty"` // HdrHistogram V2 compressed, base64, microseconds

	hist *histogram // what HDR is to be made of; nil: it is made, or not wanted
}

// Group counts the requests of one group.
type Group struct {
	By           By    `json:"by"`
	Requests     int64 `json:"requests"`
	Succeeded    int64 `json:"succeeded"`
	Failed       int64 `json:"failed"`
	DeadLettered int64 `json:"dead_lettered"`
	Rejected     int64 `json:"rejected"`
	Cancelled    int64 `json:"cancelled"`
	InFlight     int64 `json:"in_flight"`
	Attempts     int64 `json:"attempts"`
	HTTP429      int64 `json:"http_429"`
	TokensIn     int64 `json:"tokens_in"`
	TokensCached int64 `json:"tokens_cached"`
	TokensOut    int64 `json:"tokens_out"`
	Served       int64 `json:"served"`        // succeeded in the window, whenever intended: see Throughput
	ServedTokens int64 `json:"served_tokens"` // of attempts that succeeded in the window
}

// Laws are the checks of INV-1, INV-2 and INV-6 over the whole run.
type Laws struct {
	ConservationOK bool `json:"conservation_ok"`
	LittleResidual Num  `json:"little_residual"` // |L - lambda W| / L
	BooksAgree     bool `json:"books_agree"`
	NoBooks        bool `json:"no_books,omitempty"` // the upstream was not ours: there is nothing to agree with
	// Incomplete: of some who used the upstream nothing is recorded, so there is nothing to agree with either.
	Incomplete bool     `json:"incomplete,omitempty"`
	Details    []string `json:"details,omitempty"` // what does not agree
}

// Alert is a rule of observability that fired.
type Alert struct {
	AtS     Num    `json:"at_s"`
	ForS    Num    `json:"for_s"`
	Rule    string `json:"rule"` // "p99", "ratio_429", "tpm_utilisation"
	Subject string `json:"subject"`
	Value   Num    `json:"value"`
	Bound   Num    `json:"bound"`
	Text    string `json:"text"`
}

// Bound names the resource that bound the run, and how far the others were from binding.
type Bound struct {
	Resource  string  `json:"resource"` // for people: "TPM of gpt-4.1 keys (97 % in the worst minute)"
	Resources []Share `json:"resources"`
}

// Slow is one of the slowest requests, with its steps.
type Slow struct {
	Profile   string     `json:"profile"`
	Request   string     `json:"request"` // id in hex
	Agent     int        `json:"agent"`
	Seed      uint64     `json:"seed"` // of the run it was in
	IntendedS Num        `json:"intended_s"`
	TotalMS   Num        `json:"total_ms"`
	Ending    string     `json:"ending"`
	Parts     []Part     `json:"parts"` // agent busy, summary (if it waited for one), agent cap, queue, backoff, on wire
	Steps     []SlowStep `json:"steps"`
}

// Part is a named part of a latency.
type Part struct {
	Name string `json:"name"`
	MS   Num    `json:"ms"`
}

// SlowStep is one attempt of a slow request.
type SlowStep struct {
	Model   string `json:"model"`
	Key     string `json:"key"`
	SentS   Num    `json:"sent_s"`
	EndedS  Num    `json:"ended_s"`
	Outcome string `json:"outcome"`
	Status  int    `json:"status"`
}

// Fault is a scripted disturbance of the upstream: when it was on, and whom it could hit.
type Fault struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // as scenarios write it: burst_429, cut_limit, slowdown ...
	FromS  Num      `json:"from_s"`
	ToS    Num      `json:"to_s"`
	EveryS Num      `json:"every_s,omitempty"` // from one beginning to the next; 0: once
	Models []string `json:"models,omitempty"`  // none: all
	Keys   []string `json:"keys,omitempty"`    // none: all
}

// Series holds time series, one value per interval from the beginning of the run.
//
// Columns are, in this order: "requests" that ended, "http_429" and "retries" as counts;
// "in_flight", "queue{class}", "limit{model}" (of concurrency), "in_flight{model}" as means over the
// interval; "rpm_use{model}" and "tpm_use{model}", the share (0..1, and more under a cut) of the provider's limit per
// minute that the worst quota of the model's keys was charged, in the worst minute that the interval touches, of models
// that were used and have such a limit; "excluded_keys" (pairs of key and model), a mean; "p99_ms{profile}"
// of requests that ended in the interval, null where none did; "tokens_per_min" as billed.
type Series struct {
	IntervalS Num      `json:"interval_s"`
	Columns   []Column `json:"columns"`
}

// Column is one series, named as Series says.
type Column struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Values []Num  `json:"values"`
}

// Replication holds the key figures of one replication.
type Replication struct {
	Seed   uint64 `json:"seed"`
	Totals Totals `json:"totals"`
	// Figures are named, and not only shares: p99_s{profile=...}, ratio_429, cost; and the metrics
	// that ratios of variants are taken of, as expectations write them: jain, p99{class=P0}. Null is a
	// latency that is a failure, or, of the figures that the page shows, one that was not measured.
	Figures []Share `json:"figures"`
	Digest  string  `json:"digest"`
}
