package mockupstream

import "time"

// Provider is the upstream. It is not safe for concurrent use: a driver that has
// several goroutines holds one mutex around it.
type Provider struct {
	seed   uint64
	now    time.Duration
	clock  calendar
	models []model
	quotas []quota
	// usual holds the quotas of each key and model, one row a key, and long those of long prompts.
	usual, long scopes
	keyBooks    []KeyBook // same shape
	accounts    []int32   // same shape: whose idempotency keys a call's belongs to
	keyIDs      []string
	slots       slots
	writes      writes
	noise       noise
	waits       waits
	books       Books // without the parts that Books() adds
	// calls and retries that came together.
	calls, retries peak

	faults   []fault
	active   []int32 // indices of active faults, ascending
	nextEdge time.Duration
	factors  []float64 // scratch: a limit factor for each quota
}

// New returns a provider that nothing has reached yet. It fails with an error that
// names the field if cfg is not valid (see [Config.Validate]). Config is not kept.
func New(cfg Config) (*Provider, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	clock := newCalendar(cfg.Epoch)
	p := &Provider{
		seed:     cfg.Seed,
		clock:    clock,
		models:   make([]model, len(cfg.Models)),
		quotas:   make([]quota, len(cfg.Quotas)),
		usual:    newScopes(&cfg, Key.usual),
		long:     newScopes(&cfg, Key.longer),
		keyBooks: make([]KeyBook, 0, len(cfg.Keys)*len(cfg.Models)),
		writes:   newWrites(),
		noise:    newNoise(),
		faults:   newFaults(&cfg),
		nextEdge: never,
		factors:  make([]float64, len(cfg.Quotas)),
	}
	for i, m := range cfg.Models {
		m.Capacity = append([]CapacityStep(nil), m.Capacity...)
		d := &dialects[m.Dialect]
		p.models[i] = model{cfg: m, dialect: d, capacity: -1}
		if d.waits {
			p.models[i].line = new(line)
		}
	}
	owners := cfg.quotaDialects()
	for i, q := range cfg.Quotas {
		p.quotas[i] = newQuota(q, &dialects[max(0, owners[i])], clock)
	}
	for k := range cfg.Keys {
		p.keyIDs = append(p.keyIDs, cfg.Keys[k].ID)
		for m := range cfg.Models {
			p.keyBooks = append(p.keyBooks, KeyBook{Key: k, Model: m})
		}
	}
	p.accounts = accounts(&cfg)
	for i := range p.faults {
		p.nextEdge = min(p.nextEdge, p.faults[i].from)
	}
	return p, nil
}

// tick holds the clock monotonic and the script of faults up to date. The clock ends
// after 146 years, so that no instant computed from it overflows.
func (p *Provider) tick(now time.Duration) time.Duration {
	now = min(max(now, p.now), never/2)
	p.now = now
	if now >= p.nextEdge {
		p.turn(now)
	}
	return now
}
