package scenario

import (
	"net/url"
	"time"

	"github.com/seed-4fd17b57/simload/stack/redisstore"
)

// SharedBooks says where the books are that the instances of a stack share.
type SharedBooks struct {
	Latency   time.Duration // there and back, in virtual time
	Redis     string        // URL, without a password; "": in this process
	CAFile    string
	Namespace string
	Lease     time.Duration // 0: the default
	Open      bool          // go on alone while the store is gone
}

// defaultLatency is the way to a store in the same network and back, with its work: 90 to 120 us over loopback, as much again
// of a network.
const defaultLatency = 500 * time.Microsecond

// shared has the instances share their books.
func (c *compiler) shared() {
	s := &c.spec.Stack.Shared
	if !s.Given || c.spec.Stack.Client == "none" {
		return
	}
	f := &s.Form
	b := &SharedBooks{Latency: defaultLatency, Redis: f.Redis, CAFile: f.CA, Namespace: "simload", Open: f.WhenGone == "open"}
	setDuration(&b.Latency, f.Latency)
	setDuration(&b.Lease, f.Lease)
	set(&b.Namespace, f.Namespace)
	if redisstore.CheckNamespace(b.Namespace) != nil {
		c.fail(problem{"not a namespace", c.found("stack", "shared", "namespace"), "1 to 64 letters, digits, dots, dashes and underscores", "write fleet-1"}, "stack", "shared", "namespace")
	}
	if f.Redis != "" {
		c.redis(f.Redis)
	}
	c.sharedControllers()
	c.out.Shared, c.out.Stack.Shared = b, true
}

// redis looks at the store's URL, and does not repeat it, as it may hold a password.
func (c *compiler) redis(text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || (u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix") || u.Scheme != "unix" && u.Host == "":
		c.fail(problem{"not the URL of a Redis server", "something else", "redis://HOST:PORT/DB, or rediss:// for TLS", "write redis://127.0.0.1:6379"}, "stack", "shared", "redis")
	case u.User != nil:
		if _, has := u.User.Password(); has {
			c.fail(problem{"a password in a scenario", "one (not shown)", "a URL without", "set SIMLOAD_REDIS_PASSWORD, or pass the URL with --redis"}, "stack", "shared", "redis")
		}
	}
}

// sharedControllers sees to it that a store can keep the limits.
func (c *compiler) sharedControllers() {
	hint := "share static or aimd, or leave shared off"
	if k := c.out.Stack.Concurrency.Controller; k != "static" && k != "aimd" {
		c.fail(problem{"a limit that cannot be shared", k, "static, aimd", hint}, "stack", "concurrency", "controller")
	}
	t := &c.spec.Stack.Targets
	for i, name := range t.Names {
		if own := t.Values[i].Concurrency; own != nil && own.Controller != nil && *own.Controller != "static" && *own.Controller != "aimd" {
			c.fail(problem{"a limit that cannot be shared", *own.Controller, "static, aimd", hint}, "stack", "targets", name, "concurrency", "controller")
		}
	}
}
