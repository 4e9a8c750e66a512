package mockupstream

import (
	"fmt"
	"time"
)

// Bounds of what a Config may say. They keep every sum within its integer.
const (
	maxLimit   = 1_000_000_000_000         // requests or tokens a minute
	maxInstant = 10 * 365 * 24 * time.Hour // of a script
	minEvery   = time.Millisecond
	maxPerStep = time.Hour // one term of a latency
	maxFactor  = 1e6
)

// Validate checks the whole configuration and returns the first fault found, named by
// its path, with what was found and what is allowed.
func (cfg *Config) Validate() error {
	if y := cfg.Epoch.Year(); !cfg.Epoch.IsZero() && (y < 2000 || y > 2100) {
		return fmt.Errorf("epoch: found the year %d, allowed: 2000 to 2100", y)
	}
	seen := make(map[[2]string]bool)
	for i := range cfg.Models {
		m := &cfg.Models[i]
		at := fmt.Sprintf("model %d (%q)", i, m.Name)
		if err := m.validate(at); err != nil {
			return err
		}
		if id := [2]string{m.Vendor, m.Name}; seen[id] {
			return fmt.Errorf("%s: name: used twice for vendor %q", at, m.Vendor)
		} else {
			seen[id] = true
		}
	}
	for i := range cfg.Quotas {
		q := &cfg.Quotas[i]
		if err := q.validate(fmt.Sprintf("quota %d (%q)", i, q.Name)); err != nil {
			return err
		}
	}
	if err := cfg.validateKeys(); err != nil {
		return err
	}
	if err := cfg.validateDialects(); err != nil {
		return err
	}
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		if err := f.validate(fmt.Sprintf("fault %d (%q)", i, f.Name), cfg); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) validate(at string) error {
	if m.Name == "" {
		return fmt.Errorf("%s: name: must not be empty", at)
	}
	l := &m.Latency
	err := firstOf(
		between(at+": dialect", m.Dialect, DialectOpenAI, DialectOpenRouter),
		between(at+": context window", m.ContextWindow, 0, maxLimit),
		between(at+": max output", m.MaxOutput, 0, maxLimit),
		between(at+": latency: base", l.Base, 0, maxPerStep),
		between(at+": latency: per prompt token", l.PerPromptToken, 0, maxPerStep),
		between(at+": latency: per cached token", l.PerCachedToken, 0, maxPerStep),
		between(at+": latency: per output token", l.PerOutputToken, 0, maxPerStep),
		between(at+": latency: refusal", l.Refusal, 0, maxPerStep),
		within(at+": latency: first token sigma", l.FirstTokenSigma, 0, 5),
		within(at+": latency: output sigma", l.OutputSigma, 0, 5),
		l.FirstTokenFactors.validate(at+": latency: first token factors"),
		l.OutputFactors.validate(at+": latency: output factors"),
		within(at+": latency: load", l.Load, 0, 1000),
		between(at+": cache: min tokens", m.Cache.MinTokens, 0, maxLimit),
		between(at+": cache: block", m.Cache.Block, 0, maxLimit),
		between(at+": cache: ttl", m.Cache.TTL, 0, maxInstant),
		between(at+": max wait", m.MaxWait, 0, maxInstant),
		between(at+": heartbeat", m.Heartbeat, 0, maxInstant),
		between(at+": long from", m.LongFrom, 0, maxLimit),
		m.Price.validate(at+": price"),
	)
	if err != nil {
		return err
	}
	if m.Cache.Block > 0 && m.Cache.TTL == 0 {
		return fmt.Errorf("%s: cache: ttl: must be above 0 where block is", at)
	}
	if m.Heartbeat > 0 && m.Heartbeat < time.Millisecond {
		return fmt.Errorf("%s: heartbeat: found %v, must be 0 (none) or at least 1ms", at, m.Heartbeat)
	}
	last := time.Duration(-1)
	for i, s := range m.Capacity {
		step := fmt.Sprintf("%s: capacity[%d]", at, i)
		if err := firstOf(between(step+": at", s.At, 0, maxInstant), between(step+": slots", s.Slots, 0, maxLimit)); err != nil {
			return err
		}
		if s.At <= last {
			return fmt.Errorf("%s: at: found %v, must be later than the step before (%v)", step, s.At, last)
		}
		last = s.At
	}
	return nil
}

func (f *Fault) validate(at string, cfg *Config) error {
	err := firstOf(
		between(at+": kind", f.Kind, FaultBurst429, FaultNoCredit),
		between(at+": at", f.At, 0, maxInstant),
		between(at+": for", f.For, 1, maxInstant),
		between(at+": every", f.Every, 0, maxInstant),
		within(at+": share", f.Share, 0, 1),
		between(at+": mode", f.Mode, RetryAfterFixed, RetryAfterWrong),
		between(at+": retry after", f.RetryAfter, 0, maxInstant),
	)
	if err != nil {
		return err
	}
	if f.Every > 0 && f.Every < max(f.For, minEvery) {
		return fmt.Errorf("%s: every: found %v, must be 0 (once) or at least %v", at, f.Every, max(f.For, minEvery))
	}
	for i, m := range f.Models {
		if err := between(fmt.Sprintf("%s: models[%d]", at, i), m, 0, len(cfg.Models)-1); err != nil {
			return err
		}
	}
	for i, k := range f.Keys {
		if err := between(fmt.Sprintf("%s: keys[%d]", at, i), k, 0, len(cfg.Keys)-1); err != nil {
			return err
		}
	}
	return f.validateKind(at)
}

// validateKind checks the fields that only some kinds read.
func (f *Fault) validateKind(at string) error {
	switch f.Kind {
	case FaultCutLimit:
		if !(f.Factor > 0 && f.Factor < 1) {
			return fmt.Errorf("%s: factor: found %v, a limit cut needs one between 0 and 1, both excluded", at, f.Factor)
		}
		if f.Share != 1 {
			return fmt.Errorf("%s: share: found %v, must be 1: a limit cut changes quotas, not single calls", at, f.Share)
		}
	case FaultSlowdown:
		if !(f.Factor > 1 && f.Factor <= maxFactor) {
			return fmt.Errorf("%s: factor: found %v, a slow-down needs one above 1, at most %g", at, f.Factor, float64(maxFactor))
		}
	case FaultError:
		switch f.Status {
		case 500, 502, 503, 504, 529:
		default:
			return fmt.Errorf("%s: status: found %d, allowed: 500, 502, 503, 504, 529", at, f.Status)
		}
	case FaultStreamError:
		switch f.Status {
		case 429, 500, 502, 503, 504, 529:
		default:
			return fmt.Errorf("%s: status: found %d, allowed: 429, 500, 502, 503, 504, 529", at, f.Status)
		}
	}
	return nil
}
