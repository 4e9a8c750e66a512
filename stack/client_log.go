package stack

import (
	"context"
	"log/slog"
)

// Every line of the log says whose it is: request_id, as 16 hexadecimal digits, and key_id, which
// is the key's Config.Keys[k].ID and empty for a request that was never sent.

// logs reports whether lines of a level are wanted.
func (c *Client) logs(level slog.Level) bool {
	return c.log != nil && c.log.Enabled(context.Background(), level)
}

func (c *Client) write(level slog.Level, text string, id RequestID, key int, rest ...slog.Attr) {
	keyID := ""
	if key >= 0 {
		keyID = c.cfg.Stack.Keys[key].ID
	}
	attrs := append([]slog.Attr{slog.String("request_id", id.hex()), slog.String("key_id", keyID)}, rest...)
	c.log.LogAttrs(context.Background(), level, text, attrs...)
}

// logSent tells that an attempt goes on the wire.
func (c *Client) logSent(a *attempt) {
	if c.logs(slog.LevelDebug) {
		c.write(slog.LevelDebug, "attempt sent", a.Request, a.Key,
			slog.String("model", c.cfg.Stack.Targets[a.Target].Name), slog.Int("attempt", a.Number))
	}
}

// logEnded tells how an attempt ended: as a warning if the request goes on.
func (c *Client) logEnded(a *attempt, v *verdict, again bool) {
	level, text := slog.LevelDebug, "attempt ended"
	if again {
		level, text = slog.LevelWarn, "attempt failed, to be tried again"
	}
	if !c.logs(level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("model", c.cfg.Stack.Targets[a.Target].Name), slog.Int("attempt", a.Number),
		slog.String("outcome", v.Kind.String()), slog.Int("status", v.Status),
	}
	if v.HasRetryAfter {
		attrs = append(attrs, slog.Duration("retry_after", v.RetryAfter))
	}
	if v.problem != nil {
		attrs = append(attrs, slog.String("problem", v.problem.Error()))
	}
	if v.fault != nil {
		attrs = append(attrs, slog.String("error", v.fault.Error()))
	}
	c.write(level, text, a.Request, a.Key, attrs...)
}

// mourn logs a call that did not succeed, and writes its dead letter.
func (c *Client) mourn(k *call) {
	r := &k.answer.Result
	key := -1
	if n := len(r.Steps); n > 0 {
		key = r.Steps[n-1].Key
	}
	level, text := slog.LevelError, "dead letter"
	switch r.Ending {
	case Cancelled:
		level, text = slog.LevelDebug, "cancelled"
	case Rejected:
		level, text = slog.LevelWarn, "refused"
	}
	if c.logs(level) {
		c.write(level, text, r.Request.ID, key,
			slog.String("reason", r.Reason.String()), slog.Int("attempts", len(r.Steps)), slog.String("error", k.failure.Error()))
	}
	if r.Ending != Cancelled && c.letters.to != nil && c.letters.post(r) {
		c.busy.Go(c.letters.write)
	}
}

// loseLetter logs that the dead letter of a request is lost, and why.
func (c *Client) loseLetter(id RequestID, err error) {
	if c.logs(slog.LevelError) {
		c.write(slog.LevelError, "dead letters are lost", id, -1, slog.String("error", err.Error()))
	}
}

// logFleet tells that the fleet's store is gone, or back.
func (c *Client) logFleet(gone, other bool, err error) {
	switch {
	case !c.logs(slog.LevelWarn):
	case other:
		c.log.LogAttrs(context.Background(), slog.LevelError, "the fleet's store holds the books of a fleet with another configuration")
	case gone:
		c.log.LogAttrs(context.Background(), slog.LevelWarn, "the fleet's store is gone", slog.String("error", err.Error()), slog.Bool("open", c.cfg.Fleet.Open))
	default:
		c.log.LogAttrs(context.Background(), slog.LevelWarn, "the fleet's store is back")
	}
}
