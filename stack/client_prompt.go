package stack

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

var errNoPrompt = errors.New("no prompt")

// probePrompt is one that can be written, to find out whether the rest of a request can.
var probePrompt = wire.Prompt{Messages: []wire.Message{{Role: "user"}}}

// probe reports why a request with a secret and a prompt could not be written, of whatever format and
// wherever it were to be sent. The codec is the judge.
func probe(p *wire.Prompt, secret string) error {
	_, err := wire.OpenAI.New(context.Background(), &wire.Request{BaseURL: "http://probe", Model: "probe", Prompt: p, Secret: secret})
	return err
}

// prepare finds out whether a call's prompt can be written, and shortens it if it is beyond its
// kind's cap, which is when the core sets Attempt.ContextCap.
func (c *Client) prepare(k *call) error {
	if err := writable(k.Prompt); err != nil {
		return err
	}
	c.recite(k)
	if c.cfg.Compact == nil || k.Kind < 0 || k.Kind >= len(c.cfg.Stack.Kinds) {
		return nil
	}
	limit := c.cfg.Stack.Kinds[k.Kind].Context
	if limit == 0 || k.EstIn <= limit {
		return nil
	}
	k.short = c.cfg.Compact(k.Prompt, limit)
	if err := writable(k.short); err != nil {
		return fmt.Errorf("the prompt that Compact made: %w", err)
	}
	return nil
}

// writable reports why a prompt could not be written. Most prompts are seen to be sound at a glance; of the
// others the codec is shown everything but the texts, which are what costs and what it takes as they are.
func writable(p *wire.Prompt) error {
	if p == nil {
		return errNoPrompt
	}
	sound := len(p.Messages) > 0 && p.Temperature == nil && len(p.Extra) == 0
	for i := range p.Messages {
		role := p.Messages[i].Role
		sound = sound && (role == "user" || role == "assistant")
	}
	if sound {
		return nil
	}
	bare := wire.Prompt{Temperature: p.Temperature, Extra: p.Extra, Messages: make([]wire.Message, len(p.Messages))}
	for i := range p.Messages {
		bare.Messages[i].Role = p.Messages[i].Role
	}
	return probe(&bare, "")
}
