package sim

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"go.uber.org/goleak"
)

// TestMockIsKilledAndComesBack: a run against a mock that is killed in the middle, with calls under
// way, and restarted at the same address: every request ends, once, and service resumes.
func TestMockIsKilledAndComesBack(t *testing.T) {
	sc, err := scenario.Parse("wall.yaml", fmt.Appendf(nil, wallScenario, "3s", 60, 20, "{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := sc.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := first.Addr().String()
	served := make(chan error, 1)
	again, end := context.WithCancel(context.Background())
	defer end()
	go func() {
		life, kill := context.WithTimeout(context.Background(), time.Second)
		defer kill()
		cfg := mockupstream.ServerConfig{Provider: set.Upstream, Grace: time.Millisecond}
		err := serveMock(life, cfg, first)
		time.Sleep(500 * time.Millisecond) // nobody listens
		second, listening := net.Listen("tcp", addr)
		if err != nil || listening != nil {
			served <- fmt.Errorf("%w, %w", err, listening)
			return
		}
		served <- serveMock(again, cfg, second)
	}()
	r := wallRun(t, fmt.Sprintf(wallScenario, "3s", 60, 20, "{}"), Options{Wall: WallOptions{Target: "http://" + addr + "/v1", Secret: stack.NewSecret("k-1")}})
	v := &r.Variants[0]
	if !v.Laws.ConservationOK || v.Totals.InFlight != 0 || v.Totals.Requests < 150 {
		t.Errorf("totals %+v, laws %+v", v.Totals, v.Laws)
	}
	if v.Totals.Retries == 0 || v.Totals.Succeeded < v.Totals.Requests/2 || v.Totals.Succeeded == v.Totals.Requests {
		t.Errorf("the outage left no trace, or nothing but: %+v", v.Totals)
	}
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t)
}

func serveMock(ctx context.Context, cfg mockupstream.ServerConfig, l net.Listener) error {
	s, err := mockupstream.NewServer(cfg)
	if err != nil {
		return err
	}
	return s.Serve(ctx, l)
}
