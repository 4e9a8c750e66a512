package fleet

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Ensure the rules of what is due, step by step. Grace is 3 s, Stall 30 s.
func TestBookDue(t *testing.T) {
	type step struct {
		at    time.Duration
		do    string // add, pub, again, done, fail: of the task; "": only look
		task  string
		look  Look
		due   []string
		count Counts
	}
	at := func(ids ...string) func(string) bool { return func(id string) bool { return slices.Contains(ids, id) } }
	for name, steps := range map[string][]step{
		"due until it is published": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{1, "", "", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{2, "pub", "a", Look{Queued: -1}, nil, Counts{All: 1}},
			{3, "done", "a", Look{Queued: 0}, nil, Counts{All: 1, Done: 1}},
			{4, "done", "a", Look{Queued: 0}, nil, Counts{All: 1, Done: 1}},
		},
		"missing for longer than the grace": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 0}, nil, Counts{All: 1}},
			{2, "", "", Look{Queued: 0}, nil, Counts{All: 1}},
			{3, "", "", Look{Queued: 0}, []string{"a"}, Counts{All: 1}},
			{3, "pub", "a", Look{Queued: 1}, nil, Counts{All: 1, Republished: 1}},
			{9, "", "", Look{Queued: 1}, nil, Counts{All: 1, Republished: 1}},
		},
		"seen again in between": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 0}, nil, Counts{All: 1}},
			{2, "", "", Look{Queued: 1}, nil, Counts{All: 1}},
			{4, "", "", Look{Queued: 0}, nil, Counts{All: 1}},
			{7, "", "", Look{Queued: 0}, []string{"a"}, Counts{All: 1}},
		},
		"an earlier submission took it out": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "again", "a", Look{Queued: 0}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 1}, nil, Counts{All: 1, Republished: 1}},
		},
		"an earlier submission's is still there": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "again", "a", Look{Queued: 1}, nil, Counts{All: 1}},
		},
		"a worker is at it": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 0, Running: at("a")}, nil, Counts{All: 1}},
			{99, "", "", Look{Queued: 0, Free: 1, Running: at("a")}, nil, Counts{All: 1}},
		},
		"nothing happens though workers are free": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 1, Free: 1}, nil, Counts{All: 1}},
			{29, "", "", Look{Queued: 1, Free: 1}, nil, Counts{All: 1}},
			{30, "", "", Look{Queued: 1, Free: 1}, []string{"a"}, Counts{All: 1}},
			{30, "pub", "a", Look{Queued: 2, Free: 1}, nil, Counts{All: 1, Republished: 1}},
			{89, "", "", Look{Queued: 2, Free: 1}, nil, Counts{All: 1, Republished: 1}},
			{90, "", "", Look{Queued: 2, Free: 1}, []string{"a"}, Counts{All: 1, Republished: 1}},
			{90, "pub", "a", Look{Queued: 2, Free: 1}, nil, Counts{All: 1, Republished: 2}},
			{209, "", "", Look{Queued: 2, Free: 1}, nil, Counts{All: 1, Republished: 2}},
			{210, "", "", Look{Queued: 2, Free: 1}, []string{"a"}, Counts{All: 1, Republished: 2}},
		},
		"behind other work": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "pub", "a", Look{Queued: 1, Free: 1}, nil, Counts{All: 1}},
			{1, "", "", Look{Queued: 1}, nil, Counts{All: 1}},
			{999, "", "", Look{Queued: 1}, nil, Counts{All: 1}},
			{1000, "", "", Look{Queued: 1, Free: 1}, nil, Counts{All: 1}}, // between two tasks of others
			{1001, "", "", Look{Queued: 1}, nil, Counts{All: 1}},
			{1040, "", "", Look{Queued: 1, Free: 1}, nil, Counts{All: 1}},
			{1070, "", "", Look{Queued: 1, Free: 1}, []string{"a"}, Counts{All: 1}},
		},
		"failed is no longer due": {
			{0, "add", "a", Look{Queued: -1}, []string{"a"}, Counts{All: 1}},
			{0, "fail", "a", Look{Queued: 0}, nil, Counts{All: 1, Failed: 1}},
			{9, "done", "a", Look{Queued: 0}, nil, Counts{All: 1, Failed: 1}},
		},
	} {
		b := NewBook(Settings{})
		for i, s := range steps {
			now := s.at * time.Second
			switch s.do {
			case "add":
				b.Add(s.task)
			case "pub", "again":
				b.Published(now, s.task, s.do == "again")
			case "done":
				b.Done(now, s.task, 1)
			case "fail":
				b.Failed(now, s.task)
			}
			if due := b.Due(now, s.look); !slices.Equal(due, s.due) || b.Counts() != s.count {
				t.Errorf("%s, step %d: due %v, %+v; want %v, %+v", name, i, due, b.Counts(), s.due, s.count)
			}
		}
	}
}

// world is a made-up server with made-up workers: it loses tasks, delivers some twice, and tells results late.
type world struct {
	queue   []string
	results map[string]bool
	untold  []string
}

// Ensure every task ends exactly once whatever is lost, delivered twice or told late, in any order; and that the book never publishes
// what has ended, or, while things happen, what a worker is at.
func TestBookEndsEveryTaskOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "tasks")
		b, w := NewBook(Settings{}), world{results: make(map[string]bool)}
		ended := make(map[string]bool)
		for i := range n {
			b.Add(fmt.Sprint(i))
		}
		now := time.Duration(0)
		for step := 0; b.Counts().Open() > 0; step++ {
			if step > 5000 {
				t.Fatalf("not done after %v: %+v", now, b.Counts())
			}
			now += 500 * time.Millisecond
			w.live(t, step)
			if len(w.untold) > 0 && rapid.IntRange(0, 3).Draw(t, "told") == 0 {
				id := w.untold[0]
				w.untold = w.untold[1:]
				if b.Done(now, id, 1) == ended[id] {
					t.Fatalf("task %s: ended %v before", id, ended[id])
				}
				ended[id] = true
			}
			for _, id := range b.Due(now, Look{Queued: len(w.queue), Free: 1}) {
				if ended[id] {
					t.Fatalf("task %s has ended and is due", id)
				}
				if w.results[id] { // as the driver does: the result is there, the watch was late
					ended[id] = b.Done(now, id, 1)
					continue
				}
				b.Published(now, id, false)
				w.queue = append(w.queue, id)
			}
		}
		if c := b.Counts(); c.Done != n || len(ended) != n {
			t.Fatalf("%+v, %d ended", c, len(ended))
		}
	})
}

// live lets something happen at the server; losses end after a while.
func (w *world) live(t *rapid.T, step int) {
	if len(w.queue) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.queue)-1).Draw(t, "which")
	id := w.queue[i]
	action := rapid.IntRange(0, 9).Draw(t, "what")
	switch {
	case action < 2 && step < 200: // lost
		w.queue = slices.Delete(w.queue, i, i+1)
	case action == 2 && step < 200: // done, but delivered again
		w.finish(id)
	case action < 8:
		w.queue = slices.Delete(w.queue, i, i+1)
		w.finish(id)
	}
}

func (w *world) finish(id string) {
	if !w.results[id] {
		w.results[id] = true
		w.untold = append(w.untold, id)
	}
}
