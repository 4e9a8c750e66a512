package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Ensure no way of printing a request shows its key, and all show what else there is.
func TestSecretIsNotPrinted(t *testing.T) {
	const key = "sk-hush"
	r := Request{BaseURL: "https://x", Model: "gpt-4o", Secret: key, Prompt: ask("hi")}
	type outer struct{ R Request }
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%10v", "%t"} {
		for name, v := range map[string]any{"value": r, "pointer": &r, "list": []Request{r}, "field": outer{r}, "pointer in a list": []any{&r}} {
			text := fmt.Sprintf(verb, v)
			if strings.Contains(text, key) || strings.Contains(text, fmt.Sprintf("%x", key)) {
				t.Errorf("%s of a %s: %s", verb, name, text)
			}
			if strings.HasSuffix(verb, "v") && !strings.Contains(text, "gpt-4o") {
				t.Errorf("%s of a %s has no model: %s", verb, name, text)
			}
		}
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("sent", "request", r, "pointer", &r, "list", []Request{r}, "field", outer{r})
	}
	body, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"slog": log.String(), "JSON": string(body), "String": r.String(), "Sprint": fmt.Sprint(&r), "an error": fmt.Errorf("x: %v", r).Error()} {
		if strings.Contains(text, key) || !strings.Contains(text, "gpt-4o") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if got := fmt.Sprint((*Request)(nil)); !strings.Contains(got, "nil") {
		t.Errorf("no request is %q", got)
	}
	if with, without := r.String(), (Request{Model: "m"}).String(); !strings.Contains(with, "Secret:(secret)") || !strings.Contains(without, "Secret: ") {
		t.Errorf("whether there is a key does not show: %s, %s", with, without)
	}
	if r.Secret != key {
		t.Error("printing changed the request")
	}
}
