package report

// Key is one key at one model, as the provider counted it from the end of the warm-up to
// the end of the run. Utilisations are shares of the provider's limit, charged per minute,
// over the whole minutes of the window; of a run that has none of these, over all its whole minutes.
type Key struct {
	Key            string `json:"key"`
	Model          string `json:"model"`
	Requests       int64  `json:"requests"`
	HTTP429        int64  `json:"http_429"`
	RPMUtilisation Num    `json:"rpm_utilisation"` // 95th percentile over the minutes
	TPMUtilisation Num    `json:"tpm_utilisation"`
	RPMWorst       Num    `json:"rpm_worst"` // worst minute
	TPMWorst       Num    `json:"tpm_worst"`
	ExcludedS      Num    `json:"excluded_s"`
	Minutes        int64  `json:"minutes"` // how many minutes utilisations are over
}

// Stack is what the client stack did, summed over its instances: gates in the window,
// reasons and outcomes of the measured requests, the others from the end of the warm-up to the end of the run.
type Stack struct {
	Gates             []Gate  `json:"gates"`
	RetryPeak100ms    int64   `json:"retry_peak_100ms"`
	BreakerOpened     int64   `json:"breaker_opened"`
	RejectedByReason  []Count `json:"rejected_by_reason"`
	DeadByReason      []Count `json:"dead_by_reason"`
	AttemptsByOutcome []Count `json:"attempts_by_outcome"`
}

// Count is a named number.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Gate is one target's gate.
type Gate struct {
	Model        string `json:"model"`
	LimitMean    Num    `json:"limit_mean"` // over time
	LimitMin     int64  `json:"limit_min"`
	LimitMax     int64  `json:"limit_max"`
	Increases    int64  `json:"increases"`
	Decreases    int64  `json:"decreases"`
	InFlightMean Num    `json:"in_flight_mean"`
	InFlightMax  int64  `json:"in_flight_max"`
	QueueMean    Num    `json:"queue_mean"`
	QueueMax     int64  `json:"queue_max"`
	// Share of the time in which a request waited at this gate, by what it waited for.
	BlockedOn []Share `json:"blocked_on"`
}

// Share is a named share of time, 0..1.
type Share struct {
	Name  string `json:"name"`
	Share Num    `json:"share"`
}

// Cost in both currencies. Amounts are rounded once, from integer pico-units.
type Cost struct {
	Currency  string     `json:"currency"`
	Total     Num        `json:"total"`
	Wasted    Num        `json:"wasted"`
	Per1000   Num        `json:"per_1000_succeeded"`
	CNYPerUSD Num        `json:"cny_per_usd"`
	TotalCNY  Num        `json:"total_cny"`
	BudgetUSD Num        `json:"budget_usd"` // monthly budget; 0: none
	BudgetUse Num        `json:"budget_use"` // share of it a month of this load would take
	By        []CostItem `json:"by"`
}

// CostItem is one row of the bill.
type CostItem struct {
	By           By    `json:"by"`
	TokensIn     int64 `json:"tokens_in"`
	TokensCached int64 `json:"tokens_cached"`
	TokensOut    int64 `json:"tokens_out"`
	Cost         Num   `json:"cost"`
	Wasted       Num   `json:"wasted"`
}

// Upstream is the mock's own account over the whole run, warm-up included.
type Upstream struct {
	Received        int64 `json:"received"`
	Admitted        int64 `json:"admitted"`
	Refused         int64 `json:"refused"`
	Faulted         int64 `json:"faulted"`
	EarlyRetries    int64 `json:"early_retries"`
	CommittedWrites int64 `json:"committed_writes"`
	DuplicateWrites int64 `json:"duplicate_writes"`
	TokensIn        int64 `json:"tokens_in"`
	TokensCached    int64 `json:"tokens_cached"`
	TokensOut       int64 `json:"tokens_out"`
	// Attempts whose outcome the client could not know, and what the mock billed for them.
	UnknownAttempts int64 `json:"unknown_attempts"`
	UnknownIn       int64 `json:"unknown_tokens_in"`
	UnknownOut      int64 `json:"unknown_tokens_out"`
}
