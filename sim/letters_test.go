package sim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// TestDeadLettersAreReplayed: what a client writes about the requests that failed is a trace that a
// run replays.
func TestDeadLettersAreReplayed(t *testing.T) {
	sc, err := scenario.Parse("wall.yaml", fmt.Appendf(nil, wallScenario, "1s", 1, 1, "{}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := sc.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	var letters bytes.Buffer
	cfg := stackOf(set, 0)
	cfg.Retry.Attempts = 1
	client, err := stack.NewClient(stack.ClientConfig{
		Stack: cfg, Endpoints: endpoints(set, "http://127.0.0.1:1"), Secrets: mockSecrets(set), DeadLetters: &letters,
	})
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	for i := range n {
		call := stack.Call{Request: stack.Request{ID: stack.RequestID(i + 1), Agent: uint32(i % 3), MaxOut: 30}, Prompt: &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: words}}}}
		if _, err := client.Do(context.Background(), call); err == nil {
			t.Fatal("nobody listens, and somebody answered")
		}
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "letters.jsonl")
	if err := os.WriteFile(path, letters.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := scenario.Parse("wall.yaml", fmt.Appendf(nil, wallScenario, "1m", 1, 1, "{}"), []string{
		"workload.streams=null", "workload.traces={dead: {profile: ask, path: " + path + ", format: events}}",
	})
	if err != nil {
		t.Fatal(err)
	}
	v := &mustRun(t, again, Options{}).Variants[0]
	if v.Totals.Requests != n || v.Totals.Succeeded != n || v.Offered.MeanIn < 10 {
		t.Errorf("%d letters, replayed %+v, offered %+v", n, v.Totals, v.Offered)
	}
}
