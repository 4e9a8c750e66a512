package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/rs/dnscache"
)

// namesFor is how long the addresses of a host are used until they are asked for again.
const namesFor = 300 * time.Second

// lookup finds the addresses of a host.
type lookup func(ctx context.Context, host string) (addrs []string, err error)

// names turns the names of hosts into addresses, and keeps them: a pool of a thousand
// connections that is dialled at once asks once.
type names struct {
	lookup  lookup
	timeout time.Duration // for a lookup

	mu     sync.Mutex
	byHost map[string]*name
}

func (n *names) init(ask lookup, timeout time.Duration) {
	if ask == nil {
		ask = net.DefaultResolver.LookupHost
	}
	n.lookup, n.timeout, n.byHost = ask, timeout, map[string]*name{}
}

// of returns the name of a host. There are as many as the hosts of a configuration, and its proxies.
func (n *names) of(host string) *name {
	n.mu.Lock()
	defer n.mu.Unlock()
	m := n.byHost[host]
	if m == nil {
		m = &name{host: host, lookup: n.lookup, timeout: n.timeout, due: time.Now().Add(namesFor)}
		m.key = fmt.Sprintf("%p", m)
		m.cache = m.newCache()
		n.byHost[host] = m
	}
	return m
}

// name is one host's addresses. There is no goroutine to keep them fresh: the first connection made
// after they are due, or after none of them answered, asks again, while others use what there is; if
// that fails the old ones stay. A failure to find any is not kept.
type name struct {
	dnscache.DNSResolver // for what is never asked
	host                 string
	lookup               lookup
	timeout              time.Duration
	// key stands for the host in the cache, which merges lookups of a whole process by it: what
	// other clients' functions find is none of ours. The cache holds on to the name whose address it is.
	key string

	mu    sync.Mutex
	cache *dnscache.Resolver
	due   time.Time // when the addresses are to be asked for again
}

// LookupHost is asked by the cache.
func (m *name) LookupHost(ctx context.Context, _ string) ([]string, error) {
	addrs, err := m.lookup(ctx, m.host)
	if err == nil && len(addrs) == 0 {
		err = errors.New("no addresses")
	}
	var known *net.DNSError
	if err != nil && !errors.As(err, &known) {
		err = &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: m.host}
	}
	return addrs, err
}

// addresses returns what is known, at least one address, after asking for them if they are due. Half
// of the time is left to the connection then, where there are old ones.
func (m *name) addresses(ctx context.Context) ([]string, error) {
	if m.claim(time.Now()) {
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			fresh := m.newCache()
			if _, err := fresh.LookupHost(context.Background(), m.key); err == nil {
				m.use(fresh)
			}
		}()
		half := time.NewTimer(m.timeout / 2)
		defer half.Stop()
		select {
		case <-asked:
		case <-half.C:
		case <-ctx.Done():
		}
	}
	cache := m.current()
	addrs, err := cache.LookupHost(ctx, m.key)
	if err != nil {
		m.forget(cache)
		var known *net.DNSError
		if !errors.As(err, &known) { // the context's
			err = &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: m.host}
		}
	}
	return addrs, err
}

// newCache returns an empty cache. Its lookups have their own time, whoever waits for them.
func (m *name) newCache() *dnscache.Resolver {
	return &dnscache.Resolver{Resolver: m, Timeout: m.timeout}
}

// claim reports whether the caller is the one to ask again.
func (m *name) claim(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Before(m.due) {
		return false
	}
	m.due = now.Add(namesFor)
	return true
}

func (m *name) current() *dnscache.Resolver {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cache
}

func (m *name) use(fresh *dnscache.Resolver) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cache = fresh
}

// expire makes the addresses due.
func (m *name) expire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = time.Time{}
}

// forget takes a new cache in place of one that has kept a failure.
func (m *name) forget(failed *dnscache.Resolver) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cache == failed {
		m.cache = m.newCache()
	}
}

// dial connects to an address, and if it is that of a name to the first of its addresses that
// answers. When none does they are asked for again the next time: the host may have moved.
func (n *names) dial(ctx context.Context, d *net.Dialer, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return d.DialContext(ctx, network, addr)
	}
	within, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	m := n.of(host)
	addrs, err := m.addresses(within)
	if err != nil {
		return nil, err
	}
	conn, err := race(within, d, network, port, addrs)
	if err != nil && ctx.Err() == nil {
		m.expire()
	}
	return conn, err
}
