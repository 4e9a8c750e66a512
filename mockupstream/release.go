package mockupstream

import "time"

// release tells a call's quotas that it ended, and what it was billed.
func (p *Provider) release(id CallID, m *model, s *slot, u *Usage) {
	var price int64
	if u.In > 0 || u.Out > 0 {
		price = m.cfg.Price.Rates(s.long).Cost(*u, s.written)
	}
	for _, i := range p.scope(int(s.key)*len(p.models)+int(s.model), m, s.in) {
		q := &p.quotas[i]
		if !q.tracked {
			continue
		}
		q.open--
		q.spent = plus(q.spent, price)
		if s.mode != modeAnswer && s.mode != modeLost {
			continue
		}
		q.drain(p.now)
		if s.correction != 0 {
			q.tokens.correct(s.correction)
			q.minute(s.at).Tokens += s.correction
		}
		if q.fluid != nil {
			if p.now < s.end {
				q.fluid.stop(p.now, id, s.first, s.end, s.out, u.Out)
			}
			q.enter(p.now, s, u.Out)
		}
	}
}

// enter books an answer's tokens into the minutes they were made in.
func (q *quota) enter(now time.Duration, s *slot, out int64) {
	until := min(now, s.end)
	var before int64
	for at := s.first.Truncate(time.Minute) + time.Minute; at < until; at += time.Minute {
		made := min(out, s.produced(at))
		q.minute(at - 1).Output += made - before
		before = made
	}
	q.minute(until).Output += out - before
}
