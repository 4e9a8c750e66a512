package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// ClientConfig sets up a [Client]. Stack, Endpoints and Secrets are needed; the zero value of
// everything else is a sound choice.
type ClientConfig struct {
	// Stack is the configuration of the core. With Shared, Fleet is needed.
	Stack     Config
	Endpoints []Endpoint // one for each of Stack.Targets
	Secrets   []Secret   // one for each of Stack.Keys
	Pool      PoolConfig
	// Log gets a line for every attempt (debug), for every retry and local refusal (warn) and
	// for every dead letter (error), each with request_id and key_id; nil: none.
	Log      *slog.Logger
	Observer Observer // nil: none
	// DeadLetters gets a line of JSON, in one Write, for every request that ended and did neither succeed
	// nor was cancelled, in the form of an events log that "simload run" can replay; nil: none. Lines
	// are written one after the other, and no caller waits for that: only Close does. Beyond 4096 that
	// wait for a slow writer, letters are lost, and each loss is logged. The first error of the writer
	// is logged, and is the last that is heard of it.
	DeadLetters io.Writer
	// Transport replaces the client's own connection pools; nil: they are built from Pool. It
	// must heed the request's context. The connect time-out is its own business then.
	Transport http.RoundTripper
	// Header may change the headers of an attempt; nil: nobody does. It is called on several
	// goroutines at a time. h holds the key.
	Header func(a *Attempt, h http.Header)
	// Compact returns a prompt shortened to limit tokens, for kinds of requests with a context cap
	// (Kind.Context); nil: prompts are sent whole. It is called once for a call that needs it, on the goroutine of
	// who makes it, and may make calls itself, of a kind without a cap: to have a summary written. Calls for which it
	// returns no prompt that can be written end with ErrInvalid.
	Compact func(p *wire.Prompt, limit int64) *wire.Prompt
	// Tape is told every input of the core, in order and under the client's lock; nil: nobody.
	// See [Core.Apply].
	Tape func(Input)
	// Fleet is where the limits are kept that several processes share; nil: nobody shares them. It sets Stack.Shared.
	Fleet *FleetConfig
	// Origin is instant 0, and not in the future; zero: now.
	Origin time.Time
}

// Endpoint is where a target is reached.
type Endpoint struct {
	BaseURL    string // "https://api.openai.com/v1"; http or https, no query
	Path       string // "": the format's
	Query      string // without "?"; "": none. No place for a key: it is not hidden
	Format     wire.Format
	Model      string // as the vendor names it; "": Target.Name
	AuthHeader string // header that bears the key; "": the format's
	// MaxCompletion sends the limit of the output as max_completion_tokens, as OpenAI's reasoning
	// models want it; see [wire.Request].
	MaxCompletion bool
}

// Observer is told what happens, in order, under the client's lock: it must return quickly and
// must not call the client. What it is given is valid until it returns.
type Observer interface {
	// Sent: an attempt is put on the wire.
	Sent(now time.Duration, a *Attempt)
	// Ended: an attempt has ended, or was taken off the wire.
	Ended(now time.Duration, a *Attempt, s *Step)
	// Done: a request has ended, even if it was refused before the core heard of it (ErrInvalid, ErrClosed, a
	// context that had ended), in which case its Ticket says nothing.
	Done(now time.Duration, r *Result)
}

// check reports everything that is wrong, joined, and no secret.
func (cfg *ClientConfig) check() error {
	var k checker
	if cfg.Stack.Shared && cfg.Fleet == nil {
		k.failf("the stack is shared, and there is no fleet to share it with")
	}
	cfg.Stack.Shared = cfg.Fleet != nil
	if err := cfg.Stack.Validate(); err != nil {
		k.errs = append(k.errs, err)
	}
	cfg.Fleet.check(&k)
	if n, want := len(cfg.Endpoints), len(cfg.Stack.Targets); n != want {
		k.failf("%d endpoints for %d targets (one for each is needed)", n, want)
	} else {
		for i := range cfg.Endpoints {
			w := cfg.request(i)
			w.Prompt = &probePrompt
			if _, err := cfg.Endpoints[i].Format.New(context.Background(), &w); err != nil {
				k.failf("endpoint of target %s: %w", cfg.Stack.Targets[i].Name, err)
			}
		}
	}
	if n, want := len(cfg.Secrets), len(cfg.Stack.Keys); n != want {
		k.failf("%d secrets for %d keys (one for each is needed)", n, want)
	} else {
		for i, s := range cfg.Secrets {
			if err := s.check(); err != nil {
				k.failf("secret of key %s: %w", cfg.Stack.Keys[i].ID, err)
			}
		}
	}
	if cfg.Origin.After(time.Now()) {
		k.failf("origin is in the future (%v)", cfg.Origin)
	}
	cfg.Pool.check(&k)
	if err := errors.Join(k.errs...); err != nil {
		return fmt.Errorf("setting up a client: %w", err)
	}
	return nil
}

// request is what all requests to a target have in common.
func (cfg *ClientConfig) request(target int) wire.Request {
	e := &cfg.Endpoints[target]
	w := wire.Request{
		BaseURL: e.BaseURL, Path: e.Path, Query: e.Query, Model: e.Model, AuthHeader: e.AuthHeader, MaxCompletion: e.MaxCompletion,
	}
	if w.Model == "" {
		w.Model = cfg.Stack.Targets[target].Name
	}
	return w
}

// values is a context that ends with the client's and has the values of the caller's, so that
// a trace goes on through the transport while the caller's cancellation goes through the core.
type values struct {
	context.Context
	caller context.Context
}

// Value looks at the client's first: there is nothing in it but what package context needs.
func (v values) Value(key any) any {
	if x := v.Context.Value(key); x != nil {
		return x
	}
	return v.caller.Value(key)
}
