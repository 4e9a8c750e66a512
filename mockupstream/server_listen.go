package mockupstream

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// headerMax is the largest header of a request, in bytes. Beyond it: 431.
const headerMax = 64 << 10

// timed is the key of a context that says that net/http sets the deadline for reading a request.
type timed struct{}

// Serve serves HTTP/1.1, and HTTP/2 without TLS for clients that know of it beforehand, until ctx is
// done. Then it takes no more calls, lets running ones go on for ServerConfig.Grace or until
// ServerConfig.Cut, and cuts what is left: hanging and stalled calls always are. When it returns all connections are
// closed and all calls are settled. It closes l, and returns nil when ctx ended it.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	life, end := context.WithCancel(context.Background())
	defer end()
	var door sync.RWMutex // handlers hold it for reading, to be waited for
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			door.RLock()
			defer door.RUnlock()
			s.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(life, timed{}, true) },
		Protocols:         &protocols,
		ReadHeaderTimeout: s.cfg.ReadTimeout,
		ReadTimeout:       s.cfg.ReadTimeout,
		IdleTimeout:       s.cfg.IdleTimeout,
		MaxHeaderBytes:    headerMax,
		ErrorLog:          s.cfg.ErrorLog,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	var err error
	select {
	case err = <-served:
		err = fmt.Errorf("serving on %v: %w", l.Addr(), err)
	case <-ctx.Done():
		_ = s.shutdown(srv) // that the grace is over is no error
		<-served
	}
	end()
	_ = srv.Close()
	door.Lock()
	defer door.Unlock()
	return err
}

// shutdown waits for running calls as long as they may go on.
func (s *Server) shutdown(srv *http.Server) error {
	grace, stop := context.WithTimeout(context.Background(), s.cfg.Grace)
	defer stop()
	go func() {
		select {
		case <-s.cfg.Cut:
			stop()
		case <-grace.Done():
		}
	}()
	return srv.Shutdown(grace)
}

// RemoteError says that an address can be reached from other machines, which was not allowed.
type RemoteError struct{ Addr string }

func (e *RemoteError) Error() string {
	return fmt.Sprintf("listening on %s: not a loopback address, other machines could connect to it", e.Addr)
}

// Listen listens on a TCP address, "host:port". Unless remote is true it returns a [*RemoteError] for
// any that is not a loopback address: no host at all, 0.0.0.0, or a name that also stands for
// other addresses.
func Listen(addr string, remote bool) (net.Listener, error) {
	if !remote {
		var err error
		if addr, err = loopback(addr); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", addr, err)
	}
	return l, nil
}

// loopback returns the address with its host resolved, so that what is checked is what is listened
// on. Of several it takes an IPv4 one.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("reading the address to listen on: %w", err)
	}
	if host == "" {
		return "", &RemoteError{addr}
	}
	found, err := net.DefaultResolver.LookupNetIP(context.Background(), "ip", host)
	if err != nil {
		return "", fmt.Errorf("resolving %q to listen on it: %w", host, err)
	}
	var best netip.Addr
	for _, ip := range found {
		ip = ip.Unmap()
		if !ip.IsLoopback() {
			return "", &RemoteError{addr}
		}
		if !best.IsValid() || ip.Is4() && !best.Is4() {
			best = ip
		}
	}
	return net.JoinHostPort(best.String(), port), nil
}
