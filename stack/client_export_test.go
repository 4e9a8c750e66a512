package stack

import (
	"context"
	"net"
	"time"
)

// Watch has a function called for every effect, in order, before it is acted upon.
func (c *Client) Watch(f func(*Effect)) { c.watch = f }

// Name is a host's addresses, as tests see them.
type Name struct{ *name }

// NewName returns a host whose addresses a function finds.
func NewName(host string, ask func(context.Context, string) ([]string, error), timeout time.Duration) Name {
	var n names
	n.init(ask, timeout)
	return Name{n.of(host)}
}

// Addresses returns the addresses.
func (n Name) Addresses(ctx context.Context) ([]string, error) { return n.addresses(ctx) }

// Expire makes them due.
func (n Name) Expire() { n.expire() }

// Alternate puts addresses of both families in turn.
func Alternate(addrs []string) []string { return alternate(addrs) }

// Race connects to the first of a host's addresses that answers.
func Race(ctx context.Context, d *net.Dialer, port string, addrs []string) (net.Conn, error) {
	return race(ctx, d, "tcp", port, addrs)
}

// MostLetters is how many dead letters may wait.
const MostLetters = mostLetters
