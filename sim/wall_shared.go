package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	memory := &stack.MemoryFleet{}
	for range set.Instances {
		if url == "" {
			w.stores = append(w.stores, memory)
			continue
		}
		s, err := redisstore.Open(url, redisstore.Config{Namespace: set.Shared.Namespace, CAFile: set.Shared.CAFile, Password: o.RedisPassword})
		if err != nil {
			return &StoreError{err}
		}
		w.stores = append(w.stores, s)
	}
	return nil
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
	_, err := w.stores[0].Exchange(ctx, &sharing.Message{Member: "probe", Probe: true, Config: &cfg, Fingerprint: cfg.Fingerprint()})
	if err != nil {
		return &StoreError{err}
	}
	return nil
}

// StoreError is a store of shared books that cannot be used. It holds no password.
type StoreError struct{ Err error }

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
