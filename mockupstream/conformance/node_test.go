package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	nodeOpenAI    = &node{script: "node/openai.mjs", pkg: "openai"}
	nodeAnthropic = &node{script: "node/anthropic.mjs", pkg: "@anthropic-ai/sdk"}
)

// node is a process that asks what it is told to, one question at a time. It takes a second to
// start, so there is one for all tests.
type node struct {
	script, pkg string

	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// ask writes the question on a line, and reads the reply from one.
func (n *node) ask(t *testing.T, q question) (r reply) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.start(t)
	line, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = n.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("%s: %v\n%s", n.script, err, &n.stderr)
	}
	line, err = n.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", n.script, err, line, &n.stderr)
	}
	return r
}

// start starts the process if it does not run yet.
func (n *node) start(t *testing.T) {
	t.Helper()
	if n.cmd != nil {
		return
	}
	program, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	if _, err = os.Stat("node/node_modules/" + n.pkg); err != nil {
		missing(t, "the package "+n.pkg+" is not there: run npm ci --prefix node")
	}
	cmd := exec.Command(program, n.script)
	cmd.Stderr = &n.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n.cmd, n.in, n.out = cmd, in, bufio.NewReader(out)
}

// stop ends the process.
func (n *node) stop() {
	if n.cmd == nil {
		return
	}
	n.in.Close()
	timer := time.AfterFunc(10*time.Second, func() { _ = n.cmd.Process.Kill() })
	defer timer.Stop()
	_ = n.cmd.Wait()
}

func TestMain(m *testing.M) {
	code := m.Run()
	nodeOpenAI.stop()
	nodeAnthropic.stop()
	os.Exit(code)
}

func classNodeOpenAI(f failure) string {
	switch {
	case f.Status == 0:
		return "APIError"
	case f.Status == broken:
		return "TypeError" // of fetch: terminated
	case f.Status >= 500:
		return "InternalServerError"
	}
	return map[int]string{400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError"}[f.Status]
}

func classNodeAnthropic(f failure) string {
	switch {
	case f.Status == 529:
		return "OverloadedError"
	case f.Code == "enforced_spend_limit_reached":
		return "EnforcedSpendLimitReachedError"
	}
	return classNodeOpenAI(f)
}

// TestPinned: the versions of npm's packages are exact, and the lock names no registry.
func TestPinned(t *testing.T) {
	var manifest struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile("node/package.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []*node{nodeOpenAI, nodeAnthropic} {
		if v := manifest.Dependencies[n.pkg]; v == "" || strings.ContainsAny(v, "^~*<>x ") {
			t.Errorf("%s: found %q, want one version", n.pkg, v)
		}
	}
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil || bytes.Contains(lock, []byte("http")) || !bytes.Contains(lock, []byte("integrity")) {
		t.Errorf("package-lock.json: %v, want checksums and no address", err)
	}
}
