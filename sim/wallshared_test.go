package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
	slots "github.com/seed-4fd17b57/simload/stack/limit"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// Ensure a run on the wall clock shares through a real server with a password, leaves nothing behind, and says so when the server is
// not there or does not let it in, without the password.
func TestWallShares(t *testing.T) {
	const password = "hunter2-hunter2"
	server := redistest.Start(t, "--requirepass", password)
	before := goleak.IgnoreCurrent()
	text := sharedText("2s", 40)
	r := wallRun(t, text, Options{Wall: WallOptions{Redis: server.URL(), RedisPassword: password}})
	v := &r.Variants[0]
	if v.Totals.Succeeded == 0 || v.Totals.Succeeded != v.Totals.Requests || !v.Laws.ConservationOK || !v.Laws.BooksAgree {
		t.Errorf("totals %+v, laws %+v", v.Totals, v.Laws)
	}
	goleak.VerifyNone(t, before)
	for _, o := range []WallOptions{{Redis: server.URL(), RedisPassword: password + "x"}, {Redis: "redis://:" + password + "@127.0.0.1:1"}} {
		sc, err := scenario.Parse("wall.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		var gone *StoreError
		if _, err = Run(sc, Options{Mode: scenario.ModeWall, Wall: o}); !errors.As(err, &gone) || strings.Contains(err.Error(), password) {
			t.Errorf("error %v", err)
		}
	}
}

// sharedText is the wall scenario with three stacks that share.
func sharedText(seconds string, agents int) string {
	return strings.Replace(fmt.Sprintf(wallScenario, seconds, agents, 20, "{}"), "stack: {", "stack: {instances: 3, shared: {namespace: wall, lease: 5s}, ", 1)
}

// Ensure every run against a mock has books of its own, as it has a mock of its own, and that the parts of one run have the same; against a provider all runs have the same.
func TestEveryRunHasItsBooks(t *testing.T) {
	server := redistest.Start(t)
	sc, err := scenario.Parse("wall.yaml", []byte(sharedText("1s", 10)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(sc, Options{Mode: scenario.ModeWall, Reps: 2, Wall: WallOptions{Redis: server.URL()}}); err != nil {
		t.Fatal(err)
	}
	o, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	if keys := c.Keys(context.Background(), "{wall.*}:books").Val(); len(keys) != 2 {
		t.Errorf("two runs have the books %v", keys)
	}
	a, b := &WallOptions{Run: "x"}, &WallOptions{Run: "y"}
	if namespaceOf("f", a) != namespaceOf("f", &WallOptions{Run: "x"}) || namespaceOf("f", a) == namespaceOf("f", b) || namespaceOf("f", &WallOptions{Target: "http://x", Run: "x"}) != "f" {
		t.Errorf("namespaces %q, %q", namespaceOf("f", a), namespaceOf("f", b))
	}
	if err := redisstore.CheckNamespace(namespaceOf(strings.Repeat("n", 64), a)); err != nil {
		t.Error(err)
	}
}

// Ensure a run against a provider does not begin beside a fleet with another configuration.
func TestWallSharesWithOthers(t *testing.T) {
	server := redistest.Start(t)
	sc, err := scenario.Parse("wall.yaml", []byte(sharedText("1s", 10)), nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := redisstore.Open(server.URL(), redisstore.Config{Namespace: "wall"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	cfg := sharing.Config{
		Lease: 15 * time.Second, Quiet: sharing.DefaultQuiet, Quotas: []sharing.Quota{{}},
		Targets: []sharing.Target{{Keys: []sharing.KeyUse{{Weight: 1}}, Controller: "static", Limit: slots.Config{Start: 1}}},
	}
	m := &sharing.Message{Member: "a", Batch: 1, Join: true, Config: &cfg, Fingerprint: cfg.Fingerprint()}
	if r, err := store.Exchange(context.Background(), m); err != nil || r.Status != sharing.StatusOK {
		t.Fatal(err, r)
	}
	var other *StoreError
	_, err = Run(sc, Options{Mode: scenario.ModeWall, Wall: WallOptions{Redis: server.URL(), Target: "http://127.0.0.1:1"}})
	if !errors.As(err, &other) || !strings.Contains(err.Error(), "another configuration") || !strings.Contains(other.Hint, "namespace") {
		t.Errorf("error %v", err)
	}
}
