package sim

import (
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// MockServer is the server of a scenario's upstreams. Beside the scenario's keys, which clients
// name by their ids, it lets in so many whose secret nobody knows, in the order in which they come:
// each has limits of its own, at every vendor like those of the vendor's first key.
func MockServer(set *scenario.Built, guests int) mockupstream.ServerConfig {
	cfg := set.Upstream
	cfg.Keys, cfg.Quotas = slices.Clone(cfg.Keys), slices.Clone(cfg.Quotas)
	known := len(cfg.Keys)
	for g := range guests {
		cfg.Keys = append(cfg.Keys, guest(&cfg, set.Upstream.Keys, fmt.Sprintf("guest-%d", g+1)))
	}
	return mockupstream.ServerConfig{Provider: cfg, Codec: mockupstream.CodecConfig{FirstGuest: known, Guests: guests}}
}

// guest makes a key for all models from the first key that may use each, with quotas of its
// own.
func guest(cfg *mockupstream.Config, keys []mockupstream.Key, id string) mockupstream.Key {
	k := mockupstream.Key{ID: id, Quotas: make([]int, len(cfg.Models)), Extra: make([][]int, len(cfg.Models)), Long: make([][]int, len(cfg.Models))}
	own := map[int]int{} // by the quota that is copied
	copied := func(q int) int {
		if q < 0 {
			return q
		}
		if _, have := own[q]; !have {
			quota := cfg.Quotas[q]
			quota.Name, quota.Group = id+" "+quota.Name, id
			own[q] = len(cfg.Quotas)
			cfg.Quotas = append(cfg.Quotas, quota)
		}
		return own[q]
	}
	row := func(table [][]int, m int) []int {
		if table == nil {
			return nil
		}
		var out []int
		for _, q := range table[m] {
			out = append(out, copied(q))
		}
		return out
	}
	for m := range cfg.Models {
		k.Quotas[m] = -1
		for i := range keys {
			if keys[i].Quotas[m] >= 0 {
				k.Quotas[m] = copied(keys[i].Quotas[m])
				k.Extra[m], k.Long[m] = row(keys[i].Extra, m), row(keys[i].Long, m)
				break
			}
		}
	}
	return k
}
