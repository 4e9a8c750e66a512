package semcache_test

import (
	"fmt"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/semcache"
)

// prompt n of a fleet that asks much the same in many ways.
func prompt(n int) string {
	verbs := []string{"Summarise", "Translate", "Review", "Explain", "Rewrite", "Classify"}
	things := []string{"the minutes of meeting", "the abstract of paper", "the log of job", "the contract of client", "the ticket of user"}
	return fmt.Sprintf("%s %s %d for a reader who has little time and wants section %d in detail.", verbs[n%len(verbs)], things[n/7%len(things)], n*7919%100_003, n%37)
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		cfg := semcache.Default()
		cfg.Threshold = 0.99
		c, err := semcache.New[uint64](cfg)
		if err != nil {
			b.Fatal(err)
		}
		key := semcache.Key{Tenant: 1}
		for i := range n {
			c.Store(0, key, prompt(i), uint64(i), 100, 100)
		}
		b.Run(fmt.Sprintf("entries=%d/exact", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, ok := c.Lookup(1, key, prompt42); !ok {
					b.Fatal("missed")
				}
			}
		})
		b.Run(fmt.Sprintf("entries=%d/miss", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, ok := c.Lookup(1, key, "How many moons has Jupiter, and which of them did Galileo see in the winter of 1610?"); ok {
					b.Fatal("hit")
				}
			}
		})
	}
}

var prompt42 = prompt(42)

func BenchmarkStoreFull(b *testing.B) {
	cfg := semcache.Default()
	c, err := semcache.New[uint64](cfg)
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, 2*cfg.Entries)
	for i := range texts {
		texts[i] = prompt(i)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		c.Store(0, semcache.Key{}, texts[n%len(texts)], 1, 100, 100)
		n++
	}
}

func BenchmarkEmbed(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(prompt42)))
	for b.Loop() {
		semcache.NGrams{}.Embed(prompt42)
	}
}
