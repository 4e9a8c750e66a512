package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	up "github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/tidwall/gjson"
	"google.golang.org/genai"
)

func askGemini(t *testing.T, q question) (r reply) {
	c, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: q.Key, Backend: genai.BackendGeminiAPI, HTTPOptions: optionsGemini(q),
	})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case q.Want == models:
		err = r.modelsGemini(c)
	case q.Stream:
		err = r.streamGemini(c, q)
	default:
		err = r.chatGemini(c, q)
	}
	r.Failure = failureGemini(err)
	if r.Failure != nil && r.Text != "" {
		r.Failure.Status = 0 // the event has one of its own, the answer's was 200
	}
	return r
}

// optionsGemini: the SDK does not retry unless it is told to. Its waits are a second, two, and so on, and up to a
// second more, whatever the answer says.
func optionsGemini(q question) genai.HTTPOptions {
	o := genai.HTTPOptions{BaseURL: q.Base}
	if q.Retries > 0 {
		o.RetryOptions = &genai.HTTPRetryOptions{Attempts: genai.Ptr(int32(q.Retries + 1))}
	}
	return o
}

func contentsGemini(q question) (list []*genai.Content, cfg *genai.GenerateContentConfig) {
	for i, text := range q.Turns {
		role := genai.Role(genai.RoleUser)
		if i%2 == 1 {
			role = genai.RoleModel
		}
		list = append(list, genai.NewContentFromText(text, role))
	}
	return list, &genai.GenerateContentConfig{MaxOutputTokens: int32(q.MaxOut)}
}

func (r *reply) chatGemini(c *genai.Client, q question) error {
	contents, cfg := contentsGemini(q)
	got, err := c.Models.GenerateContent(context.Background(), q.Model, contents, cfg)
	if err != nil {
		return err
	}
	r.takeGemini(got)
	return nil
}

// takeGemini takes an answer, or a piece of one.
func (r *reply) takeGemini(got *genai.GenerateContentResponse) {
	text := got.Text()
	if text != "" {
		r.Chunks++
	}
	r.Text += text
	r.Model, r.Request = got.ModelVersion, got.ResponseID
	if len(got.Candidates) > 0 {
		r.Finish = string(got.Candidates[0].FinishReason)
	}
	if u := got.UsageMetadata; u != nil {
		r.Used.In, r.Used.Out = int64(u.PromptTokenCount), int64(u.CandidatesTokenCount)
		r.Used.Cached = int64(u.CachedContentTokenCount)
	}
}

func (r *reply) streamGemini(c *genai.Client, q question) error {
	contents, cfg := contentsGemini(q)
	for got, err := range c.Models.GenerateContentStream(context.Background(), q.Model, contents, cfg) {
		if err != nil {
			return err
		}
		r.takeGemini(got)
	}
	return nil
}

func (r *reply) modelsGemini(c *genai.Client) error {
	for m, err := range c.Models.All(context.Background()) {
		if err != nil {
			return err
		}
		r.Models = append(r.Models, strings.TrimPrefix(m.Name, "models/"))
	}
	return nil
}

func failureGemini(err error) *failure {
	if err == nil {
		return nil
	}
	f := failure{Class: classOf(err), Message: err.Error()}
	var refused genai.APIError
	if errors.As(err, &refused) {
		f.Status, f.Code, f.Message = refused.Code, refused.Status, refused.Message
	}
	return &f
}

func classGemini(f failure) string {
	if f.Status == broken {
		return cutOff
	}
	return "genai.APIError"
}

// TestGeminiDetails: what a 429 says of the limits and of the wait.
func TestGeminiDetails(t *testing.T) {
	m, q := limited(t, client{vendor: up.DialectGemini, ask: askGemini})
	c, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: q.Key, Backend: genai.BackendGeminiAPI, HTTPOptions: optionsGemini(q),
	})
	if err != nil {
		t.Fatal(err)
	}
	contents, _ := contentsGemini(q)
	_, err = c.Models.GenerateContent(context.Background(), q.Model, contents, nil)
	var refused genai.APIError
	if !errors.As(err, &refused) {
		t.Fatalf("%T %v", err, err)
	}
	details := map[string]string{}
	for _, d := range refused.Details {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		details[gjson.GetBytes(text, "@type").String()] = string(text)
	}
	const kind = "type.googleapis.com/google.rpc."
	if got := gjson.Get(details[kind+"RetryInfo"], "retryDelay").String(); got != "1s" {
		t.Errorf("wait %q, want 1s: %v", got, details)
	}
	violation := gjson.Get(details[kind+"QuotaFailure"], "violations.0")
	if violation.Get("quotaValue").String() != "1" || violation.Get("quotaDimensions.model").String() != model ||
		!strings.Contains(violation.Get("quotaId").String(), "RequestsPerMinute") {
		t.Errorf("%s", violation)
	}
	if b := m.Books(); b.Refused429 != 1 {
		t.Errorf("books %+v", b)
	}
}
