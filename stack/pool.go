package stack

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// PoolConfig sizes connection pools: one for each scheme, host and port, which all targets there
// share. The zero value is sound.
type PoolConfig struct {
	// PeakRate is the number of requests per second to one host at its peak, and MeanResponse how
	// long an answer takes on average: their product is how many are in flight (Little's law),
	// and 1.3 times that many idle connections are kept. Either 0: as many as the gates of the host
	// may have in flight. Fewer: handshakes at every peak. More: idle connections.
	PeakRate     float64
	MeanResponse time.Duration
	// Max bounds the connections to a host; 0 (the default): unbounded, since the gate bounds
	// what is in flight. A request beyond it waits for a connection out of its class's order,
	// with its time to first token running.
	Max int
	// Shared makes one pool for all hosts that keeps two idle connections each, as Go does by
	// default: what pools are compared with. PeakRate and MeanResponse count for nothing then.
	Shared bool
	// HTTP2 speaks HTTP/2 to http endpoints too, without asking first (prior knowledge). To https
	// endpoints it is spoken in any case, if they can; with Shared, HTTP2 leaves them no choice.
	HTTP2 bool
	// TLS is cloned; nil: the system's roots.
	TLS *tls.Config
	// Lookup replaces the system's resolver; nil: it is asked. What it finds is used for 5 minutes, or until
	// none of the addresses answers. It is called on several goroutines at a time, for different hosts.
	Lookup func(ctx context.Context, host string) (addrs []string, err error)
}

// spare is the room in a pool beyond the mean number in flight.
const spare = 1.3

// Times and sizes of connections.
const (
	keepAlive     = 30 * time.Second // between probes of an idle connection
	idleTimeout   = 90 * time.Second // as net/http's default; proxies close after 60 s and more
	pingAfter     = 30 * time.Second // of silence on an HTTP/2 connection
	longestHeader = 256 << 10        // bytes of a response
	sessions      = 64               // TLS sessions kept for resumption, per pool
)

func (p *PoolConfig) check(k *checker) {
	if !(p.PeakRate >= 0 && p.PeakRate <= 1e6) {
		k.failf("pool peak rate is %v (allowed: 0 to 1000000)", p.PeakRate)
	}
	within(k, "pool mean response", p.MeanResponse, 0, 24*time.Hour)
	within(k, "pool max", p.Max, 0, 1_000_000)
}

// size is the number of idle connections kept for a host whose gates may have inFlight
// requests on the wire.
func (p *PoolConfig) size(inFlight int) int {
	if p.Shared {
		return http.DefaultMaxIdleConnsPerHost
	}
	if p.PeakRate == 0 || p.MeanResponse == 0 {
		return inFlight
	}
	return int(math.Ceil(p.PeakRate * p.MeanResponse.Seconds() * spare))
}

// PoolStats is what a pool has done. The share of requests that needed no new connection is
// Reused / Requests.
type PoolStats struct {
	Host     string // scheme://host:port; "shared" for one that all hosts share
	Dialled  int64  // connections made
	Requests int64  // requests that got a connection
	Reused   int64  // of them, on one that had been used before
}

// pool is the connections to one host.
type pool struct {
	host      string
	transport *http.Transport
	names     names
	dialled   atomic.Int64
	requests  atomic.Int64
	reused    atomic.Int64
}

func (p *pool) stats() PoolStats {
	return PoolStats{p.host, p.dialled.Load(), p.requests.Load(), p.reused.Load()}
}

// took counts a request that got a connection.
func (p *pool) took(used bool) {
	p.requests.Add(1)
	if used {
		p.reused.Add(1)
	}
}

// newPools makes the pools of a configuration that was checked, in the order of the targets, and
// tells that of each target.
func newPools(cfg *ClientConfig) (all, byTarget []*pool) {
	byHost := map[string]*pool{}
	inFlight := map[string]int{}
	hosts := make([]string, len(cfg.Endpoints))
	for i := range cfg.Endpoints {
		hosts[i] = "shared"
		if !cfg.Pool.Shared {
			hosts[i] = hostOf(cfg.Endpoints[i].BaseURL)
		}
		inFlight[hosts[i]] += mostInFlight(&cfg.Stack, i)
	}
	for _, h := range hosts {
		p := byHost[h]
		if p == nil {
			p = newPool(h, &cfg.Pool, cfg.Pool.size(inFlight[h]), cfg.Stack.Timeouts.Connect)
			byHost[h] = p
			all = append(all, p)
		}
		byTarget = append(byTarget, p)
	}
	return all, byTarget
}

// hostOf returns the scheme, host and port of a URL that was checked.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// mostInFlight is the highest concurrency limit that a target's gate can reach.
func mostInFlight(cfg *Config, target int) int {
	cc := &cfg.Concurrency
	if own := cfg.Targets[target].Concurrency; own != nil {
		cc = own
	}
	if cc.Controller == "static" {
		return cc.Start
	}
	return cc.Max
}

func newPool(host string, cfg *PoolConfig, idle int, connect time.Duration) *pool {
	p := &pool{host: host}
	p.names.init(cfg.Lookup, connect)
	dialer := &net.Dialer{Timeout: connect, KeepAlive: keepAlive}
	tlsConfig := &tls.Config{}
	if cfg.TLS != nil {
		tlsConfig = cfg.TLS.Clone()
	}
	if tlsConfig.ClientSessionCache == nil {
		tlsConfig.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)
	}
	var speaks http.Protocols
	speaks.SetHTTP2(true)
	speaks.SetHTTP1(!cfg.HTTP2 || strings.HasPrefix(host, "https:"))
	speaks.SetUnencryptedHTTP2(cfg.HTTP2)
	p.transport = &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := p.names.dial(ctx, dialer, network, addr)
			if err == nil {
				p.dialled.Add(1)
			}
			return conn, err
		},
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    connect,
		MaxIdleConnsPerHost:    idle,
		MaxConnsPerHost:        cfg.Max,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: longestHeader,
		ForceAttemptHTTP2:      true,
		Protocols:              &speaks,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: connect},
		// A compressed stream comes in blocks, late; the tokens are few bytes anyway.
		DisableCompression: true,
	}
	return p
}
