package load

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Ensure a run decides neither where a worker sends its Redis password, nor which of its files are read.
func TestRedisOfARun(t *testing.T) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	came := make(chan struct{}, 1)
	go func() {
		for {
			c, err := at.Accept()
			if err != nil {
				return
			}
			came <- struct{}{}
			_ = c.Close()
		}
	}()
	s := newSite(t)
	defer s.close()
	s.hire("a", func(c *WorkerConfig) {
		c.RedisPassword = "secret"
		c.Allowed = func(url string) error {
			if strings.HasPrefix(url, "redis") {
				return errors.New("not from here")
			}
			return nil
		}
	})
	redis := "redis://" + at.Addr().String()
	for name, lead := range map[string]func() error{
		"by the scenario": func() error {
			_, err := s.lead(func(_ *sim.Options, how *Options) { how.Workers = 1 }, "stack.shared={redis: "+redis+"}")
			return err
		},
		"by the brief": func() error {
			_, err := s.lead(func(o *sim.Options, how *Options) { how.Workers, o.Wall.Redis = 1, redis }, "stack.shared=on")
			return err
		},
	} {
		var start *StartError
		if err := lead(); !errors.As(err, &start) || !start.Usage || start.Problem != "worker a: the Redis server of shared limits: not from here" {
			t.Errorf("%s: %v", name, err)
		}
	}
	select {
	case <-came:
		t.Error("the worker connected to a server that is not allowed")
	default:
	}
}

// Ensure the file of authorities is the worker's own, or none.
func TestRedisAuthorities(t *testing.T) {
	for _, c := range []struct{ url, asked, own, ca, problem string }{
		{"redis://127.0.0.1", "", "", "", ""},
		{"rediss://127.0.0.1", "", "", "", ""},
		{"rediss://127.0.0.1", "", "own.pem", "own.pem", ""},
		{"rediss://127.0.0.1", "/etc/shadow", "own.pem", "own.pem", ""},
		{"rediss://127.0.0.1", "/etc/shadow", "", "/etc/shadow", "--redis-ca"},
		{"unix:///run/other.sock", "", "", "", "redis://HOST:PORT"},
	} {
		w := &worker{WorkerConfig: WorkerConfig{RedisCA: c.own, Allowed: func(string) error { return nil }}}
		b := &scenario.SharedBooks{Redis: c.url, CAFile: c.asked}
		err := w.books(b)
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) || b.CAFile != c.ca {
			t.Errorf("%+v: %+v, %v", c, b, err)
		}
	}
}
