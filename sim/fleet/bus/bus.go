package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// between is the wait between two tries of what passes.
const between = 250 * time.Millisecond

// Bus is a connection to NATS. It is safe for use by several goroutines.
type Bus struct {
	Namespace
	Conn *nats.Conn
	JS   jetstream.JetStream
	cfg  Config
}

// Open connects. It waits for a server as long as [Config.Wait] says, but not for one that refuses us. More options of the library come last: tests
// and a server in the same process need them. The error is a [ConfigError], or that of ctx.
func Open(ctx context.Context, c Config, more ...nats.Option) (*Bus, error) {
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	nc, err := c.dial(ctx, append(opts, more...))
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(c.Timeout))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("opening JetStream: %w", err)
	}
	b := &Bus{Namespace: c.Namespace, Conn: nc, JS: js, cfg: c}
	err = b.Insist(ctx, "asking for JetStream", func(ctx context.Context) error {
		_, err := js.AccountInfo(ctx)
		return err
	})
	if err != nil {
		nc.Close()
		return nil, explain(c.URL, err)
	}
	return b, nil
}

// dial tries until a server answers or the wait is over.
func (c Config) dial(ctx context.Context, opts []nats.Option) (*nats.Conn, error) {
	var nc *nats.Conn
	told := false
	_, err := again(ctx, c.Wait, Passing, func() (err error) {
		nc, err = nats.Connect(c.URL, opts...)
		if err != nil && Passing(err) && !told {
			told = true
			c.Log("no server answers at " + c.URL + " yet, waiting for one")
		}
		return err
	})
	switch {
	case err == nil:
		return nc, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, explain(c.URL, err)
}

// Close ends the connection, after what is under way has been sent.
func (b *Bus) Close() {
	_ = b.Conn.FlushTimeout(time.Second) // a server that is gone gets nothing more
	b.Conn.Close()
}

// Call makes one call that takes at most [Config.Timeout].
func (b *Bus) Call(ctx context.Context, what string, f func(context.Context) error) error {
	return call(ctx, what, b.cfg.Timeout, f)
}

func call(ctx context.Context, what string, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := f(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Insist makes calls until one succeeds, fails for good, or [Config.Patience] is over.
func (b *Bus) Insist(ctx context.Context, what string, f func(context.Context) error) error {
	return b.insist(ctx, what, b.cfg.Timeout, f)
}

// insist is Insist with calls that take at most so long each.
func (b *Bus) insist(ctx context.Context, what string, limit time.Duration, f func(context.Context) error) error {
	over, err := again(ctx, b.cfg.Patience, Passing, func() error { return call(ctx, what, limit, f) })
	if over {
		return fmt.Errorf("gave up after %v: %w", b.cfg.Patience, err)
	}
	return err
}

// replicated is how long a blob may take to be found by all servers that hold it: whoever knows its hash knows that it was written.
const replicated = 3 * time.Second

// patiently does something again while what it looks for is not found, as a server that is a little behind says.
func patiently(ctx context.Context, f func() error) error {
	_, err := again(ctx, replicated, func(err error) bool { return errors.Is(err, ErrNotFound) }, f)
	return err
}

// again does something until it succeeds, fails with what does not pass, or so long is over (negative: never), as it then reports.
func again(ctx context.Context, most time.Duration, passes func(error) bool, f func() error) (over bool, err error) {
	for start := time.Now(); ; {
		err := f()
		switch {
		case err == nil, ctx.Err() != nil, !passes(err):
			return false, err
		case most >= 0 && time.Since(start) >= most:
			return true, err
		}
		if stopped := pause(ctx, between); stopped != nil {
			return false, errors.Join(err, stopped)
		}
	}
}

// pause sleeps, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// replicas is how many servers are to hold a stream of a full name: what is asked for, or as many as do, whichever is more; 1 at least. A
// client that was told of fewer servers than others does not take copies away.
func (b *Bus) replicas(ctx context.Context, stream string) (int, error) {
	s, err := b.JS.Stream(ctx, stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return max(1, b.cfg.Replicas), nil
	case err != nil:
		return 0, err
	}
	return max(1, b.cfg.Replicas, s.CachedInfo().Config.Replicas), nil
}

// Stream makes a stream of the namespace, or changes it to be so: the name gets its prefix, replicas are those of [Config.Replicas], and age
// is the configuration's where it is not said. Subjects are as [Namespace.Subject] makes them.
func (b *Bus) Stream(ctx context.Context, sc jetstream.StreamConfig) (s jetstream.Stream, err error) {
	sc.Name = b.Name(sc.Name)
	if sc.MaxAge == 0 {
		sc.MaxAge = b.cfg.Keep
	}
	err = b.Insist(ctx, "making the stream "+sc.Name, func(ctx context.Context) error {
		if sc.Replicas, err = b.replicas(ctx, sc.Name); err != nil {
			return err
		}
		s, err = b.JS.CreateOrUpdateStream(ctx, sc)
		return err
	})
	return s, err
}

// Consumer makes a consumer of a stream of [Bus.Stream], or changes it to be so.
func (b *Bus) Consumer(ctx context.Context, stream string, cc jetstream.ConsumerConfig) (c jetstream.Consumer, err error) {
	err = b.Insist(ctx, "making the consumer "+cc.Durable, func(ctx context.Context) error {
		c, err = b.JS.CreateOrUpdateConsumer(ctx, b.Name(stream), cc)
		return err
	})
	return c, err
}
