package conformance

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/tidwall/gjson"
)

func askAnthropic(t *testing.T, q question) (r reply) {
	var resp *http.Response
	c := anthropic.NewClient(option.WithBaseURL(q.Base), option.WithAPIKey(q.Key),
		option.WithMaxRetries(q.Retries), option.WithResponseInto(&resp))
	var err error
	switch {
	case q.Want == models:
		err = r.modelsAnthropic(&c)
	case q.Stream:
		err = r.streamAnthropic(&c, q)
	default:
		err = r.chatAnthropic(&c, q)
	}
	r.Failure = failureAnthropic(err)
	r.head(resp, "request-id")
	return r
}

func paramsAnthropic(q question) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: q.Model, MaxTokens: q.MaxOut}
	for i, text := range q.Turns {
		role := anthropic.NewUserMessage
		if i%2 == 1 {
			role = anthropic.NewAssistantMessage
		}
		p.Messages = append(p.Messages, role(anthropic.NewTextBlock(text)))
	}
	return p
}

func (r *reply) chatAnthropic(c *anthropic.Client, q question) error {
	got, err := c.Messages.New(context.Background(), paramsAnthropic(q))
	if err != nil {
		return err
	}
	r.takeAnthropic(got)
	return nil
}

// takeAnthropic adds the prompt up: what was read from the cache, written to it, and neither.
func (r *reply) takeAnthropic(got *anthropic.Message) {
	r.Model, r.Finish = got.Model, string(got.StopReason)
	for _, block := range got.Content {
		r.Text += block.Text
	}
	u := got.Usage
	r.Written = u.CacheCreationInputTokens
	r.Used.In = u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
	r.Used.Cached, r.Used.Out = u.CacheReadInputTokens, u.OutputTokens
}

func (r *reply) streamAnthropic(c *anthropic.Client, q question) error {
	s := c.Messages.NewStreaming(context.Background(), paramsAnthropic(q))
	defer s.Close()
	var whole anthropic.Message
	for s.Next() {
		event := s.Current()
		if err := whole.Accumulate(event); err != nil {
			return err
		}
		if event.Type == "content_block_delta" {
			r.Chunks++
		}
	}
	r.takeAnthropic(&whole)
	return s.Err()
}

func (r *reply) modelsAnthropic(c *anthropic.Client) error {
	list := c.Models.ListAutoPaging(context.Background(), anthropic.ModelListParams{})
	for list.Next() {
		r.Models = append(r.Models, list.Current().ID)
	}
	return list.Err()
}

// failureAnthropic: an error within a stream has the status of the answer that it stands in.
func failureAnthropic(err error) *failure {
	if err == nil {
		return nil
	}
	f := failure{Class: classOf(err), Message: err.Error()}
	var refused *anthropic.Error
	if errors.As(err, &refused) {
		f.Status, f.Type = refused.StatusCode, string(refused.Type())
		body := gjson.Get(refused.RawJSON(), "error")
		f.Message, f.Code = body.Get("message").String(), body.Get("details.error_code").String()
	}
	if f.Status == http.StatusOK {
		f.Status = 0
	}
	return &f
}

func classAnthropic(f failure) string {
	if f.Status == broken {
		return cutOff
	}
	return "*apierror.Error"
}
