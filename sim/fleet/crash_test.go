//go:build unix

package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// ready waits until processes have said that they are.
func ready(t *testing.T, list []*process) {
	t.Helper()
	eventually(t, "all to be ready", func() bool {
		return !slices.ContainsFunc(list, func(p *process) bool { return !p.said("ready") })
	})
}

// inCompany lets a test that mostly waits run beside others; under the race detector's short tier it is left out, since what runs there
// are other processes of the same code.
func inCompany(t *testing.T) {
	if testing.Short() {
		t.Skip("other processes, which take their time")
	}
	t.Parallel()
}

// writes is how often results were written to the bucket.
func writes(t *testing.T, b *bus.Bus) uint64 {
	t.Helper()
	var n uint64
	err := b.Insist(t.Context(), "looking at the bucket", func(ctx context.Context) error {
		s, err := b.JS.Stream(ctx, "KV_"+b.Name(sweepsStore))
		if err == nil {
			n = s.CachedInfo().State.LastSeq
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// queued is how many tasks are in the queue.
func queued(t *testing.T, b *bus.Bus) uint64 {
	t.Helper()
	s, err := b.JS.Stream(t.Context(), b.Name(tasksStream))
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// Ensure that when one of four worker processes is killed (kill -9) in the middle of a sweep, all results come, none twice, within
// 10 s of the kill: AckWait is 5 s.
func TestWorkerKilled(t *testing.T) {
	url := serve(t)
	workers := crew(t, url, "v1", 4, 2)
	s := submit(t, bus.Config{URL: url}, "v1")
	ready(t, workers)
	const n = 120
	var units []Unit
	for i := range n { // of different lengths, or all would begin and end at once, and the kill would fall between
		units = append(units, chores(n, 100+i*37%200)[i])
	}
	y := newTally(t, n)
	var killed time.Time
	err := s.Do(t.Context(), units, nil, func(i int, data []byte) {
		if y.done(i, data); y.n == n/4 {
			workers[0].kill()
			killed = time.Now()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	y.complete()
	c, seen := s.Counts()
	took := y.last.Sub(killed)
	t.Logf("%d workers, 1 killed: all %d results %.1f s after the kill, %d redelivered, %d published again, %d written", seen, c.Done, took.Seconds(), c.Redelivered, c.Republished, writes(t, s.bus))
	if took > 10*time.Second {
		t.Errorf("the last result came %v after the kill", took)
	}
	if c.Redelivered == 0 {
		t.Error("nothing was redelivered: the worker was idle when it was killed")
	}
	if w := writes(t, s.bus); w != n {
		t.Errorf("%d results were written, want %d", w, n)
	}
}

// cluster starts three servers in processes of their own.
func cluster(t *testing.T) (nodes map[string]*process, url string) {
	t.Helper()
	addr := addresses(t, 6)
	var routes, urls []string
	for i := range 3 {
		urls = append(urls, "nats://"+addr[i])
		routes = append(routes, "nats://"+addr[3+i])
	}
	nodes = make(map[string]*process)
	var all []*process
	for i := range 3 {
		name := fmt.Sprint("n", i)
		nodes[name] = start(t, "node", "NODE_NAME="+name, "NODE_LISTEN="+addr[i], "NODE_CLUSTER="+addr[3+i], "NODE_ROUTES="+strings.Join(routes, ","), "NODE_DIR="+t.TempDir())
		all = append(all, nodes[name])
	}
	ready(t, all)
	return nodes, strings.Join(urls, ",")
}

// Ensure that when the leader of the stream is killed (kill -9) in a cluster of three, no task is lost and none has two results.
func TestLeaderKilled(t *testing.T) {
	inCompany(t)
	nodes, url := cluster(t)
	begun := time.Now()
	s := submit(t, bus.Config{URL: url, Replicas: 3, Patience: time.Minute, Timeout: 2 * time.Second}, "v1")
	t.Logf("the cluster took a stream %.1f s after its servers were up", time.Since(begun).Seconds())
	workers := crew(t, url, "v1", 3, 2, "FLEET_REPLICAS=0") // who was not told how many servers there are takes no copies away
	ready(t, workers)
	for _, name := range []string{s.bus.Name(tasksStream), "KV_" + s.bus.Name(sweepsStore), "OBJ_" + s.bus.Name(sweepsStore)} {
		if st, err := s.bus.JS.Stream(t.Context(), name); err != nil || st.CachedInfo().Config.Replicas != 3 {
			t.Fatalf("stream %s is not held by three servers: %v", name, err)
		}
	}
	const n = 300
	y := newTally(t, n)
	var killed time.Time
	err := s.Do(t.Context(), chores(n, 50), nil, func(i int, data []byte) {
		if y.done(i, data); y.n == n/4 {
			info, err := s.stream.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			nodes[info.Cluster.Leader].kill()
			killed = time.Now()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	y.complete()
	c, _ := s.Counts()
	w := writes(t, s.bus)
	t.Logf("leader killed: all %d results %.1f s after the kill, %d redelivered, %d published again, %d written", c.Done, y.last.Sub(killed).Seconds(), c.Redelivered, c.Republished, w)
	if w != n {
		t.Errorf("%d results were written, want %d", w, n)
	}
}

// Ensure a server that is killed (kill -9) and started again on its store goes on, and no run that had ended is made again.
func TestServerKilled(t *testing.T) {
	inCompany(t)
	addr, dir := addresses(t, 1)[0], t.TempDir()
	coordinator := start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+dir)
	url := "nats://" + addr
	workers := crew(t, url, "v1", 2, 2)
	s := submit(t, bus.Config{URL: url, Wait: -1, Timeout: 2 * time.Second}, "v1")
	ready(t, workers)
	const n = 100
	y := newTally(t, n)
	var killed time.Time
	err := s.Do(t.Context(), chores(n, 50), nil, func(i int, data []byte) {
		if y.done(i, data); y.n == n/4 {
			coordinator.kill()
			killed = time.Now()
			start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+dir)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	y.complete()
	c, _ := s.Counts()
	w := writes(t, s.bus)
	t.Logf("server killed and started again: all %d results %.1f s after the kill, %d redelivered, %d published again, %d written", c.Done, y.last.Sub(killed).Seconds(), c.Redelivered, c.Republished, w)
	if w != n {
		t.Errorf("%d results were written, want %d: a run that had ended was made again", w, n)
	}
}

// Ensure a sweep whose submitter is killed (kill -9) goes on when it is submitted again, and makes no run twice.
func TestSubmitterKilled(t *testing.T) {
	inCompany(t)
	url := serve(t)
	first := start(t, "submitter", "FLEET_URL="+url, "FLEET_VERSION=v1")
	ready(t, crew(t, url, "v1", 2, 2))
	eventually(t, "some results", func() bool { return first.count("result") >= 50 })
	first.kill()
	before := first.count("result")
	s := submit(t, bus.Config{URL: url}, "v1")
	y := newTally(t, 300)
	if err := s.Do(t.Context(), chores(300, 50), nil, y.done); err != nil {
		t.Fatal(err)
	}
	y.complete()
	w := writes(t, s.bus)
	c, _ := s.Counts()
	t.Logf("submitter killed after %d results: %d written in all, %d published again", before, w, c.Republished)
	if w != 300 || before < 50 {
		t.Errorf("%d results were written in all, want 300", w)
	}
}

// Ensure a sweep that was stopped leaves no tasks behind, and goes on at once when it is submitted again.
func TestStoppedAndSubmittedAgain(t *testing.T) {
	inCompany(t)
	url := serve(t)
	ready(t, crew(t, url, "v1", 1, 2))
	s := submit(t, bus.Config{URL: url}, "v1")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := s.Do(ctx, chores(100, 30), nil, func(int, []byte) {
		if n++; n == 20 {
			cancel()
		}
	})
	if !errors.Is(err, ErrStopped) {
		t.Fatalf("ended with %v", err)
	}
	s.Close()
	if q := queued(t, s.bus); q != 0 {
		t.Errorf("%d tasks are still in the queue", q)
	}
	again := submit(t, bus.Config{URL: url}, "v1")
	y := newTally(t, 100)
	if err := again.Do(t.Context(), chores(100, 30), nil, y.done); err != nil {
		t.Fatal(err)
	}
	y.complete()
	if w := writes(t, s.bus); w != 100 {
		t.Errorf("%d results were written, want 100", w)
	}
}

// Ensure a worker of another version gets nothing, and says so once.
func TestAnotherVersion(t *testing.T) {
	inCompany(t)
	url := serve(t)
	old := crew(t, url, "v0", 1, 4)
	ready(t, old)
	s := submit(t, bus.Config{URL: url}, "v1")
	said := make(chan string, 100)
	s.log = func(text string) { said <- text }
	done := make(chan error, 1)
	y := newTally(t, 20)
	go func() { done <- s.Do(t.Context(), chores(20, 10), nil, y.done) }()
	for text := ""; !strings.Contains(text, "no worker of version v1 is there, only 1 of v0"); {
		text = <-said
	}
	eventually(t, "the worker to speak", func() bool { return old[0].said("left alone") })
	if q := queued(t, s.bus); q != 20 {
		t.Errorf("%d tasks are in the queue, want all 20", q)
	}
	crew(t, url, "v1", 1, 4)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	y.complete()
	if n := old[0].count("left alone"); n != 1 {
		t.Errorf("the other worker said %d times that it leaves tasks alone", n)
	}
	for _, b := range s.roster.workers {
		if b.Version == "v0" && b.Done != 0 {
			t.Errorf("a worker of another version did %d tasks", b.Done)
		}
	}
}

// Ensure a task that takes its workers with it is given up after MaxDeliver, and reported by name; the queue is clean then.
func TestPoison(t *testing.T) {
	url := serve(t)
	b, err := bus.Open(t.Context(), bus.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	set := fast
	set.AckWait, set.MaxDeliver = time.Second, 3
	s, err := Submit(t.Context(), b, Job{Version: "v1", Kind: kindTest}, starter(), set, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var nurse sync.WaitGroup
	defer nurse.Wait()
	defer close(over)
	nurse.Go(func() { // whoever dies has a successor
		for {
			w := crew(t, url, "v1", 1, 1, "FLEET_ACKWAIT=1s", "FLEET_MAXDELIVER=3")[0]
			select {
			case <-w.over:
			case <-over:
				return
			}
		}
	})
	units := append(chores(10, 1), Unit{"the poisoned one", chore{Poison: true}})
	err = s.Do(t.Context(), units, nil, func(int, []byte) {})
	var dead *TaskError
	if !errors.As(err, &dead) || dead.Name != "the poisoned one" || !strings.Contains(dead.Problem, "3 workers took it") {
		t.Fatalf("ended with %v", err)
	}
	t.Log(err)
	s.Close()
	if q := queued(t, b); q != 0 {
		t.Errorf("%d tasks are still in the queue", q)
	}
}

// Ensure a task that fails by itself is reported at once, with its name and its error, and is not given to others.
func TestTaskFails(t *testing.T) {
	inCompany(t)
	url := serve(t)
	workers := crew(t, url, "v1", 2, 1)
	for _, c := range []struct {
		fail, want string
		usage      bool
	}{
		{"no such key", "s.yaml: no such key", true},
		{"panic", "as the test wants it", false},
	} {
		s := submit(t, bus.Config{URL: url}, "v1")
		units := append(chores(3, 1), Unit{"the bad one", chore{N: 7, Fail: c.fail}})
		err := s.Do(t.Context(), units, nil, func(int, []byte) {})
		var bad *TaskError
		if !errors.As(err, &bad) || bad.Name != "the bad one" || !strings.Contains(bad.Problem, c.want) || bad.Usage != c.usage {
			t.Errorf("ended with %v", err)
		}
		s.Close()
		if n := workers[0].count(c.want) + workers[1].count(c.want); n != 1 {
			t.Errorf("%d workers had the task that fails", n)
		}
	}
}

// Ensure a worker that is told to end (SIGTERM) hands back what it is at, and another one has it at once: AckWait is an hour here.
func TestWorkerLeaves(t *testing.T) {
	inCompany(t)
	url := serve(t)
	slow := []string{"FLEET_ACKWAIT=1h", "FLEET_MAXDELIVER=5"}
	first := crew(t, url, "v1", 1, 2, slow...)[0]
	s := submit(t, bus.Config{URL: url}, "v1")
	gate := filepath.Join(t.TempDir(), "gate")
	units := []Unit{{"one", chore{N: 0, Gate: gate}}, {"two", chore{N: 1, Gate: gate}}}
	y := newTally(t, 2)
	done := make(chan error, 1)
	go func() { done <- s.Do(t.Context(), units, nil, y.done) }()
	eventually(t, "both tasks to be under way", func() bool { return exists(gate+".0") && exists(gate+".1") })
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-first.over
	if code := first.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the worker ended with %d", code)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	crew(t, url, "v1", 1, 2, slow...)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	y.complete()
	if c, _ := s.Counts(); c.Redelivered != 2 || c.Republished != 0 {
		t.Errorf("%d redelivered, %d published again", c.Redelivered, c.Republished)
	}
}

// Ensure tasks that the queue has lost are published again, once.
func TestQueueLost(t *testing.T) {
	inCompany(t)
	url := serve(t)
	s := submit(t, bus.Config{URL: url}, "v1")
	y := newTally(t, 20)
	done := make(chan error, 1)
	go func() { done <- s.Do(t.Context(), chores(20, 10), nil, y.done) }()
	other, err := bus.Open(t.Context(), bus.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	eventually(t, "all to be published", func() bool { return queued(t, other) == 20 })
	stream, err := other.JS.Stream(t.Context(), other.Name(tasksStream))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all to be published again", func() bool { return queued(t, other) == 20 })
	crew(t, url, "v1", 1, 2)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	y.complete()
	if c, _ := s.Counts(); c.Republished != 20 {
		t.Errorf("%d tasks were published again, want 20", c.Republished)
	}
}

// Ensure a server that comes back without its store ends the sweeps that it had, with a word about it, and that workers take
// tasks from it again.
func TestStoreLost(t *testing.T) {
	inCompany(t)
	addr := addresses(t, 1)[0]
	first := start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+t.TempDir())
	url := "nats://" + addr
	ready(t, []*process{first})
	worker := crew(t, url, "v1", 1, 2)
	s := submit(t, bus.Config{URL: url, Timeout: time.Second}, "v1")
	ready(t, worker)
	n := 0
	err := s.Do(t.Context(), chores(100, 50), nil, func(int, []byte) {
		if n++; n == 10 {
			first.kill()
			start(t, "server", "NODE_LISTEN="+addr, "NODE_DIR="+t.TempDir())
		}
	})
	if err == nil || !strings.Contains(err.Error(), "submit it again") {
		t.Fatalf("ended with %v after %d results", err, n)
	}
	again := submit(t, bus.Config{URL: url}, "v1")
	y := newTally(t, 20)
	if err := again.Do(t.Context(), chores(20, 10), nil, y.done); err != nil {
		t.Fatal(err)
	}
	y.complete()
}
