package bus_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/server"
)

// serve starts a server that ends with the test.
func serve(t *testing.T, c server.Config) *server.Server {
	t.Helper()
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	s, err := server.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func open(t *testing.T, c bus.Config, more ...nats.Option) *bus.Bus {
	t.Helper()
	b, err := bus.Open(t.Context(), c, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Ensure values are written once, whatever their size, and come back as they were.
func TestStore(t *testing.T) {
	s := serve(t, server.Config{})
	b := open(t, bus.Config{URL: s.URL()})
	store, err := b.Store(t.Context(), "results")
	if err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 3<<20) // above what a message can hold, and nothing to compress
	dice := rand.New(rand.NewPCG(1, 2))
	for i := range large {
		large[i] = byte(dice.Uint32())
	}
	for key, data := range map[string][]byte{"s.empty": {}, "s.small": []byte("a result"), "s.large": large} {
		if err := store.Create(t.Context(), key, data); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if err := store.Create(t.Context(), key, []byte("another")); !errors.Is(err, bus.ErrExists) {
			t.Errorf("%s a second time: %v", key, err)
		}
		if got, err := store.Get(t.Context(), key); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, %v", key, len(got), err)
		}
	}
	if _, err := store.Get(t.Context(), "s.none"); !errors.Is(err, bus.ErrNotFound) {
		t.Errorf("a key without a value: %v", err)
	}
	if _, err := store.Blob(t.Context(), "none"); !errors.Is(err, bus.ErrNotFound) {
		t.Errorf("a blob that is not there: %v", err)
	}
	hash, err := store.PutBlob(t.Context(), large)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := store.Blob(t.Context(), hash); err != nil || !bytes.Equal(got, large) {
		t.Errorf("blob: %d bytes, %v", len(got), err)
	}
}

// Ensure what stands under a hash without having it is refused.
func TestBlobDamaged(t *testing.T) {
	s := serve(t, server.Config{})
	b := open(t, bus.Config{URL: s.URL()})
	store, err := b.Store(t.Context(), "work")
	if err != nil {
		t.Fatal(err)
	}
	good, err := store.PutBlob(t.Context(), []byte("what was meant"))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := b.JS.ObjectStore(t.Context(), b.Name("work"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"another blob": nil, "no blob at all": []byte("rubbish")} {
		if content == nil {
			other, err := store.PutBlob(t.Context(), []byte("something else"))
			if err != nil {
				t.Fatal(err)
			}
			if content, err = objects.GetBytes(t.Context(), other); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := objects.Put(t.Context(), jetstream.ObjectMeta{Name: good}, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Blob(t.Context(), good); !errors.Is(err, bus.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ensure two namespaces on one server do not see each other.
func TestNamespacesApart(t *testing.T) {
	s := serve(t, server.Config{})
	a, b := open(t, bus.Config{URL: s.URL(), Namespace: "a"}), open(t, bus.Config{URL: s.URL(), Namespace: "b"})
	for _, x := range []*bus.Bus{a, b} {
		if _, err := x.Stream(t.Context(), jetstream.StreamConfig{Name: "tasks", Subjects: []string{x.Subject("task", ">")}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.JS.Publish(t.Context(), a.Subject("task", "1"), nil); err != nil {
		t.Fatal(err)
	}
	for x, want := range map[*bus.Bus]uint64{a: 1, b: 0} {
		stream, err := x.JS.Stream(t.Context(), x.Name("tasks"))
		if err != nil {
			t.Fatal(err)
		}
		if got := stream.CachedInfo().State.Msgs; got != want {
			t.Errorf("%s has %d messages, want %d", x.Namespace, got, want)
		}
	}
}

// Ensure a client finds a server that comes after it, and one that comes back.
func TestConnectsAgain(t *testing.T) {
	dir := t.TempDir()
	first := serve(t, server.Config{Dir: dir})
	b := open(t, bus.Config{URL: first.URL()})
	store, err := b.Store(t.Context(), "results")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create(t.Context(), "s.1", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	addr := first.URL()[len("nats://"):]
	first.Stop()
	late := make(chan error, 1)
	go func() {
		other, err := bus.Open(t.Context(), bus.Config{URL: "nats://" + addr, Wait: -1})
		if err == nil {
			other.Close()
		}
		late <- err
	}()
	time.Sleep(300 * time.Millisecond) // in which both meet nobody
	serve(t, server.Config{Dir: dir, Listen: addr})
	if err := <-late; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	if got, err := store.Get(t.Context(), "s.1"); err != nil || string(got) != "kept" {
		t.Errorf("after the restart: %q, %v", got, err)
	}
}

// Ensure nobody waits for a server for longer than was said.
func TestNoServer(t *testing.T) {
	_, err := bus.Open(t.Context(), bus.Config{URL: "nats://127.0.0.1:1", Wait: time.Millisecond})
	var wrong *bus.ConfigError
	if !errors.As(err, &wrong) || wrong.Problem != "no server answers at nats://127.0.0.1:1" || wrong.Hint == "" {
		t.Errorf("%#v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := bus.Open(ctx, bus.Config{URL: "nats://127.0.0.1:1", Wait: -1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("told to stop: %v", err)
	}
}

// Ensure a blob that is written only a moment after it is asked for is found: the server that answers may be a little behind.
func TestBlobLate(t *testing.T) {
	s := serve(t, server.Config{})
	b := open(t, bus.Config{URL: s.URL()})
	store, err := b.Store(t.Context(), "late")
	if err != nil {
		t.Fatal(err)
	}
	data := []byte("what comes late")
	sum := sha256.Sum256(data)
	wrote := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		_, err := store.PutBlob(t.Context(), data)
		wrote <- err
	}()
	if got, err := store.Blob(t.Context(), hex.EncodeToString(sum[:])); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}
