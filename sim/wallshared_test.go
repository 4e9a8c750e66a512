package sim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
	"go.uber.org/goleak"
)

// Ensure a run on the wall clock shares through a real server with a password, leaves nothing behind, and says so when the server is
// not there or does not let it in, without the password.
func TestWallShares(t *testing.T) {
	const password = "hunter2-hunter2"
	server := redistest.Start(t, "--requirepass", password)
	before := goleak.IgnoreCurrent()
	text := strings.Replace(fmt.Sprintf(wallScenario, "2s", 40, 20, "{}"), "stack: {", "stack: {instances: 3, shared: {namespace: wall, lease: 5s}, ", 1)
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
