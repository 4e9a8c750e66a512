package sim

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
)

// storePatience is how long a store may take to answer before a run begins.
const storePatience = 3 * time.Second

// shareBooks gives every client a store of the books that they share: a connection of its own to the Redis server, as a process would
// have, or the one in memory.
func (w *wallLink) shareBooks(set *scenario.Built, o *WallOptions) error {
	if set.Shared == nil {
		return nil
	}
	url := set.Shared.Redis
	if o.Redis != "" {
		url = o.Redis
	}
	memory, space := &stack.MemoryFleet{}, namespaceOf(set.Shared.Namespace, o)
	for range set.Instances {
		if url == "" {
			w.stores = append(w.stores, memory)
			continue
		}
		s, err := redisstore.Open(url, redisstore.Config{Namespace: space, CAFile: set.Shared.CAFile, Password: o.RedisPassword})
		if err != nil {
			return &StoreError{Err: err}
		}
		w.stores = append(w.stores, s)
	}
	return nil
}

// namespaceOf is where a run has its books. Each run against a mock has some of its own, as it has a mock of its own, which
// knows nothing of the run before; a provider does know of it, and there the books go on.
func namespaceOf(space string, o *WallOptions) string {
	if o.Target != "" {
		return space
	}
	id := rand.Uint64()
	if o.Run != "" {
		h := fnv.New64a()
		_, _ = h.Write([]byte(o.Run))
		id = h.Sum64()
	}
	return fmt.Sprintf("%.47s.%016x", space, id)
}

// checkStores tells, before the first of some runs, whether each can reach the store of the books that it shares. Where it may go on
// without one, it need not.
func checkStores(tasks []task, o *WallOptions) error {
	for i := range tasks {
		set := tasks[i].set
		if set.Shared == nil || set.Shared.Open {
			continue
		}
		w := wallLink{}
		err := w.shareBooks(set, o)
		if err == nil {
			err = w.probe(set)
		}
		if err = errors.Join(err, w.closeStores()); err != nil {
			return err
		}
	}
	return nil
}

func (w *wallLink) probe(set *scenario.Built) error {
	cfg := set.Stack.Fleet()
	ctx, cancel := context.WithTimeout(context.Background(), storePatience)
	defer cancel()
	r, err := w.stores[0].Exchange(ctx, &sharing.Message{Member: "probe", Probe: true, Config: &cfg, Fingerprint: cfg.Fingerprint()})
	if err != nil {
		return &StoreError{Err: err}
	}
	if r.Status == sharing.StatusOther {
		return &StoreError{
			errors.New("processes with another configuration are alive in the namespace " + set.Shared.Namespace),
			"wait until they have ended, and for stack.shared.lease if they were killed; or name another stack.shared.namespace",
		}
	}
	return nil
}

// checkRedis says whether a store that was named is of any use.
func checkRedis(sc *scenario.Scenario, o *Options) error {
	if o.Wall.Redis == "" {
		return nil
	}
	if o.Clock(sc) != scenario.ModeWall {
		return &StoreError{errors.New("a Redis server is named, and in virtual time shared books are in memory"), "add --mode wall, or leave --redis out"}
	}
	for _, v := range sc.Variants() {
		built, err := v.Build(o.seed(sc))
		if err != nil {
			return err
		}
		if built.Shared != nil {
			return nil
		}
	}
	return &StoreError{errors.New("a Redis server is named, and the scenario shares nothing"), "add stack.shared: on, as with --set stack.shared=on, or leave --redis out"}
}

// StoreError is a store of shared books that cannot be used. It holds no password.
type StoreError struct {
	Err  error
	Hint string // what to do; "": see that it is there
}

// Error implements error.
func (e *StoreError) Error() string { return fmt.Sprintf("shared books: %v", e.Err) }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// fleetOf is how a client is a member of the fleet; nil: there is none.
func (w *wallLink) fleetOf(set *scenario.Built, i int) *stack.FleetConfig {
	if w.stores == nil {
		return nil
	}
	return &stack.FleetConfig{Store: w.stores[i], Lease: set.Shared.Lease, Open: set.Shared.Open, Processes: set.Instances * max(1, set.Workload.Share.Count)}
}

func (w *wallLink) closeStores() error {
	var err error
	for _, s := range w.stores {
		if c, ok := s.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}
