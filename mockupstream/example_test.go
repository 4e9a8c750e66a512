package mockupstream_test

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// One key of three requests a minute: the fourth call is told to wait for one slot.
func Example() {
	p, err := mockupstream.New(mockupstream.Config{
		Models: []mockupstream.Model{{
			Name: "small", Vendor: "acme",
			Latency: mockupstream.Latency{Base: 300 * time.Millisecond, PerOutputToken: 10 * time.Millisecond},
		}},
		Quotas: []mockupstream.Quota{{Name: "acme/small", RPM: 3, TPM: 40_000}},
		Keys:   []mockupstream.Key{{ID: "k1", Quotas: []int{0}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range uint64(4) {
		plan := p.Admit(0, mockupstream.Call{ID: id, Attempt: 1, In: 500, MaxOut: 100, Out: 21})
		if plan.Status != 200 {
			fmt.Println(plan.Status, "retry after", plan.RetryAfter)
			continue
		}
		usage := p.Complete(plan.End, plan.ID)
		fmt.Println(plan.Status, "first token", plan.FirstToken, "end", plan.End, "out", usage.Out)
	}
	// Output:
	// 200 first token 300ms end 500ms out 21
	// 200 first token 800ms end 1s out 21
	// 200 first token 1.3s end 1.5s out 21
	// 429 retry after 18.5s
}
