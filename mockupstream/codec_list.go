package mockupstream

import (
	"net/http"
	"time"
)

// One model, as it is listed in each form.
type (
	openAIModel struct {
		ID            string `json:"id"`
		Object        string `json:"object"`
		Created       int64  `json:"created"`
		OwnedBy       string `json:"owned_by"`
		ContextLength int64  `json:"context_length,omitempty"` // OpenRouter's
	}
	anthropicModel struct {
		Type        string `json:"type"`
		ID          string `json:"id"`
		DisplayName string `json:"display_name"`
		CreatedAt   string `json:"created_at"`
	}
	geminiModel struct {
		Name             string   `json:"name"`
		DisplayName      string   `json:"displayName"`
		InputTokenLimit  int64    `json:"inputTokenLimit,omitempty"`
		OutputTokenLimit int64    `json:"outputTokenLimit,omitempty"`
		Methods          []string `json:"supportedGenerationMethods"`
	}
)

type openAIModels struct {
	Object string `json:"object"`
	Data   []any  `json:"data"`
}

type anthropicModels struct {
	Data    []any  `json:"data"`
	HasMore bool   `json:"has_more"`
	FirstID string `json:"first_id"`
	LastID  string `json:"last_id"`
}

type geminiModels struct {
	Models []any `json:"models"`
}

// list answers with all models, or with the one that the path names. Their date is that of instant 0.
func (c *Codec) list(to *route) (*Page, *objection) {
	if to.model != "" {
		found := c.models[to.model]
		if len(found) == 0 {
			return nil, &objection{reason: unknownModel, detail: to.model}
		}
		return listPage(c.entry(to, found[0])), nil
	}
	all := make([]any, len(c.p.models))
	for i := range all {
		all[i] = c.entry(to, i)
	}
	switch to.vendor {
	case DialectAnthropic:
		l := anthropicModels{Data: all}
		if n := len(all); n > 0 {
			l.FirstID, l.LastID = c.p.models[0].cfg.Name, c.p.models[n-1].cfg.Name
		}
		return listPage(l), nil
	case DialectGemini:
		if to.form == FormGemini {
			return listPage(geminiModels{all}), nil
		}
	}
	return listPage(openAIModels{"list", all}), nil
}

func listPage(v any) *Page {
	return &Page{http.StatusOK, http.Header{"Content-Type": {"application/json"}}, []byte(text(v))}
}

func (c *Codec) entry(to *route, i int) any {
	m := &c.p.models[i].cfg
	created := c.p.clock.date(0)
	switch {
	case to.vendor == DialectAnthropic:
		return anthropicModel{"model", m.Name, m.Name, created.Format(time.RFC3339)}
	case to.form == FormGemini:
		return geminiModel{"models/" + m.Name, m.Name, m.ContextWindow, m.MaxOutput, []string{"generateContent"}}
	}
	e := openAIModel{ID: m.Name, Object: "model", Created: created.Unix(), OwnedBy: m.Vendor}
	if to.vendor == DialectOpenRouter {
		e.ContextLength = m.ContextWindow
	}
	return e
}
