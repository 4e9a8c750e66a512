package redisstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed-4fd17b57/simload/stack/fleet"
)

//go:embed books.lua
var source string

var script = redis.NewScript(source)

// Config says how to reach the books.
type Config struct {
	// Namespace tells fleets on one server apart. 1 to 64 letters, digits, dots, dashes and underscores; default "simload".
	Namespace string
	// Apart is how far a member's instant may be from the server's clock, default 1 s; one that is farther, as the member's clock
	// is wrong or the message was long on its way, is brought that near. Negative: the server's clock is not looked at, and
	// instants may be made up; for tests.
	Apart time.Duration
	// CAFile is a PEM file of authorities that the server's certificate is checked by, besides none; "": the system's. It
	// needs a rediss:// URL.
	CAFile string
	// Password, where the URL holds none: so that it need not stand in a file or on a command line.
	Password string
}

// Store is a fleet's books in Redis. It is safe for concurrent use.
type Store struct {
	client redis.UniversalClient
	own    bool
	keys   []string // books, bins, leases
	apart  time.Duration
}

// Open returns a store at a URL: redis://[user[:password]@]host[:port][/db], rediss:// for TLS, or unix://. It connects
// when it is first used. No error of it holds the URL, which may hold a password.
func Open(url string, cfg Config) (*Store, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("reading the URL of the Redis server: it is not one of redis, rediss or unix, with host, port and database")
	}
	if o.Password == "" {
		o.Password = cfg.Password
	}
	if cfg.CAFile != "" {
		if o.TLSConfig == nil {
			return nil, errors.New("a CA file for a Redis server without TLS (use a rediss:// URL)")
		}
		if o.TLSConfig.RootCAs, err = authorities(cfg.CAFile); err != nil {
			return nil, err
		}
	}
	if o.TLSConfig != nil {
		o.TLSConfig.MinVersion = tls.VersionTLS12
	}
	// What was not answered is said again by the member, who knows what to make of it. The library's own retries would only
	// hide it.
	o.MaxRetries = -1
	o.ContextTimeoutEnabled = true
	o.DisableIdentity = true
	s, err := New(redis.NewClient(o), cfg)
	if err == nil {
		s.own = true
	}
	return s, err
}

func authorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the CA file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("reading the CA file: %s holds no certificate in PEM", file)
	}
	return pool, nil
}

// New returns a store that uses a client, which stays the caller's to close.
func New(client redis.UniversalClient, cfg Config) (*Store, error) {
	if cfg.Namespace == "" {
		cfg.Namespace = "simload"
	}
	if err := CheckNamespace(cfg.Namespace); err != nil {
		return nil, err
	}
	if cfg.Apart == 0 {
		cfg.Apart = time.Second
	}
	tag := "{" + cfg.Namespace + "}:"
	return &Store{client: client, keys: []string{tag + "books", tag + "bins", tag + "leases"}, apart: cfg.Apart}, nil
}

// CheckNamespace says what is wrong with a namespace.
func CheckNamespace(name string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if name == "" || len(name) > 64 || strings.Trim(name, allowed) != "" {
		return fmt.Errorf("namespace is %q (allowed: 1 to 64 letters, digits, dots, dashes and underscores)", name)
	}
	return nil
}

// String names the namespace and no server.
func (s *Store) String() string { return "redisstore.Store(" + s.keys[0] + ")" }

// Close closes the client, if it is the store's own.
func (s *Store) Close() error {
	if !s.own {
		return nil
	}
	return s.client.Close()
}

// Exchange tells the books a message and returns their answer. An error says that nobody knows whether they have heard it:
// say it again, with the same number.
func (s *Store) Exchange(ctx context.Context, m *fleet.Message) (fleet.Reply, error) {
	args := s.arguments(m)
	v, err := script.Run(ctx, s.client, s.keys, args...).Slice()
	if err != nil {
		return fleet.Reply{}, fmt.Errorf("asking the fleet's books: %w", err)
	}
	r, err := readReply(v)
	if err != nil {
		return fleet.Reply{}, fmt.Errorf("reading the answer of the fleet's books: %w", err)
	}
	return r, nil
}

// Listen calls wake whenever the books have something for a member, and when the connection that tells so is new, until
// ctx is done. It returns ctx's error.
func (s *Store) Listen(ctx context.Context, member string, wake func()) error {
	sub := s.client.Subscribe(ctx, s.keys[0]+":wake:"+member)
	defer func() { _ = sub.Close() }()
	told := sub.ChannelWithSubscriptions()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, open := <-told:
			if !open {
				return context.Canceled
			}
			wake()
		}
	}
}
