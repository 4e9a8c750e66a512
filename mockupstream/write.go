package mockupstream

// writes knows which writes were committed, and which idempotency keys were used. It
// remembers them for as long as the provider lives.
//
// A write is committed at the instant of its first token. The provider need not be
// called at that instant, so the commit is entered when the call ends, if it ends no earlier. Until
// then a second call with its key is a conflict, so the delay is never seen.
type writes struct {
	done map[uint64]struct{}
	// index finds a key's place in keys by a hash of account and key; two that share one,
	// which 64 bits make unlikely, are taken for one.
	index map[uint64]int32
	keys  []keyState
}

// keyState is what became of an idempotency key. Each account of each vendor has its own
// keys, so a retry with another organisation's key is a new write.
type keyState uint8

const (
	keyFree      keyState = iota // never carried out
	keyRunning                   // its call runs
	keyCommitted                 // its call was carried out
)

// noKey is the place of calls that carry none.
const noKey = -1

func newWrites() writes {
	return writes{done: make(map[uint64]struct{}), index: make(map[uint64]int32)}
}

// begin looks a write's idempotency key up: was it carried out (replay), or does its call
// still run (conflict)?
func (w *writes) begin(account int32, c *Call) (replay, conflict bool) {
	if !c.Write || c.IdempotencyKey == 0 {
		return false, false
	}
	i, known := w.index[keyHash(account, c.IdempotencyKey)]
	return known && w.keys[i] == keyCommitted, known && w.keys[i] == keyRunning
}

// run notes that a call with this key now runs, and returns the key's place.
func (w *writes) run(account int32, key uint64) int32 {
	if key == 0 {
		return noKey
	}
	h := keyHash(account, key)
	i, known := w.index[h]
	if !known {
		i = int32(len(w.keys))
		w.keys = append(w.keys, keyFree)
		w.index[h] = i
	}
	w.keys[i] = keyRunning
	return i
}

// commit carries a write out and counts it.
func (w *writes) commit(key int32, write uint64, b *Books) {
	known := len(w.done)
	w.done[write] = struct{}{}
	if len(w.done) == known {
		b.DuplicateWrites++
	} else {
		b.CommittedWrites++
	}
	if key != noKey {
		w.keys[key] = keyCommitted
	}
}

// drop frees the key of a call that ended without being carried out.
func (w *writes) drop(key int32) {
	if key != noKey {
		w.keys[key] = keyFree
	}
}

func keyHash(account int32, key uint64) uint64 {
	return mix(key+golden) ^ mix(uint64(account)+1)
}

// accounts numbers the accounts behind each key and model: one a vendor and group of keys.
// A key without a quota, or whose quota has no group, is an account of its own.
func accounts(cfg *Config) []int32 {
	type account struct{ vendor, group, key string }
	known := map[account]int32{}
	var list []int32
	for _, k := range cfg.Keys {
		for m := range cfg.Models {
			a := account{vendor: cfg.Models[m].Vendor}
			if q := k.Quotas[m]; q >= 0 {
				a.group = cfg.Quotas[q].Group
			}
			if a.group == "" {
				a.key = k.ID
			}
			id, ok := known[a]
			if !ok {
				id = int32(len(known))
				known[a] = id
			}
			list = append(list, id)
		}
	}
	return list
}
