package load

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/stack"
)

// WorkerConfig says what a worker is.
type WorkerConfig struct {
	Name    string // on terminals
	Called  string // in reports; "": the number of its share, since no machine's name is a report's business
	Version string // of the program: only runs of the same version are taken
	// Allowed says what is wrong with load on a URL, nil if nothing is. It is asked about the Redis server of shared limits, too.
	Allowed func(url string) error
	// Secret returns the key of a target.
	Secret func() (stack.Secret, error)
	// RedisPassword is that of the store of shared limits. It goes to any server that Allowed allows: the run names the server.
	RedisPassword string
	// RedisCA is a file of the authorities that the certificate of that store is checked by; "": the system's. A file that a run
	// names is never read.
	RedisCA string
	// Alone is held while a share is prepared and carried: nothing else is to run in this process meanwhile. Prepare is called
	// first. nil: they are not needed.
	Alone   sync.Locker
	Prepare func()
	// Clock is the machine's clock; nil: time.Now. Tests set it wrong.
	Clock func() time.Time
	Set   Settings
	Log   func(string) // told what a user should know; called by several goroutines
}

// worker takes one share after the other.
type worker struct {
	WorkerConfig
	names
	bus     *bus.Bus
	id      string          // of this process
	refused map[string]bool // runs that were refused
}

// Work takes shares until ctx ends; one that is under way is ended then, and what it has measured is handed in. The error is one that a
// server or the caller has to mend: a server that is away is waited for.
func Work(ctx context.Context, b *bus.Bus, c WorkerConfig) error {
	c.Set = c.Set.withDefaults()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	w := &worker{WorkerConfig: c, names: names{b.Namespace}, bus: b, id: nuid.Next(), refused: make(map[string]bool)}
	offers := make(chan *nats.Msg, heardMax)
	sub, err := b.Conn.ChanSubscribe(w.offers(), offers)
	if err != nil {
		return fmt.Errorf("listening for load: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		select {
		case m := <-offers:
			var o offer
			if json.Unmarshal(m.Data, &o) == nil {
				w.consider(ctx, &o)
			}
			for len(offers) > 0 { // they were made meanwhile, and are made again
				<-offers
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// consider takes part in a run, or says why not.
func (w *worker) consider(ctx context.Context, o *offer) {
	if bus.Token(o.Run) != o.Run || w.refused[o.Run] {
		return
	}
	refusal := ""
	if o.Version != w.Version {
		refusal = "it is of version " + w.Version + ", the run of " + o.Version
	} else if err := w.Allowed(o.URL); err != nil {
		refusal = err.Error()
	}
	a, err := w.claim(ctx, o, refusal)
	switch {
	case err != nil: // it is offered again
	case refusal != "":
		w.refused[o.Run] = true
		w.Log("takes no part in the load of " + o.Name + ": " + refusal)
	case a.Share >= 0:
		w.Log(fmt.Sprintf("share %d of %d of the load of %s", a.Share+1, a.Of, o.Name))
		h := &hand{worker: w, run: o.Run, a: a, begun: time.Now()}
		w.Log(h.carry(ctx))
	}
}

func (w *worker) claim(ctx context.Context, o *offer, refusal string) (a assignment, err error) {
	data, err := json.Marshal(claim{Worker: w.Name, Called: w.Called, ID: w.id, Refusal: refusal})
	if err != nil {
		return a, err
	}
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	m, err := w.bus.Conn.RequestWithContext(ctx, w.claims(o.Run), data)
	if err == nil {
		err = json.Unmarshal(m.Data, &a)
	}
	return a, err
}
