package stack

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rs/dnscache"
)

// namesFor is how long the addresses of a host are used until they are asked for again.
const namesFor = 300 * time.Second

// names turns the names of hosts into addresses, and keeps them: a pool of a thousand
// connections that is dialled at once asks once. There is no goroutine to refresh them: the first
// connection made after they are due does, while others use what there is; if that fails the
// old ones stay. A failure to find any is not kept.
type names struct {
	cache dnscache.Resolver

	mu  sync.Mutex
	due time.Time // when addresses are to be asked for again
}

// resolver makes a function a resolver as the cache wants it.
type resolver struct {
	dnscache.DNSResolver
	host func(ctx context.Context, host string) ([]string, error)
}

// LookupHost returns a host's addresses.
func (r resolver) LookupHost(ctx context.Context, host string) ([]string, error) {
	return r.host(ctx, host)
}

func (n *names) init(lookup func(context.Context, string) ([]string, error), timeout time.Duration) {
	n.cache.Timeout = timeout
	n.due = time.Now().Add(namesFor)
	if lookup == nil {
		lookup = net.DefaultResolver.LookupHost
	}
	n.cache.Resolver = resolver{host: lookup}
}

// lookup returns a host's addresses, at least one.
func (n *names) lookup(ctx context.Context, host string) ([]string, error) {
	if n.claim(time.Now()) {
		n.cache.RefreshWithOptions(dnscache.ResolverRefreshOptions{PersistOnFailure: true})
	}
	addrs, err := n.cache.LookupHost(ctx, host)
	if err == nil && len(addrs) > 0 {
		return addrs, nil
	}
	// The cache keeps failures too: what comes next asks again.
	n.mu.Lock()
	n.due = time.Time{}
	n.mu.Unlock()
	var known *net.DNSError
	if err != nil && errors.As(err, &known) {
		return nil, err
	}
	if err == nil {
		err = errors.New("no addresses")
	}
	return nil, &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host}
}

// claim reports whether the caller is the one to ask again.
func (n *names) claim(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now.Before(n.due) {
		return false
	}
	n.due = now.Add(namesFor)
	return true
}

// dial connects to an address, and if it is that of a name to the first of its addresses that
// answers.
func (n *names) dial(ctx context.Context, d *net.Dialer, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return d.DialContext(ctx, network, addr)
	}
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	addrs, err := n.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	until, _ := ctx.Deadline()
	var first error
	for i, a := range addrs {
		// Of the time that is left each has an equal share, so that a dead one leaves some to the others.
		share := *d
		share.Timeout = max(time.Millisecond, time.Until(until)/time.Duration(len(addrs)-i))
		conn, err := share.DialContext(ctx, network, net.JoinHostPort(a, port))
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}
