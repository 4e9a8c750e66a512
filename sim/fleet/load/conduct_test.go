package load

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Ensure the clocks of many workers are asked at the same time, and that the time to the start grows with the slowest answer.
func TestAimAtOnce(t *testing.T) {
	const n = 8
	s := newSite(t)
	defer s.close()
	b := s.connect("both")
	defer b.Close()
	set := Settings{Exchanges: 1}.withDefaults()
	l := &leader{names: names{b.Namespace}, Options: Options{Workers: n, Set: set}, bus: b, crew: NewCrew(set, n), run: "r", begun: time.Now()}
	var asked atomic.Int32
	all := make(chan struct{})
	for share := range n {
		id := string(rune('a' + share))
		l.crew.Claim(0, &claim{Worker: id, ID: id})
		l.crew.Word(0, &word{ID: id, Share: share, Ready: &ready{}})
		sub, err := b.Conn.Subscribe(l.orders("r", share), func(m *nats.Msg) {
			if asked.Add(1) == n {
				close(all)
			}
			<-all // nobody answers before all are asked
			data, err := json.Marshal(obeyed{Clock: time.Now().UnixNano()})
			if err == nil {
				_ = m.Respond(data)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sub.Unsubscribe() }()
	}
	l.pulsed = time.Hour // no signs of life are needed
	aimed := make(chan bool, 1)
	go func() { aimed <- l.aim(context.Background()) }()
	select {
	case ok := <-aimed:
		if !ok || l.slowest <= 0 {
			t.Errorf("aimed %v, slowest answer %v", ok, l.slowest)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("hangs")
	}
	for _, c := range []struct {
		slowest time.Duration
		workers int
		want    time.Duration
	}{{0, 4, time.Second}, {100 * time.Millisecond, 32, 1200 * time.Millisecond}, {100 * time.Millisecond, 33, 1400 * time.Millisecond}, {time.Second, 1000, 11 * time.Second}} {
		if got := lead(&set, c.slowest, c.workers); got != c.want {
			t.Errorf("%d workers, slowest %v: %v to the start, want %v", c.workers, c.slowest, got, c.want)
		}
	}
}
