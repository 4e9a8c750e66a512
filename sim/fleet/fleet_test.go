//go:build unix

package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/server"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Roles that the test binary plays when it is started again as a process of its own.
const roleEnv = "SIMLOAD_FLEET_ROLE"

const kindTest = "test"

// chore is the unit of a test's task.
type chore struct {
	N      int    `json:"n"`
	MS     int    `json:"ms"` // how long it takes
	Poison bool   `json:"poison"`
	Fail   string `json:"fail"`
	// Gate is a file that it waits for; GATE.N says that it has begun.
	Gate string `json:"gate"`
}

// answer is the result of a chore.
func (c chore) answer() string { return fmt.Sprintf("result of %d", c.N) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func init() {
	kinds[kindTest] = func(*scenario.Scenario, *Job) runner {
		return func(unit json.RawMessage, stop *atomic.Bool) ([]byte, error) {
			var c chore
			if err := json.Unmarshal(unit, &c); err != nil {
				return nil, err
			}
			switch {
			case c.Poison:
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			case c.Fail == "panic":
				panic("as the test wants it")
			case c.Fail != "":
				return nil, scenario.Errors{{File: "s.yaml", Problem: c.Fail}}
			}
			if c.Gate != "" {
				if err := os.WriteFile(fmt.Sprint(c.Gate, ".", c.N), nil, 0o600); err != nil {
					return nil, err
				}
				for !exists(c.Gate) && !stop.Load() {
					time.Sleep(5 * time.Millisecond)
				}
			}
			for end := time.Now().Add(time.Duration(c.MS) * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				if stop.Load() {
					break
				}
			}
			if stop.Load() {
				return nil, ErrStopped
			}
			return []byte(c.answer()), nil
		}
	}
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleEnv)
	if role == "" {
		os.Exit(m.Run())
	}
	go func() { // a process ends with the one that started it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	if err := play(role); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play plays a role, with the arguments in the environment.
func play(role string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	say := func(text string) { fmt.Println(text) }
	switch role {
	case "node":
		return node(os.Getenv("NODE_NAME"), os.Getenv("NODE_LISTEN"), os.Getenv("NODE_CLUSTER"), os.Getenv("NODE_ROUTES"), os.Getenv("NODE_DIR"))
	case "server":
		s, err := server.Start(ctx, server.Config{Listen: os.Getenv("NODE_LISTEN"), Dir: os.Getenv("NODE_DIR")})
		if err != nil {
			return err
		}
		say("ready " + s.URL())
		<-ctx.Done()
		s.Stop()
		return nil
	}
	b, err := bus.Open(ctx, bus.Config{URL: os.Getenv("FLEET_URL"), Name: role, Replicas: number(os.Getenv("FLEET_REPLICAS")), Wait: -1, Timeout: 2 * time.Second})
	if err != nil {
		return err
	}
	defer b.Close()
	version := os.Getenv("FLEET_VERSION")
	if role == "submitter" {
		s, err := Submit(ctx, b, Job{Version: version, Kind: kindTest}, starter(), fast, say)
		if err != nil {
			return err
		}
		return s.Do(ctx, chores(300, 50), nil, func(i int, data []byte) { say("result " + strconv.Itoa(i)) })
	}
	jobs, err := strconv.Atoi(os.Getenv("FLEET_JOBS"))
	if err != nil {
		return err
	}
	set := fast
	if text := os.Getenv("FLEET_ACKWAIT"); text != "" {
		if set.AckWait, err = time.ParseDuration(text); err != nil {
			return err
		}
		set.MaxDeliver = number(os.Getenv("FLEET_MAXDELIVER"))
	}
	say("ready")
	return Work(ctx, b, WorkerConfig{Name: os.Getenv("FLEET_NAME"), Version: version, Jobs: jobs, Set: set, Log: say})
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return n
}

// node is one server of a cluster.
func node(name, listen, cluster, routes, dir string) error {
	host, port, err := hostPort(listen)
	if err != nil {
		return err
	}
	chost, cport, err := hostPort(cluster)
	if err != nil {
		return err
	}
	o := &nats.Options{
		ServerName: name, Host: host, Port: port, JetStream: true, StoreDir: dir, JetStreamMaxMemory: 1 << 26, NoSigs: true, NoLog: true,
		Cluster: nats.ClusterOpts{Name: "c", Host: chost, Port: cport}, Routes: nats.RoutesFromStr(routes),
	}
	s, err := nats.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		return errors.New("not ready")
	}
	fmt.Println("ready")
	select {}
}

func hostPort(addr string) (string, int, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	port, err := strconv.Atoi(text)
	return host, port, err
}

// fast are settings that keep what the must-show lines ask for (AckWait), and look more often.
var fast = Settings{Beat: 200 * time.Millisecond, Lost: 2 * time.Second, Grace: time.Second}

func starter() *scenario.Scenario {
	sc, err := scenario.Parse("starter.yaml", scenario.Starter(), nil)
	if err != nil {
		panic(err)
	}
	return sc
}

// chores are n tasks of so many milliseconds.
func chores(n, ms int) []Unit {
	var list []Unit
	for i := range n {
		list = append(list, Unit{fmt.Sprint("chore ", i), chore{N: i, MS: ms}})
	}
	return list
}

// process is a role in a process of its own.
type process struct {
	*exec.Cmd
	mu    sync.Mutex
	lines []string
	over  chan struct{} // closed when it has ended
}

// start starts a role, which ends with the test at the latest.
func start(t *testing.T, role string, env ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(exe), over: make(chan struct{})}
	p.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr = os.Stderr
	if _, err := p.StdinPipe(); err != nil { // its end tells the process that we are gone
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.over)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
		_ = p.Wait()
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.Process.Kill() // may have ended
	<-p.over
}

// said reports whether the process has printed a line with a text.
func (p *process) said(text string) bool { return p.count(text) > 0 }

func (p *process) count(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, line := range p.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// eventually waits for something; the deadline only keeps the test from hanging.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// addresses are free ones on loopback.
func addresses(t *testing.T, n int) []string {
	t.Helper()
	var list []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // after all are chosen, so that they differ
		list = append(list, l.Addr().String())
	}
	return list
}

// serve starts a server in a process of its own, and returns its URL.
func serve(t *testing.T) string {
	t.Helper()
	addr := addresses(t, 1)[0]
	ready(t, []*process{start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+t.TempDir())})
	return "nats://" + addr
}

// crew starts worker processes.
func crew(t *testing.T, url, version string, n, jobs int, env ...string) []*process {
	t.Helper()
	var list []*process
	for i := range n {
		list = append(list, start(t, "worker", append([]string{
			"FLEET_URL=" + url, "FLEET_VERSION=" + version, "FLEET_NAME=" + fmt.Sprintf("%s-w%d-%d", version, i, time.Now().UnixNano()), fmt.Sprint("FLEET_JOBS=", jobs),
		}, env...)...))
	}
	return list
}

// submit opens a sweep on a connection of its own.
func submit(t *testing.T, c bus.Config, version string) *Sweep {
	t.Helper()
	b, err := bus.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	s, err := Submit(t.Context(), b, Job{Version: version, Kind: kindTest}, starter(), fast, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// tally checks that results are those of chores, each once.
type tally struct {
	t    *testing.T
	seen []bool
	n    int
	last time.Time
}

func newTally(t *testing.T, n int) *tally { return &tally{t: t, seen: make([]bool, n)} }

func (y *tally) done(i int, data []byte) {
	if y.seen[i] {
		y.t.Errorf("result %d twice", i)
	}
	if want := (chore{N: i}).answer(); string(data) != want {
		y.t.Errorf("result %d is %q", i, data)
	}
	y.seen[i], y.n, y.last = true, y.n+1, time.Now()
}

func (y *tally) complete() {
	y.t.Helper()
	if i := slices.Index(y.seen, false); i >= 0 {
		y.t.Errorf("%d of %d results; the first that is missing is %d", y.n, len(y.seen), i)
	}
}
