package mockupstream

import (
	"fmt"
	"math"
	"slices"
	"time"
)

func (q *Quota) validate(at string) error {
	err := firstOf(
		between(at+": rpm", q.RPM, 0, maxLimit),
		between(at+": tpm", q.TPM, 0, maxLimit),
		between(at+": otpm", q.OTPM, 0, maxLimit),
		between(at+": rpd", q.RPD, 0, maxLimit),
		between(at+": tpd", q.TPD, 0, maxLimit),
		between(at+": concurrency", q.Concurrency, 0, maxLimit),
		between(at+": spend", q.Spend, 0, most),
		between(at+": slope: from", q.Slope.From, 0, maxLimit),
		within(at+": slope: growth", q.Slope.Growth, 0, maxFactor),
		between(at+": slope: over", q.Slope.Over, 0, maxInstant),
	)
	if err != nil {
		return err
	}
	if q.Quantum < 0 || q.Quantum > time.Minute || q.Quantum > 0 && (q.Quantum%time.Millisecond != 0 || time.Minute%q.Quantum != 0) {
		return fmt.Errorf("%s: quantum: found %v, allowed: 0, or whole milliseconds that a minute is a multiple of", at, q.Quantum)
	}
	if q.Slope.Over%time.Minute != 0 {
		return fmt.Errorf("%s: slope: over: found %v, allowed: whole minutes", at, q.Slope.Over)
	}
	return nil
}

func (p *Price) validate(at string) error {
	err := between(at+": long from", p.LongFrom, 0, maxLimit)
	for _, r := range []Rates{p.Rates(false), p.Long} {
		err = firstOf(err,
			between(at+": input", r.Input, 0, most), between(at+": cached", r.Cached, 0, most),
			between(at+": output", r.Output, 0, most), between(at+": cache write", r.CacheWrite, 0, most))
	}
	return err
}

func (cfg *Config) validateKeys() error {
	ids := make(map[string]bool)
	for i, k := range cfg.Keys {
		at := fmt.Sprintf("key %d (%q)", i, k.ID)
		if k.ID == "" || ids[k.ID] {
			return fmt.Errorf("%s: id: empty or used twice", at)
		}
		ids[k.ID] = true
		if len(k.Quotas) != len(cfg.Models) {
			return fmt.Errorf("%s: quotas: found %d, need one for each of the %d models (-1: the key may not use it)", at, len(k.Quotas), len(cfg.Models))
		}
		for m, q := range k.Quotas {
			if err := between(fmt.Sprintf("%s: quotas[%d]", at, m), q, -1, len(cfg.Quotas)-1); err != nil {
				return err
			}
		}
		if err := firstOf(cfg.validateRows(at+": extra", k, k.Extra), cfg.validateRows(at+": long", k, k.Long)); err != nil {
			return err
		}
	}
	return nil
}

// validateRows checks Key.Extra or Key.Long.
func (cfg *Config) validateRows(at string, k Key, rows [][]int) error {
	if rows != nil && len(rows) != len(cfg.Models) {
		return fmt.Errorf("%s: found %d rows, need none, or one for each of the %d models", at, len(rows), len(cfg.Models))
	}
	for m, row := range rows {
		for i, q := range row {
			at := fmt.Sprintf("%s[%d][%d]", at, m, i)
			if err := between(at, q, 0, len(cfg.Quotas)-1); err != nil {
				return err
			}
			if k.Quotas[m] < 0 {
				return fmt.Errorf("%s: the key may not use this model (quotas[%d] is -1)", at, m)
			}
			if slices.Contains(row[:i], q) {
				return fmt.Errorf("%s: quota %d is there twice", at, q)
			}
		}
	}
	for m := range min(len(k.Extra), len(k.Quotas)) {
		if slices.Contains(k.Extra[m], k.Quotas[m]) {
			return fmt.Errorf("%s[%d]: quota %d is in quotas already", at, m, k.Quotas[m])
		}
	}
	return nil
}

// validateDialects checks that a quota's models speak one dialect, and that it knows the quota's limits.
func (cfg *Config) validateDialects() error {
	owners := cfg.quotaDialects()
	for _, k := range cfg.Keys {
		for m := range cfg.Models {
			for _, q := range append(k.usual(m), k.longer(m)...) {
				if d := Dialect(owners[q]); d != cfg.Models[m].Dialect {
					return fmt.Errorf("quota %d (%q): dialect: models of %v and of %v count against it, need one dialect", q, cfg.Quotas[q].Name, d, cfg.Models[m].Dialect)
				}
			}
		}
	}
	for i, owner := range owners {
		if owner < 0 {
			continue
		}
		q := &cfg.Quotas[i]
		for _, l := range []struct {
			meter Meter
			field string
			set   bool
		}{
			{MeterRequests, "rpm", q.RPM > 0},
			{MeterTokens, "tpm", q.TPM > 0},
			{MeterOutput, "otpm", q.OTPM > 0},
			{MeterDayRequests, "rpd", q.RPD > 0},
			{MeterDayTokens, "tpd", q.TPD > 0},
			{MeterBurst, "quantum", q.Quantum > 0},
			{MeterSlope, "slope", q.Slope.From > 0},
			{MeterConcurrency, "concurrency", q.Concurrency > 0},
			{MeterSpend, "spend", q.Spend > 0},
		} {
			if l.set && !dialects[owner].knows.Has(l.meter) {
				return fmt.Errorf("quota %d (%q): %s: the %v dialect has no such limit", i, q.Name, l.field, Dialect(owner))
			}
		}
	}
	return nil
}

func between[T ~int | ~int64 | ~uint8](field string, v, low, high T) error {
	if v < low || v > high {
		return fmt.Errorf("%s: found %v, allowed: %v to %v", field, v, low, high)
	}
	return nil
}

func within(field string, v, low, high float64) error {
	if math.IsNaN(v) || v < low || v > high {
		return fmt.Errorf("%s: found %v, allowed: %v to %v", field, v, low, high)
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
