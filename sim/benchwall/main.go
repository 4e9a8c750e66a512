package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchwall:", err)
		os.Exit(1)
	}
}

// run measures everything, or, as a child process of itself, is the bare server or the bare pacer.
func run(args []string) error {
	if len(args) == 2 && args[0] == "bare" {
		return bare(args[1])
	}
	if len(args) == 1 && args[0] == "pacer" {
		fmt.Println(pace(lagRate, lagSpan).Nanoseconds())
		return nil
	}
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is missing (Debian: apt-get install wrk): %w", err)
	}
	dir, err := os.MkdirTemp("", "benchwall")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{dir: dir, simload: filepath.Join(dir, "simload"), vegeta: filepath.Join(dir, "vegeta"), self: os.Args[0]}
	for bin, pkg := range map[string]string{b.simload: "./cmd/simload", b.vegeta: "github.com/tsenart/vegeta/v12"} {
		build := exec.Command("go", "build", "-o", bin, pkg)
		if bin == b.simload {
			build.Dir = filepath.Join("..", "..")
		}
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	if err := b.write(); err != nil {
		return err
	}
	for _, measure := range []func() error{b.throughput, b.processor, b.lag} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// bench is where the programs and their files are.
type bench struct {
	dir, simload, vegeta, self string
}

func (b *bench) file(name string) string { return filepath.Join(b.dir, name) }

// body is what wrk and vegeta post: about a hundred tokens. Simload asks for streams, so vegeta does too.
func body(stream bool) string {
	asked := ""
	if stream {
		asked = `"stream":true,"stream_options":{"include_usage":true},`
	}
	return `{"model":"m",` + asked + `"max_tokens":64,"messages":[{"role":"user","content":"` + strings.Repeat("keep notes of what is read ", 16) + `"}]}`
}

// scenario has a model that answers at once and no limits that could be met.
const scenario = `name: bench
duration: %s
warmup: 1s
workload:
  profiles: {ask: {class: P1, model: m, context: 100, output: 60, max_output: 64}}
  streams: {s: {profile: ask, rate: %d, arrivals: constant, clients: 100}}
upstreams:
  v:
    models: {m: {latency: {base: 0s, per_prompt_token: 0s, per_output_token: 0s, first_token_noise: 0, output_noise: 0, load: 0}}}
    keys: {k: {count: 4, limits: {"*": {rpm: 1000M, tpm: 1000000M}}}}
prices: {models: {m: {input: 1, output: 2}}}
stack: {agent_cap: {per_minute: 0}, concurrency: {start: 512, max: 1024}}
`

// write puts the files down that the programs read.
func (b *bench) write() error {
	script := "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\nwrk.headers['Authorization'] = 'Bearer k-1'\nwrk.body = [[" + body(false) + "]]\n"
	files := map[string]string{"post.lua": script, "mock.yaml": fmt.Sprintf(scenario, "1h", 1), "body.json": body(true)}
	for name, text := range files {
		if err := os.WriteFile(b.file(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// bare is the reference of the mock: a handler of net/http that reads a request and answers with
// as much JSON as the mock does.
func bare(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	answer := []byte(`{"id":"chatcmpl-0","object":"chat.completion","created":1764489600,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		strings.Repeat("word ", 48) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":60,"total_tokens":160}}`)
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, "reading the body", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
}

// freePort is an address on loopback that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// serve starts a server and waits until it can be reached.
func (b *bench) serve(name string, args ...string) (stop func(), err error) {
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	addr := args[len(args)-1]
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			return stop, c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("%s does not listen on %s", name, addr)
}

// mock starts the mock and returns its address.
func (b *bench) mock() (addr string, stop func(), err error) {
	if addr, err = freePort(); err != nil {
		return "", nil, err
	}
	stop, err = b.serve(b.simload, "mock", b.file("mock.yaml"), "--quiet", "--listen", addr)
	return addr, stop, err
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
