package semcache_test

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/stack/semcache"
)

func Example() {
	cfg := semcache.Default()
	cfg.Threshold = 0.9
	cache, err := semcache.New[string](cfg)
	if err != nil {
		panic(err)
	}
	key := semcache.Key{Tenant: 7, Model: 1, Params: 0xfeed} // hash of system prompt, tools, temperature
	ask := func(now time.Duration, key semcache.Key, prompt string) {
		if e, similarity, ok := cache.Lookup(now, key, prompt); ok {
			fmt.Printf("%v: hit, similarity %.2f: %s\n", now, similarity, e.Value)
			return
		}
		fmt.Printf("%v: miss\n", now)
		reply, answer := "Paris.", semcache.Answer{OK: true} // of a call
		if answer.Cacheable() {
			cache.Store(now, key, prompt, reply, 14, 3)
		}
	}
	ask(0, key, "Which city is the capital of the French Republic?")
	ask(time.Second, key, " Which city is the capital of the French Republic?\n")
	ask(2*time.Second, key, "which city is the capital of the French republic")
	ask(3*time.Second, semcache.Key{Tenant: 8, Model: 1, Params: 0xfeed}, "Which city is the capital of the French Republic?")
	ask(time.Hour, key, "Which city is the capital of the French Republic?")
	fmt.Println("tokens saved:", cache.Counts().TokensIn, "in,", cache.Counts().TokensOut, "out")
	// Output:
	// 0s: miss
	// 1s: hit, similarity 1.00: Paris.
	// 2s: hit, similarity 0.97: Paris.
	// 3s: miss
	// 1h0m0s: miss
	// tokens saved: 28 in, 6 out
}
