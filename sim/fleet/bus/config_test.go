package bus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Ensure a configuration that cannot work is refused with a hint, and without what may be a secret.
func TestConfigValidate(t *testing.T) {
	good := Config{URL: "nats://127.0.0.1:4222"}
	for _, c := range []struct {
		name string
		mend func(*Config)
		want string // in the error; "": none
	}{
		{"one server", func(*Config) {}, ""},
		{"three", func(c *Config) { c.URL = "nats://a:1, nats://b:2,tls://c:3" }, ""},
		{"a token", func(c *Config) { c.Token = Source{Env: "T"} }, ""},
		{"a user", func(c *Config) { c.User, c.Password = "me", Source{File: "f"} }, ""},
		{"replicas", func(c *Config) { c.Replicas = 3 }, ""},
		{"no url", func(c *Config) { c.URL = "" }, "not the URL"},
		{"http", func(c *Config) { c.URL = "http://a:1" }, "not the URL"},
		{"no scheme", func(c *Config) { c.URL = "localhost:4222" }, "not the URL"},
		{"one of two wrong", func(c *Config) { c.URL = "nats://a:1,b" }, "not the URL"},
		{"a password in it", func(c *Config) { c.URL = "nats://me:hunter2@a:1" }, "which others could see"},
		{"a token in it", func(c *Config) { c.URL = "hunter2@a" }, "which others could see"},
		{"namespace", func(c *Config) { c.Namespace = "a.b" }, "namespace"},
		{"two ways", func(c *Config) { c.Token, c.Creds = Source{Env: "T"}, "f" }, "several ways"},
		{"no password", func(c *Config) { c.User = "me" }, "without a password"},
		{"no user", func(c *Config) { c.Password = Source{Env: "P"} }, "without a user"},
		{"two replicas", func(c *Config) { c.Replicas = 2 }, "2 are not possible"},
		{"a certificate alone", func(c *Config) { c.TLS.Cert = "f" }, "go together"},
		{"time below 0", func(c *Config) { c.Timeout = -1 }, "below 0"},
	} {
		cfg := good
		c.mend(&cfg)
		err := cfg.Validate()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var wrong *ConfigError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) || wrong.Hint == "" || strings.Contains(fmt.Sprintf("%+v", wrong), "hunter2") {
			t.Errorf("%s: %#v, want %q", c.name, err, c.want)
		}
	}
}

// Ensure secrets come from where they are said to be, and a missing one is told by its place.
func TestSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SIMLOAD_TEST_TOKEN", "from-env")
	for _, c := range []struct {
		source    Source
		want, bad string
	}{
		{Source{}, "", ""},
		{Source{Env: "SIMLOAD_TEST_TOKEN"}, "from-env", ""},
		{Source{File: file}, "from-file", ""},
		{Source{Env: "SIMLOAD_TEST_NONE"}, "", "SIMLOAD_TEST_NONE is empty"},
		{Source{File: file + "x"}, "", "no such file"},
	} {
		got, err := c.source.Read()
		if got != c.want || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%+v: %q, %v", c.source, got, err)
		}
	}
}

// Ensure what passes while a cluster elects is told from what the server refuses.
func TestPassing(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{context.DeadlineExceeded, true},
		{fmt.Errorf("making it: %w", nats.ErrTimeout), true},
		{nats.ErrNoResponders, true},
		{jetstream.ErrNoStreamResponse, true},
		{&jetstream.APIError{Code: 503, ErrorCode: codeUnavailable}, true},
		{&jetstream.APIError{Code: 400, ErrorCode: codeNoPeers}, true},
		{jetstream.ErrJetStreamNotEnabled, false},
		{jetstream.ErrKeyExists, false},
		{jetstream.ErrStreamNameAlreadyInUse, false},
		{nats.ErrAuthorization, false},
		{context.Canceled, false},
		{errors.New("anything"), false},
	} {
		if got := Passing(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
