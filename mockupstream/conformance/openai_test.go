package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"
)

func askOpenAI(t *testing.T, q question) reply {
	return viaOpenAI(q, option.WithBaseURL(q.Base+"/v1"), option.WithAPIKey(q.Key))
}

// askAzure asks a deployment. What the SDK has for Azure needs Azure's own SDK, so this is by options.
func askAzure(t *testing.T, q question) reply {
	path := "/openai/deployments/" + q.Model
	if q.Want == models {
		path = "/openai/v1"
	}
	return viaOpenAI(q, option.WithBaseURL(q.Base+path), option.WithQuery("api-version", "2024-10-21"),
		option.WithHeader("Api-Key", q.Key))
}

func askDeepSeek(t *testing.T, q question) reply {
	return viaOpenAI(q, option.WithBaseURL(q.Base), option.WithAPIKey(q.Key))
}

func askOpenRouter(t *testing.T, q question) reply {
	return viaOpenAI(q, option.WithBaseURL(q.Base+"/api/v1"), option.WithAPIKey(q.Key))
}

func viaOpenAI(q question, opts ...option.RequestOption) (r reply) {
	var resp *http.Response
	c := openai.NewClient(append(opts, option.WithMaxRetries(q.Retries), option.WithResponseInto(&resp))...)
	var err error
	switch {
	case q.Want == models:
		err = r.modelsOpenAI(&c)
	case q.Want == embed:
		err = r.embedOpenAI(&c, q)
	case q.Stream:
		err = r.streamOpenAI(&c, q)
	default:
		err = r.chatOpenAI(&c, q)
	}
	r.Failure = failureOpenAI(err)
	r.head(resp, "x-request-id", "apim-request-id", "x-generation-id")
	return r
}

// head takes a response's header, and the request's id from the first of some headers that is there.
func (r *reply) head(resp *http.Response, ids ...string) {
	if resp == nil {
		return
	}
	r.Header = map[string]string{}
	for name := range resp.Header {
		r.Header[strings.ToLower(name)] = resp.Header.Get(name)
	}
	for _, id := range ids {
		if r.Request == "" {
			r.Request = r.Header[id]
		}
	}
}

func paramsOpenAI(q question) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: q.Model, MaxCompletionTokens: openai.Int(q.MaxOut)}
	for i, text := range q.Turns {
		message := openai.UserMessage(text)
		if i%2 == 1 {
			message = openai.AssistantMessage(text)
		}
		p.Messages = append(p.Messages, message)
	}
	return p
}

func (r *reply) chatOpenAI(c *openai.Client, q question) error {
	got, err := c.Chat.Completions.New(context.Background(), paramsOpenAI(q))
	if err != nil {
		return err
	}
	r.takeOpenAI(got)
	return nil
}

func (r *reply) takeOpenAI(got *openai.ChatCompletion) {
	r.Model = got.Model
	u := got.Usage
	r.Used.In, r.Used.Out, r.Used.Cached = u.PromptTokens, u.CompletionTokens, u.PromptTokensDetails.CachedTokens
	if len(got.Choices) > 0 {
		r.Text, r.Finish = got.Choices[0].Message.Content, got.Choices[0].FinishReason
	}
}

func (r *reply) streamOpenAI(c *openai.Client, q question) error {
	p := paramsOpenAI(q)
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	s := c.Chat.Completions.NewStreaming(context.Background(), p)
	defer s.Close()
	var whole openai.ChatCompletionAccumulator
	for s.Next() {
		chunk := s.Current()
		if !whole.AddChunk(chunk) {
			return fmt.Errorf("a chunk that does not belong to the others: %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			r.Chunks++
		}
	}
	r.takeOpenAI(&whole.ChatCompletion)
	return s.Err()
}

func (r *reply) modelsOpenAI(c *openai.Client) error {
	list := c.Models.ListAutoPaging(context.Background())
	for list.Next() {
		r.Models = append(r.Models, list.Current().ID)
	}
	return list.Err()
}

func (r *reply) embedOpenAI(c *openai.Client, q question) error {
	got, err := c.Embeddings.New(context.Background(), openai.EmbeddingNewParams{
		Model: q.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: q.Turns}, Dimensions: openai.Int(64),
	})
	if err != nil {
		return err
	}
	r.Model, r.Used.In = got.Model, got.Usage.PromptTokens
	for _, e := range got.Data {
		r.Vectors = append(r.Vectors, e.Embedding)
	}
	return nil
}

func failureOpenAI(err error) *failure {
	if err == nil {
		return nil
	}
	f := failure{Class: classOf(err), Message: err.Error()}
	var refused *openai.Error
	var event *ssestream.StreamError
	switch {
	case errors.As(err, &refused):
		f.Status, f.Type, f.Code, f.Message = refused.StatusCode, refused.Type, refused.Code, refused.Message
	case errors.As(err, &event):
		e := gjson.GetBytes(event.Event.Data, "error")
		f.Type, f.Code, f.Message = e.Get("type").String(), e.Get("code").String(), e.Get("message").String()
	}
	return &f
}

func classOpenAI(f failure) string {
	switch f.Status {
	case 0:
		return "*ssestream.StreamError"
	case broken:
		return cutOff
	}
	return "*apierror.Error"
}
