package stack

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-4fd17b57/simload/stack/fleet"
)

// MemoryFleet is a [FleetStore] in memory, for several clients of one process. It is safe for concurrent use.
type MemoryFleet struct {
	mu      sync.Mutex
	books   *fleet.Books
	waiters map[string]chan struct{}
}

// Exchange implements [FleetStore]. The first message makes the books.
func (f *MemoryFleet) Exchange(_ context.Context, m *fleet.Message) (fleet.Reply, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.books == nil {
		books, err := fleet.NewBooks(*m.Config)
		if err != nil {
			return fleet.Reply{}, fmt.Errorf("making the fleet's books: %w", err)
		}
		f.books = books
	}
	r := f.books.Exchange(*m)
	for _, name := range r.Wake {
		select {
		case f.bell(name) <- struct{}{}:
		default:
		}
	}
	return r, nil
}

func (f *MemoryFleet) bell(name string) chan struct{} {
	if f.waiters == nil {
		f.waiters = make(map[string]chan struct{})
	}
	b := f.waiters[name]
	if b == nil {
		b = make(chan struct{}, 1)
		f.waiters[name] = b
	}
	return b
}

// Listen implements [FleetStore].
func (f *MemoryFleet) Listen(ctx context.Context, member string, wake func()) error {
	f.mu.Lock()
	bell := f.bell(member)
	f.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-bell:
			wake()
		}
	}
}
