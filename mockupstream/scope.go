package mockupstream

import "slices"

// scopes holds lists of quotas, one for each key and model, flat.
type scopes struct {
	start []uint32 // list i is flat[start[i]:start[i+1]]
	flat  []int32
}

func (s *scopes) at(cell int) []int32 {
	return s.flat[s.start[cell]:s.start[cell+1]]
}

// newScopes takes the lists from all keys. If all are empty it holds none.
func newScopes(cfg *Config, list func(k Key, model int) []int) scopes {
	s := scopes{start: make([]uint32, 1, len(cfg.Keys)*len(cfg.Models)+1)}
	for _, k := range cfg.Keys {
		for m := range cfg.Models {
			for _, q := range list(k, m) {
				s.flat = append(s.flat, int32(q))
			}
			s.start = append(s.start, uint32(len(s.flat)))
		}
	}
	if len(s.flat) == 0 {
		s.start = nil
	}
	return s
}

// usual returns the quotas that calls of a model count against: none if the key may not use it.
func (k Key) usual(model int) []int {
	if k.Quotas[model] < 0 {
		return nil
	}
	list := []int{k.Quotas[model]}
	if k.Extra != nil {
		list = append(list, k.Extra[model]...)
	}
	return list
}

// longer returns the quotas of long prompts, where those have some of their own.
func (k Key) longer(model int) []int {
	if k.Long == nil {
		return nil
	}
	return k.Long[model]
}

// scope returns the quotas a call counts against; none: the key may not use the model.
func (p *Provider) scope(cell int, m *model, in int64) []int32 {
	if p.usual.start == nil {
		return nil
	}
	if p.long.start != nil && m.cfg.LongFrom > 0 && in > m.cfg.LongFrom {
		if ids := p.long.at(cell); len(ids) > 0 {
			return ids
		}
	}
	return p.usual.at(cell)
}

// quotaDialects returns the dialect of each quota: that of the first model that counts
// against it; -1 where none does.
func (cfg *Config) quotaDialects() []int {
	owners := slices.Repeat([]int{-1}, len(cfg.Quotas))
	for _, k := range cfg.Keys {
		for m := range cfg.Models {
			for _, list := range [][]int{k.usual(m), k.longer(m)} {
				for _, q := range list {
					if owners[q] < 0 {
						owners[q] = int(cfg.Models[m].Dialect)
					}
				}
			}
		}
	}
	return owners
}
