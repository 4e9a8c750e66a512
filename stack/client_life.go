package stack

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// life tells the core that an attempt lives: its first token at once, what comes after it only as
// often as keeps the core from taking the answer for dead, and no longer once there has been no
// content for SilentGaps gaps. Then it is dead, whatever keeps its connection alive.
type life struct {
	c       *Client
	a       *attempt
	told    time.Duration
	content time.Duration // when the last of it came
}

// sign takes note of bytes that have just come: whether the first token is among what has come so far,
// whether there is content in these, and whether that is all, in which case the verdict will tell.
func (l *life) sign(begun, content, all bool, v *verdict) {
	if !begun {
		return
	}
	now := l.c.now()
	gap := l.c.cfg.Stack.Timeouts.Gap
	if content || !l.a.started {
		l.content = now
	}
	switch {
	case !l.a.started && all:
		v.FirstToken = now
	case !l.a.started:
		l.a.started, l.told = true, now
		l.c.hurry(l.a, InputFirstToken)
	case !all && now-l.told >= gap/4 && now-l.content < SilentGaps*gap:
		l.told = now
		l.c.hurry(l.a, InputProgress)
	}
}

// silent reports whether there has been no text for so long that it is worth to look for other content.
func (l *life) silent() bool {
	return l.a.started && l.c.now()-l.content >= l.c.cfg.Stack.Timeouts.Gap
}

// pulse finds the content of a stream that is no text, thoughts and parts of tool calls, among comments and
// pings. A wire.Stream tells only the first token, so each that is found is followed by a new stream.
// One that begins inside of an event passes over what is left of that.
type pulse struct {
	format wire.Format
	stream *wire.Stream
}

// beats reports whether bytes complete a piece of content.
func (p *pulse) beats(b []byte) bool {
	if p.stream == nil {
		p.stream = wire.NewStream(p.format)
	}
	_, begun := p.stream.Feed(b)
	if begun || p.stream.Done() {
		p.stream = nil
	}
	return begun
}
