package sim

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// inRedis are books in a Redis server, asked at the instants of a virtual run.
type inRedis struct {
	t     *testing.T
	store *redisstore.Store
}

func (b inRedis) Exchange(m sharing.Message) sharing.Reply {
	r, err := b.store.Exchange(context.Background(), &m)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// INV-34, INV-30, INV-11: eight stacks that share books decide the same, event for event, whether the books are in memory or in a real
// Redis server, under the claim's demand, 1.2 times the limits (SIMLOAD_FULL: for ten minutes). No key is above 80 % of its limit in any sliding
// minute, by the mock's own books, nothing is refused, and P0 does not wait.
func TestSharedRunIsTheSameOnRedis(t *testing.T) {
	server := redistest.Start(t)
	length := 100 * time.Second
	switch {
	case testing.Short():
		length = 20 * time.Second
	case os.Getenv("SIMLOAD_FULL") != "":
		length = 10 * time.Minute
	}
	build := func() *scenario.Built {
		sc, err := scenario.Load("../scenarios/claims/shared-limits.yaml", []string{"duration=" + length.String(), "warmup=0s"})
		if err != nil {
			t.Fatal(err)
		}
		set, err := sc.Variants()[1].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	var digests []uint64
	for _, redisBooks := range []bool{false, true} {
		r, err := newRun(build())
		if err != nil {
			t.Fatal(err)
		}
		if redisBooks {
			client := redis.NewClient(&redis.Options{Network: "unix", Addr: server.Socket(), DisableIdentity: true})
			defer client.Close()
			store, err := redisstore.New(client, redisstore.Config{Apart: -1})
			if err != nil {
				t.Fatal(err)
			}
			r.shared.books = inRedis{t, store}
		}
		if err := r.execute(); err != nil {
			t.Fatal(err)
		}
		digests = append(digests, r.digest)
		b := r.prov.Books()
		if b.Refused429 != 0 || b.Received < 200 {
			t.Errorf("%d of %d refused", b.Refused429, b.Received)
		}
		for i, q := range b.Quotas {
			if limit := r.set.Upstream.Quotas[i].TPM * 80 / 100; q.PeakTokens > limit {
				t.Errorf("quota %d: %d tokens in a sliding minute, at most %d", i, q.PeakTokens, limit)
			}
		}
		t.Logf("%d events, %d calls, digest %x", r.events, b.Received, r.digest)
	}
	if digests[0] != digests[1] {
		t.Errorf("digests %x", digests)
	}
}

// INV-4: a run with shared books has the same bytes twice.
func TestSharedRunIsReproducible(t *testing.T) {
	sc, err := scenario.Load("../scenarios/claims/shared-limits.yaml", []string{"duration=2m", "warmup=0s"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asJSON(t, mustRun(t, sc, Options{})), asJSON(t, mustRun(t, sc, Options{}))) {
		t.Error("two runs differ")
	}
}
