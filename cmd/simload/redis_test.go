package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// Ensure whoever comes without a password, or with a wrong one, is told where to put it.
func TestRedisPassword(t *testing.T) {
	server := redistest.Start(t, "--requirepass", "very-secret")
	args := []string{"run", "../../scenarios/smoke.yaml", "--mode", "wall", "--redis", server.URL(), "--set", "stack.shared=on", "--quiet"}
	for _, password := range []string{"", "wrong-secret"} {
		t.Setenv(redisPasswordEnv, password)
		var out, told bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), &out, &told); code != 2 {
			t.Errorf("password %q: exit code %d\n%s", password, code, told.String())
		}
		if !strings.Contains(told.String(), "hint: set "+redisPasswordEnv) || strings.Contains(told.String(), "-secret") {
			t.Errorf("password %q: %s", password, told.String())
		}
	}
}
