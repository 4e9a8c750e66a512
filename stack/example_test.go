package stack_test

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// A core driven by hand: two keys, of which the first is refused with a 429. A driver
// does the same with a clock, a timer for NextWake and a connection for each send.
func Example() {
	cfg := stack.Default()
	cfg.Keys = []stack.Key{{ID: "k0"}, {ID: "k1"}}
	cfg.Quotas = []stack.Quota{{Name: "group 0", RPM: 500, TPM: 200_000}, {Name: "group 1", RPM: 500, TPM: 200_000}}
	cfg.Targets = []stack.Target{{
		Name: "model", Vendor: "vendor",
		Keys: []stack.KeyUse{{Key: 0, Quota: 0, Weight: 1}, {Key: 1, Quota: 1, Weight: 1}},
	}}
	cfg.Routes = []stack.Route{{Name: "model", Steps: []stack.RouteStep{{Target: 0}}}}
	core, err := stack.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}

	core.Submit(0, stack.Request{ID: 42, EstIn: 1200, MaxOut: 300})
	refused := core.Effects()[0].Attempt
	fmt.Println("sent on", cfg.Keys[refused.Key].ID)

	core.Finish(200*time.Millisecond, refused.ID, stack.Outcome{Kind: stack.RateLimited, Status: 429})
	fmt.Println("effects while it backs off:", len(core.Effects()))

	now, _ := core.NextWake()
	core.Advance(now)
	again := core.Effects()[0].Attempt
	fmt.Println("sent on", cfg.Keys[again.Key].ID, "as attempt", again.Number)

	core.FirstToken(now+time.Second, again.ID)
	core.Finish(now+3*time.Second, again.ID, stack.Outcome{
		Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 1180, Out: 240},
	})
	r := core.Effects()[0].Result
	fmt.Println(r.Ending, "after", len(r.Steps), "attempts, first token after", r.FirstToken)
	// Output:
	// sent on k0
	// effects while it backs off: 0
	// sent on k1 as attempt 2
	// succeeded after 2 attempts, first token after 1s
}
