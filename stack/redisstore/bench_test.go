package redisstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

func TestQuick(t *testing.T) {
	server := redistest.Start(t)
	for _, n := range []int{1, 8} {
		for _, par := range []int{1, 16, 128} {
			var clients []*stack.Client
			for i := range n {
				c := newClient(t, clientConfig(20, vendor{}), stack.FleetConfig{Store: open(t, server, fmt.Sprintf("q-%d-%d", n, par)), Name: fmt.Sprint("c", i)})
				clients = append(clients, c)
			}
			for _, c := range clients {
				_, err := c.Do(context.Background(), ask(1))
				if err != nil {
					t.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			start := time.Now()
			total := 4000
			for i, c := range clients {
				for w := range max(1, par/n) {
					wg.Go(func() {
						for k := range total / (n * max(1, par/n)) {
							if _, err := c.Do(context.Background(), ask(i*1e6+w*10000+k)); err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			wg.Wait()
			el := time.Since(start)
			t.Logf("%d clients, %d in parallel: %d calls in %v: %.0f/s", n, par, total, el, float64(total)/el.Seconds())
			for _, c := range clients {
				_ = c.Close()
			}
		}
	}
}
