package redisstore_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/limit"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// one is books of one key of a request a second, 60 slots.
func one() fleet.Config {
	return fleet.Config{
		Lease: 5 * s, Quiet: 500 * ms,
		Quotas:  []fleet.Quota{{Requests: fleet.Limit{Capacity: 62, Burst: 5 * s, Reserve: 20}}},
		Targets: []fleet.Target{{Keys: []fleet.KeyUse{{Weight: 1}}, Controller: "static", Limit: limit.Config{Start: 60}}},
	}
}

// join is a first message.
func join(cfg *fleet.Config, name string, at time.Duration) *fleet.Message {
	return &fleet.Message{Member: name, Given: at, Batch: 1, Join: true, Config: cfg, Fingerprint: cfg.Fingerprint()}
}

func exchange(t *testing.T, store *redisstore.Store, m *fleet.Message) fleet.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := store.Exchange(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Ensure books come back when the server has forgotten the script, begin anew when it has lost them, and are kept for others
// in other namespaces.
func TestStoreLoadsItsScript(t *testing.T) {
	server := redistest.Start(t)
	c := connect(t, server)
	store, other, cfg := madeUp(t, c), madeUp(t, c), one()
	if r := exchange(t, store, join(&cfg, "a", 10*s)); r.Status != fleet.StatusOK || r.Members != 1 || r.Epoch != 10_000_000 {
		t.Fatalf("joined: %+v", r)
	}
	if err := c.ScriptFlush(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	if r := exchange(t, store, &fleet.Message{Member: "a", Given: 11 * s, Batch: 2, Fingerprint: cfg.Fingerprint()}); r.Status != fleet.StatusOK || r.Now != 11*s {
		t.Errorf("without the script: %+v", r)
	}
	if r := exchange(t, other, &fleet.Message{Member: "a", Given: 1 * s, Batch: 3}); r.Status != fleet.StatusUnknown || r.Members != 0 {
		t.Errorf("in another namespace: %+v", r)
	}
	keys := c.Keys(context.Background(), "*").Val()
	for _, k := range keys {
		if !strings.HasPrefix(k, "{test-") {
			t.Errorf("key %q is outside of the namespace", k)
		}
	}
	if err := c.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	if r := exchange(t, store, &fleet.Message{Member: "a", Given: 12 * s, Batch: 3}); r.Status != fleet.StatusUnknown || r.Epoch != 0 {
		t.Errorf("after a loss: %+v", r)
	}
}

// Ensure who comes with another configuration is turned away while the fleet is alive, and begins anew when it is not.
func TestStoreKnowsItsFleet(t *testing.T) {
	store := madeUp(t, connect(t, redistest.Start(t)))
	cfg, changed := one(), one()
	changed.Quotas[0].Requests.Capacity = 1000
	exchange(t, store, join(&cfg, "a", 10*s))
	if r := exchange(t, store, join(&changed, "b", 11*s)); r.Status != fleet.StatusOther {
		t.Errorf("another configuration: %+v", r)
	}
	exchange(t, store, &fleet.Message{Member: "a", Given: 11 * s, Batch: 2, Fingerprint: cfg.Fingerprint(), Ops: []fleet.Op{{Kind: fleet.OpLeave}}})
	if r := exchange(t, store, join(&changed, "b", 12*s)); r.Status != fleet.StatusOK || r.Epoch != 12_000_000 {
		t.Errorf("after the others have gone: %+v", r)
	}
	// b is silent. As nobody was heard meanwhile, it may be the books that were away: b has another lease.
	if r := exchange(t, store, join(&cfg, "a", 30*s)); r.Status != fleet.StatusOther {
		t.Errorf("after a long silence: %+v", r)
	}
	for at := 32 * s; at < 35*s; at += s {
		if r := exchange(t, store, join(&cfg, "a", at)); r.Status != fleet.StatusOther {
			t.Errorf("at %v, before its lease is over: %+v", at, r)
		}
	}
	if r := exchange(t, store, join(&cfg, "a", 35*s)); r.Status != fleet.StatusOK || r.Members != 1 || r.Epoch != 35_000_000 {
		t.Errorf("after it: %+v", r)
	}
}

// INV-22: a process with another configuration that joins while somebody is alive forgets nobody: what a member held that was killed
// comes back with its lease.
func TestAnotherConfigurationForgetsNobody(t *testing.T) {
	store := madeUp(t, connect(t, redistest.Start(t)))
	cfg, changed := one(), one()
	cfg.Targets[0].Limit.Start = 1
	exchange(t, store, join(&cfg, "b", 10*s))
	m := join(&cfg, "a", 10*s+500*ms)
	m.Ops = []fleet.Op{{Kind: fleet.OpAdopt, ID: 1, Charged: true}} // and is killed
	exchange(t, store, m)
	say := func(batch uint64, at time.Duration) fleet.Reply {
		return exchange(t, store, &fleet.Message{Member: "b", Given: at, Batch: batch, Fingerprint: cfg.Fingerprint()})
	}
	for i := range 3 {
		say(uint64(2+i), 12*s+time.Duration(i)*s)
	}
	if r := exchange(t, store, join(&changed, "c", 16*s)); r.Status != fleet.StatusOther || r.Members != 1 {
		t.Errorf("another configuration: %+v", r)
	}
	if r := say(5, 16*s); r.News == nil || r.News.Gates[0].InFlight != 0 || r.Members != 1 {
		t.Errorf("of the one that was killed there is left: %+v, %+v", r, r.News)
	}
}

// INV-13: new books take nothing over from the old ones: who was a member of those is not one of these, and what it settles does
// not count.
func TestAnotherConfigurationBeginsAnew(t *testing.T) {
	c := connect(t, redistest.Start(t))
	store := madeUp(t, c)
	cfg, changed := one(), one()
	changed.Targets[0].Limit.Start = 7
	m := join(&cfg, "a", 10*s)
	m.Ops = []fleet.Op{{Kind: fleet.OpAdopt, ID: 1, Charged: true}}
	exchange(t, store, m)
	if r := exchange(t, store, &fleet.Message{Member: "look", Given: 10 * s, Probe: true, Fingerprint: changed.Fingerprint()}); r.Status != fleet.StatusOther {
		t.Errorf("a look with another configuration: %+v", r)
	}
	again := join(&changed, "a", 11*s)
	again.Batch = 2
	if r := exchange(t, store, again); r.Status != fleet.StatusOK || r.Members != 1 || r.News.Gates[0].InFlight != 0 {
		t.Errorf("the only one comes with another configuration: %+v", r)
	}
	late := &fleet.Message{Member: "a", Given: 12 * s, Batch: 3, Fingerprint: cfg.Fingerprint(), Ops: []fleet.Op{{Kind: fleet.OpSettle, ID: 1, Unused: true, Signal: -1}}}
	if r := exchange(t, store, late); r.Status != fleet.StatusUnknown {
		t.Errorf("of the old configuration: %+v", r)
	}
	if r := exchange(t, store, &fleet.Message{Member: "a", Given: 12 * s, Batch: 3, Fingerprint: changed.Fingerprint()}); r.Status != fleet.StatusOK {
		t.Errorf("of the new one: %+v", r)
	}
}

// Ensure a fleet that begins on books of one that has gone tries the keys that were dead for that again.
func TestDeadKeysOfAFleetThatIsGone(t *testing.T) {
	store, cfg := madeUp(t, connect(t, redistest.Start(t))), one()
	m := join(&cfg, "a", 10*s)
	m.Ops = []fleet.Op{{Kind: fleet.OpKill}}
	if r := exchange(t, store, m); r.News == nil || len(r.News.Dead) != 1 {
		t.Fatalf("killed: %+v", r)
	}
	if r := exchange(t, store, join(&cfg, "b", 11*s)); r.News == nil || len(r.News.Dead) != 1 {
		t.Errorf("for another of the fleet: %+v", r)
	}
	for _, n := range []string{"a", "b"} {
		exchange(t, store, &fleet.Message{Member: n, Given: 12 * s, Batch: 2, Fingerprint: cfg.Fingerprint(), Ops: []fleet.Op{{Kind: fleet.OpLeave}}})
	}
	m = join(&cfg, "c", 13*s)
	m.Ops = []fleet.Op{{Kind: fleet.OpAsk, ID: 1, Quota: -1}}
	exchange(t, store, m)
	if r := exchange(t, store, &fleet.Message{Member: "c", Given: 15 * s, Batch: 2, Fingerprint: cfg.Fingerprint()}); r.News == nil || len(r.News.Dead) != 0 || len(r.Grants) != 1 {
		t.Errorf("for the next fleet: %+v, %+v", r, r.News)
	}
}

// Ensure a member with a wrong clock cannot move the books' time away from the server's.
func TestStoreHoldsToTheServersClock(t *testing.T) {
	server := redistest.Start(t)
	store, cfg := open(t, server, "clock"), one()
	for i, given := range []time.Duration{0, 1 << 61} {
		r := exchange(t, store, join(&cfg, fmt.Sprint("m", i), given))
		if off := r.Now - r.Clock; off > time.Second || off < -time.Second {
			t.Errorf("given %v: the books are at %v, the server at %v", given, r.Now, r.Clock)
		}
		if off := r.Clock - time.Duration(time.Now().UnixMicro())*time.Microsecond; off > time.Minute || off < -time.Minute {
			t.Errorf("the server's clock is told as %v", r.Clock)
		}
	}
}

// Ensure the member that is granted something by another's exchange is told, and only it.
func TestStoreWakesOne(t *testing.T) {
	server := redistest.Start(t)
	cfg := one()
	cfg.Targets[0].Limit.Start = 1
	cfg.Quotas[0].Requests = fleet.Limit{}
	store := open(t, server, "wake")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	heard := make(chan string, 10)
	for _, name := range []string{"b", "c"} {
		first := true
		ready := make(chan struct{})
		go func() {
			_ = store.Listen(ctx, name, func() {
				if first { // of the connection
					first = false
					close(ready)
					return
				}
				heard <- name
			})
		}()
		<-ready
	}
	say := func(name string, batch, ack uint64, ops ...fleet.Op) fleet.Reply {
		now := time.Duration(time.Now().UnixMicro()) * time.Microsecond
		return exchange(t, store, &fleet.Message{Member: name, Given: now, Batch: batch, Ack: ack, Join: batch == 1, Config: &cfg, Fingerprint: cfg.Fingerprint(), Ops: ops})
	}
	ask := func(id uint64) fleet.Op { return fleet.Op{Kind: fleet.OpAsk, ID: id, Class: 1, Quota: -1} }
	if r := say("a", 1, 0, ask(1)); len(r.Grants) != 1 {
		t.Fatalf("the first is not granted: %+v", r)
	}
	for _, name := range []string{"b", "c"} {
		if r := say(name, 1, 0, ask(1)); len(r.Grants) != 0 {
			t.Fatalf("%s is granted a slot that there is not: %+v", name, r)
		}
	}
	say("a", 2, 1, fleet.Op{Kind: fleet.OpSettle, ID: 1, Signal: -1})
	// b is granted, and c is the head now: both are told, once.
	got := map[string]int{<-heard: 1}
	got[<-heard]++
	if got["b"] != 1 || got["c"] != 1 {
		t.Errorf("told %v", got)
	}
	if r := say("b", 2, 0); len(r.Grants) != 1 {
		t.Errorf("b fetches %+v", r)
	}
	select {
	case name := <-heard:
		t.Errorf("%s is told again", name)
	case <-time.After(50 * time.Millisecond):
	}
}

// Ensure the books work on a cluster: all keys are in one slot.
func TestStoreOnACluster(t *testing.T) {
	server := redistest.Start(t, "--cluster-enabled", "yes")
	plain := connect(t, server)
	ctx := context.Background()
	if err := plain.ClusterAddSlotsRange(ctx, 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{server.Addr()}, DisableIdentity: true})
	defer c.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err := c.Set(ctx, "x", 1, 0).Err(); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	store, cfg := madeUp(t, c), one()
	m := join(&cfg, "a", 10*s)
	m.Ops = []fleet.Op{{Kind: fleet.OpAsk, ID: 1, Quota: -1, Tokens: 5}}
	exchange(t, store, m)
	if r := exchange(t, store, &fleet.Message{Member: "a", Given: 12 * s, Batch: 2, Fingerprint: cfg.Fingerprint()}); len(r.Grants) != 1 {
		t.Errorf("not granted: %+v", r)
	}
}

// authority makes a certificate of 127.0.0.1 that is its own authority.
func authority(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "EC PRIVATE KEY", secret)
}

// Ensure TLS with a CA file and a password work, and that neither a wrong password nor an unknown authority gets in, with
// no password in the error.
func TestStoreOverTLS(t *testing.T) {
	const password = "hunter2-hunter2"
	cert, key := authority(t)
	server := redistest.Start(t, "--tls-port", "{port}", "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no", "--requirepass", password)
	cfg := one()
	try := func(url string, c redisstore.Config) error {
		store, err := redisstore.Open(url, c)
		if err != nil {
			return err
		}
		defer store.Close()
		_, err = store.Exchange(context.Background(), join(&cfg, "a", 0))
		return err
	}
	for _, tt := range []struct {
		name, url string
		cfg       redisstore.Config
		want      string // of the error; "": none
	}{
		{"right", "rediss://" + server.Addr(), redisstore.Config{CAFile: cert, Password: password}, ""},
		{"password in the URL", "rediss://:" + password + "@" + server.Addr(), redisstore.Config{CAFile: cert}, ""},
		{"wrong password", "rediss://" + server.Addr(), redisstore.Config{CAFile: cert, Password: password + "x"}, "WRONGPASS"},
		{"no password", "rediss://" + server.Addr(), redisstore.Config{CAFile: cert}, "auth"},
		{"unknown authority", "rediss://:" + password + "@" + server.Addr(), redisstore.Config{}, "certificate"},
		{"no TLS", "redis://:" + password + "@" + server.Addr(), redisstore.Config{}, "books"},
		{"CA without TLS", "redis://:" + password + "@" + server.Addr(), redisstore.Config{CAFile: cert}, "rediss"},
		{"no CA file", "rediss://" + server.Addr(), redisstore.Config{CAFile: key + ".none"}, "CA file"},
		{"CA file of something else", "rediss://" + server.Addr(), redisstore.Config{CAFile: key}, "no certificate"},
		{"no URL", "http://:" + password + "@x", redisstore.Config{}, "not one of redis"},
		{"namespace", "redis://x", redisstore.Config{Namespace: "a b"}, "namespace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := try(tt.url, tt.cfg)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			case err != nil && strings.Contains(err.Error(), password):
				t.Errorf("the password is in %q", err)
			}
		})
	}
}

// Ensure every key goes by itself when the fleet is gone for good, whatever it was doing last.
func TestEveryKeyExpires(t *testing.T) {
	c := connect(t, redistest.Start(t))
	ctx := context.Background()
	store, cfg := madeUp(t, c), one()
	cfg.Targets[0].Controller = "aimd"
	cfg.Targets[0].Limit = limit.Config{Start: 2, Min: 1, Max: 4, Interval: s, Low: 100 * ms, High: s, Samples: 8, MinSamples: 3, IncreasePercent: 150, DecreasePercent: 50}
	say := func(name string, at time.Duration, batch uint64, ops ...fleet.Op) fleet.Reply {
		return exchange(t, store, &fleet.Message{Member: name, Given: at, Batch: batch, Join: batch == 1, Config: &cfg, Fingerprint: cfg.Fingerprint(), Ops: ops})
	}
	ask := func(id uint64) fleet.Op { return fleet.Op{Kind: fleet.OpAsk, ID: id, Class: 1, Quota: -1, Tokens: 5} }
	seen := map[string]bool{}
	check := func() {
		t.Helper()
		for _, k := range c.Keys(ctx, "*").Val() {
			if ttl := c.TTL(ctx, k).Val(); ttl <= 0 || ttl > 48*time.Hour {
				t.Errorf("%s is kept for %v", k, ttl)
			}
			seen[strings.Split(strings.SplitN(k, "}:", 2)[1], ":")[min(1, strings.Count(k, ":")-1)]] = true
		}
	}
	say("a", 10*s, 1, ask(1), ask(2), ask(3))
	check()
	say("b", 12*s, 1, ask(1))
	check()
	say("b", 14*s, 2, fleet.Op{Kind: fleet.OpKill, Key: 9})
	check()
	say("a", 14*s, 2, fleet.Op{Kind: fleet.OpSettle, ID: 1, Signal: 200 * ms})
	check()
	for _, kind := range []string{"books", "bins", "leases", "line", "member", "box", "samples"} {
		if !seen[kind] {
			t.Errorf("there was no key of kind %s in %v", kind, seen)
		}
	}
}

// Ensure books go on of which the server has evicted something: a place without its request is passed over, and windows without
// bins are empty, without a burst.
func TestBooksOutliveEviction(t *testing.T) {
	c := connect(t, redistest.Start(t))
	ctx := context.Background()
	store, cfg := madeUp(t, c), one()
	cfg.Quotas[0].Requests.Reserve = 0
	space := strings.TrimSuffix(strings.TrimPrefix(store.String(), "redisstore.Store("), "books)")
	say := func(name string, at time.Duration, batch, ack uint64, ops ...fleet.Op) fleet.Reply {
		return exchange(t, store, &fleet.Message{Member: name, Given: at, Batch: batch, Ack: ack, Join: batch == 1, Config: &cfg, Fingerprint: cfg.Fingerprint(), Ops: ops})
	}
	ask := func(id uint64) fleet.Op { return fleet.Op{Kind: fleet.OpAsk, ID: id, Class: 1, Quota: -1} }
	say("a", 10*s, 1, 0, ask(1))
	say("b", 10*s, 1, 0, ask(1))
	if n := c.Del(ctx, space+"books:member:a").Val(); n != 1 {
		t.Fatal("there is no such key")
	}
	if r := say("b", 12*s, 2, 0); len(r.Grants) != 1 || r.Grants[0].ID != 1 {
		t.Errorf("behind a place without a request: %+v", r)
	}
	full := fleet.Op{Kind: fleet.OpCharge, Taken: 12 * s, Requests: 61}
	if r := say("b", 14*s, 3, 1, full, ask(2)); len(r.Grants) != 0 {
		t.Fatalf("granted from a full window: %+v", r)
	}
	if n := c.Del(ctx, space+"bins").Val(); n != 1 {
		t.Fatal("there is no such key")
	}
	// Nobody is granted anything at once, and one a second from then on.
	say("b", 15*s, 4, 1, ask(3), ask(4), ask(5))
	n, ack := 0, uint64(1)
	for i := range 20 {
		for _, g := range say("b", 15*s+time.Duration(i)*100*ms, uint64(5+i), ack).Grants {
			n, ack = n+1, max(ack, g.Number)
		}
	}
	if n < 1 || n > 2 {
		t.Errorf("%d granted in 2 s after the bins were lost", n)
	}
}

// Ensure books of very many quotas are written: one call of the server's takes only about 8000 values.
func TestBooksOfManyQuotas(t *testing.T) {
	store, cfg := madeUp(t, connect(t, redistest.Start(t))), one()
	const many = 5000
	cfg.Quotas = make([]fleet.Quota, many)
	cfg.Targets[0].Keys = nil
	m := join(&cfg, "a", 10*s)
	for q := range many {
		cfg.Quotas[q].Requests = fleet.Limit{Capacity: 62, Burst: 5 * s}
		cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, fleet.KeyUse{Key: q, Quota: q, Weight: 1})
		m.Ops = append(m.Ops, fleet.Op{Kind: fleet.OpCharge, Quota: q, Taken: 10 * s, Requests: 1})
	}
	m.Fingerprint = cfg.Fingerprint()
	if r := exchange(t, store, m); r.Status != fleet.StatusOK {
		t.Errorf("%+v", r)
	}
}
