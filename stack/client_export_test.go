package stack

import (
	"context"
	"time"
)

// Watch has a function called for every effect, in order, before it is acted upon.
func (c *Client) Watch(f func(*Effect)) { c.watch = f }

// Names is the cache of addresses, as tests see it.
type Names struct{ names }

// NewNames returns a cache of what a function looks up.
func NewNames(lookup func(context.Context, string) ([]string, error)) *Names {
	var n Names
	n.init(lookup, time.Minute)
	return &n
}

// Lookup returns the addresses of a host.
func (n *Names) Lookup(ctx context.Context, host string) ([]string, error) {
	return n.lookup(ctx, host)
}

// Expire makes all addresses due.
func (n *Names) Expire() { n.due = time.Time{} }
