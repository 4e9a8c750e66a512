package server

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

const (
	startWait = 30 * time.Second // a large store takes its time to be read
	memoryMax = 256 << 20        // bytes of streams in memory, of which we have none
)

// Server is a server that runs.
type Server struct {
	nats  *nats.Server
	lock  *os.File
	token bus.Source
}

// Start starts a server, and returns when it takes connections. What the user can mend is a [bus.ConfigError].
func Start(ctx context.Context, c Config) (*Server, error) {
	o, err := c.options(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, &bus.ConfigError{What: "store", Problem: err.Error(), Hint: "name a directory that can be written (--store)"}
	}
	lock, err := lockDir(c.Dir)
	if err != nil {
		return nil, &bus.ConfigError{What: "store", Problem: c.Dir + " is in use: " + err.Error(), Hint: "end the other coordinator, or name another directory (--store)"}
	}
	s := &Server{lock: lock, token: c.Token}
	if s.nats, err = nats.NewServer(o); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	w := &warnings{tell: c.Log}
	s.nats.SetLoggerV2(w, false, false, false)
	go s.nats.Start()
	if !s.nats.ReadyForConnections(startWait) {
		s.Stop()
		return nil, &bus.ConfigError{What: "listen", Problem: fmt.Sprintf("the server does not come up on %s: %s", c.Listen, w.last()), Hint: "is the port taken? name another (--listen)"}
	}
	return s, nil
}

// options are the server's. It reads files and the secret.
func (c *Config) options(ctx context.Context) (*nats.Options, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	host, port, err := c.address(ctx)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = nats.RANDOM_PORT
	} else if l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port))); err != nil { // the server itself ends the process
		return nil, &bus.ConfigError{What: "listen", Problem: err.Error(), Hint: "name another address (--listen), or end what listens there"}
	} else if err := l.Close(); err != nil {
		return nil, fmt.Errorf("trying the address: %w", err)
	}
	token, err := c.Token.Read()
	if err != nil {
		return nil, &bus.ConfigError{What: "token", Problem: err.Error(), Hint: "set it, or name another"}
	}
	o := &nats.Options{
		ServerName: "simload", Host: host, Port: port, JetStream: true, StoreDir: c.Dir, JetStreamMaxMemory: memoryMax,
		NoSigs: true, Authorization: token,
	}
	if c.TLS.Cert != "" {
		o.TLSConfig, err = nats.GenTLSConfig(&nats.TLSConfigOpts{
			CertFile: c.TLS.Cert, KeyFile: c.TLS.Key, CaFile: c.TLS.CA, Verify: c.TLS.CA != "",
		})
		if err != nil {
			return nil, &bus.ConfigError{What: "tls", Problem: err.Error(), Hint: "name files in PEM that belong together"}
		}
		o.TLS, o.TLSVerify, o.TLSTimeout = true, c.TLS.CA != "", 5
	}
	return o, nil
}

// URL is what clients connect to.
func (s *Server) URL() string {
	return strings.Replace(s.nats.ClientURL(), "0.0.0.0", "127.0.0.1", 1)
}

// Connect connects without a socket, and so without TLS; with the server's own token.
func (s *Server) Connect(ctx context.Context, c bus.Config) (*bus.Bus, error) {
	c.URL, c.TLS, c.Token = "nats://"+net.JoinHostPort("127.0.0.1", "4222"), bus.TLS{}, s.token
	return bus.Open(ctx, c, client.InProcessServer(s.nats))
}

// Stop ends the server, after it has written what it holds.
func (s *Server) Stop() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	_ = s.lock.Close()
}
