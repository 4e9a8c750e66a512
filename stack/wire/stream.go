package wire

import (
	"strconv"
	"strings"
)

// maxEvent bounds a line, an event and the text of an answer, in bytes. It is the longest line that
// OpenAI's own SDK for Go takes.
const maxEvent = 32 << 20

// Stream reads a streamed answer as it comes. It is fed bytes, in pieces of any size, and how they are
// cut makes no difference. It holds the text so far and at most an unfinished event, 32 MiB of each.
//
// Only the last event (data: [DONE], or message_stop) makes an answer whole. One that ends without
// it is Broken even if its finish reason and usage have come, because a proxy that gives up in mid-stream
// looks the same; the reply then has them.
//
// A 200 whose Content-Type is JSON, although a stream was asked for, is for ReadReply.
type Stream struct {
	format  Format
	events  events
	text    strings.Builder
	reply   Reply
	usage   anthropicUsage
	problem *Problem
	started bool
	done    bool
}

// NewStream returns a reader for an answer in the format.
func NewStream(f Format) *Stream {
	return &Stream{format: f, events: events{bound: maxEvent}}
}

// Feed takes the next bytes and returns the text that they complete (often none), and whether the
// answer's first token is among what has come so far: text, or a part of a thought or of a
// tool call. It does not keep p. After the end it takes nothing.
func (s *Stream) Feed(p []byte) (text string, started bool) {
	from := s.text.Len()
	for len(p) > 0 && !s.done {
		var whole bool
		if p, whole = s.events.next(p); whole {
			s.take()
		}
		s.checkLength()
	}
	return s.text.String()[from:], s.started
}

// Done reports whether the terminal event, or an error, has come: nothing more is expected.
func (s *Stream) Done() bool { return s.done }

// End returns the answer after the last byte: the whole, or what is wrong with it. The reply holds
// what came until then either way. Its text is longer than what Feed returned if the last event's blank line
// was missing. An error event is a problem of the kind and status that it says of itself; a wait that
// is told as a date is not read from it.
func (s *Stream) End() (Reply, *Problem) {
	if !s.done && s.events.last() {
		s.take()
	}
	s.checkLength()
	if !s.done {
		s.fail(broken("the stream ended without its last event"))
	}
	r := s.reply
	r.Text = s.text.String()
	return r, s.problem
}

// take reads the event that is whole.
func (s *Stream) take() {
	if data := s.events.data; len(data) > 0 {
		if s.format == Anthropic {
			s.anthropic(s.events.name, data)
		} else {
			s.openAI(s.events.name, data)
		}
	}
	s.events.clear()
}

func (s *Stream) checkLength() {
	if !s.done && s.events.long {
		s.fail(broken("an event is longer than " + strconv.Itoa(s.events.bound) + " bytes"))
	}
}

// add appends text to the answer.
func (s *Stream) add(text string) {
	if s.text.Len()+len(text) > s.events.bound {
		s.fail(broken("the text is longer than " + strconv.Itoa(s.events.bound) + " bytes"))
		return
	}
	s.text.WriteString(text)
}

// finish is the last event. One that comes alone ends nothing.
func (s *Stream) finish() {
	if s.reply.Finish == "" && !s.started && !s.reply.HasUsage {
		s.fail(broken("the stream ended with nothing in it"))
		return
	}
	s.done = true
}

// fail ends the stream with a problem. The first one counts.
func (s *Stream) fail(p *Problem) {
	if !s.done {
		s.problem, s.done = p, true
	}
}
