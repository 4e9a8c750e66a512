package workload

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Workload hands out the demands of a run, source by source. It is not safe for
// concurrent use.
type Workload struct {
	dice     *dice
	duration time.Duration
	profiles []Profile
	groups   []AgentGroup
	agents   []agent
	crews    []crew // of each agent; nil if none has sub-agents
	streams  []stream
	replays  []replay
	clients  int
	means    []float64 // of each profile's interval, in seconds
	topics   []topics  // of each profile
	rounds   []int64   // room for the rounds of one task's phases
	share    Share
}

// New validates the configuration, opens its traces and returns the workload. Its
// errors are those of [Config.Validate] and [OpenTrace]; a trace without a row is an
// error too. Close the workload to close the traces.
func New(cfg Config) (*Workload, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("checking workload: %w", err)
	}
	w := &Workload{
		dice:     newDice(cfg.Seed),
		duration: cfg.Duration,
		profiles: slices.Clone(cfg.Profiles),
		groups:   slices.Clone(cfg.Agents),
		share:    cfg.Share,
	}
	for i := range w.profiles {
		w.means = append(w.means, w.profiles[i].Interval.Mean())
		w.topics = append(w.topics, newTopics(w.profiles[i].Topics, w.profiles[i].TopicSkew))
	}
	w.addAgents()
	for i := range cfg.Streams {
		if err := w.addStream(&cfg.Streams[i]); err != nil {
			return nil, err
		}
	}
	for i := range cfg.Traces {
		t := &cfg.Traces[i]
		r, err := newReplay(t, w.Sources(), w.clients)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.replays = append(w.replays, r)
		w.clients += t.Clients
	}
	return w, nil
}

// Sources returns the number of sources, which are numbered from 0: agents, then
// streams (each client of a group is a source of its own), then traces.
func (w *Workload) Sources() int {
	return len(w.agents) + len(w.streams) + len(w.replays)
}

// Clients returns the number of client identities; [Demand.Client] is below it. An
// agent's identity is its source number.
func (w *Workload) Clients() int { return w.clients }

// Open reports whether the source's next request arrives whatever became of the
// earlier ones, as streams and traces do. An agent is closed: it issues a request
// not before its previous one is done.
func (w *Workload) Open(source int) bool { return source >= len(w.agents) }

// Converses reports whether a request of the source may go on from one before it: those of
// agents may, and those of streams with sessions.
func (w *Workload) Converses(source int) bool {
	i := source - len(w.agents)
	return i < 0 || i < len(w.streams) && w.streams[i].sessions != nil
}

// Next returns the source's next demand. Demands come in order of their intended
// instants, which are all different for one agent or stream. It returns false when
// the next would be intended at or after Config.Duration, when a trace has no more
// rows, or when a trace cannot be read on: see Err. The source must be below Sources.
// Of a [Share] it returns the demands of the share alone.
func (w *Workload) Next(source int) (Demand, bool) {
	if source < len(w.agents) {
		if !w.share.hasClient(uint32(source)) {
			return Demand{}, false
		}
		return w.nextOfAgent(source)
	}
	i := source - len(w.agents)
	if i < len(w.streams) {
		return w.nextOfStream(&w.streams[i])
	}
	return w.nextOfReplay(&w.replays[i-len(w.streams)])
}

// Err returns what stopped a trace in the middle, nil if nothing did.
func (w *Workload) Err() error {
	for i := range w.replays {
		if err := w.replays[i].reader.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the traces. Their sources have no demands afterwards.
func (w *Workload) Close() error {
	var errs []error
	for i := range w.replays {
		w.replays[i].done = true
		errs = append(errs, w.replays[i].reader.Close())
	}
	return errors.Join(errs...)
}

// sharedPrefix draws how much of a first prompt others have had before. In is known.
func (w *Workload) sharedPrefix(d *Demand, p *Profile, base, number uint64) {
	if p.SharedPrefix.zero() {
		return
	}
	d.Prefix = min(w.dice.tokens(&p.SharedPrefix, base, forShared, number), max(d.In, 1))
	d.Shared = d.Prefix > 0
}

// complete fills in what every kind of request has, given its In and Out.
func (w *Workload) complete(d *Demand, p *Profile, base, number uint64) {
	d.ID = w.dice.requestID(d.Client, d.Task, d.Op)
	d.In = max(d.In, 1)
	d.Out = max(d.Out, 1)
	d.MaxOut = d.Out
	if p.MaxOutput > 0 {
		d.MaxOut = p.MaxOutput
		d.Out = min(d.Out, p.MaxOutput)
	}
	d.EstIn = d.In
	if p.EstimateSigma > 0 {
		z := w.dice.seeded(base, forEstimate, number).NormFloat64()
		d.EstIn = max(roundTokens(float64(d.In)*exp(p.EstimateSigma*z)), 1)
	}
	d.Write = p.WriteShare > 0 && unit(base, forWrite, number) < p.WriteShare
	w.about(d, p)
	if !p.Patience.zero() {
		d.Patience = max(w.dice.wait(&p.Patience, base, forPatience, number), 1)
	}
}
