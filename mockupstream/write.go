package mockupstream

// writes knows which writes were committed, and which idempotency keys were used. It
// remembers them for as long as the provider lives.
//
// A write is committed at the instant of its first token. The provider need not be
// called at that instant, so the commit is entered when the call ends, if it ends no earlier. Until
// then a second call with its key is a conflict, so the delay is never seen.
type writes struct {
	done map[uint64]struct{}
	keys map[idempotency]CallID // the call that runs, or committed
}

// idempotency is an idempotency key: each account of each vendor has its own, so a retry
// with another organisation's key is a new write.
type idempotency struct {
	account int32
	key     uint64
}

// committed in place of a CallID: the key's call was carried out.
const committed = ^CallID(0)

func newWrites() writes {
	return writes{done: make(map[uint64]struct{}), keys: make(map[idempotency]CallID)}
}

// begin looks a write's idempotency key up: was it carried out (replay), or does its call
// still run (conflict)?
func (w *writes) begin(account int32, c *Call) (replay, conflict bool) {
	if !c.Write || c.IdempotencyKey == 0 {
		return false, false
	}
	id, known := w.keys[idempotency{account, c.IdempotencyKey}]
	return known && id == committed, known && id != committed
}

// run notes that the call with this key now runs.
func (w *writes) run(account int32, key uint64, id CallID) {
	if key != 0 {
		w.keys[idempotency{account, key}] = id
	}
}

// commit carries a write out and counts it.
func (w *writes) commit(account int32, key, write uint64, b *Books) {
	known := len(w.done)
	w.done[write] = struct{}{}
	if len(w.done) == known {
		b.DuplicateWrites++
	} else {
		b.CommittedWrites++
	}
	w.run(account, key, committed)
}

// drop forgets the key of a call that ended without being carried out.
func (w *writes) drop(account int32, key uint64) {
	if key != 0 {
		delete(w.keys, idempotency{account, key})
	}
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

// account is whose idempotency keys a running call's belongs to.
func (p *Provider) account(s *slot) int32 {
	return p.accounts[int(s.key)*len(p.models)+int(s.model)]
}
