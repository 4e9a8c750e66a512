package semcache_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack/semcache"
	"pgregory.net/rapid"
)

// plane embeds a text by its first two letters, a to z, as a direction in the plane: a
// letter is a few degrees. Texts with the same two letters tie; short ones and those with a digit in
// front have no direction.
type plane struct{}

func (plane) Embed(text string) []float32 {
	switch {
	case len(text) < 2:
		return nil
	case text[0] <= '9':
		return []float32{float32(math.NaN()), 1}
	}
	angle := float64(text[0]-'a')*0.05 + float64(text[1]-'a')*0.002
	return []float32{float32(3 * math.Cos(angle)), float32(3 * math.Sin(angle))}
}

// record is an entry of the model, a plain list in the order of storing.
type record struct {
	key    semcache.Key
	text   string
	value  int
	in     int64
	stored time.Duration
	used   int // number of the call
	hits   int64
}

// model is the cache as its documentation says, by exhaustive search.
type model struct {
	cfg  semcache.Config
	now  time.Duration
	call int
	list []record
	want semcache.Counts
}

func (m *model) begin(now time.Duration) {
	m.call++
	m.now = max(m.now, now)
	for len(m.list) > 0 && m.list[0].stored+m.cfg.TTL <= m.now {
		m.list = m.list[1:]
		m.want.Expired++
	}
}

func (m *model) bad(text string) bool { return text == "" || len(text) > m.cfg.MaxTextBytes }

func (m *model) lookup(key semcache.Key, text string) (*record, float64) {
	text = strings.TrimSpace(text)
	best, near := -1, 0.0
	for i, r := range m.list {
		if r.key != key || m.bad(text) {
			continue
		}
		if r.text == text {
			best, near = i, 2
			break
		}
		s := semcache.Cosine(m.cfg.Embedder.Embed(text), m.cfg.Embedder.Embed(r.text))
		if m.cfg.Threshold < 1 && s >= m.cfg.Threshold && s >= near {
			best, near = i, s
		}
	}
	switch {
	case best < 0:
		m.want.Misses++
		return nil, 0
	case near == 2:
		m.want.Exact++
	default:
		m.want.Semantic++
	}
	r := &m.list[best]
	r.used = m.call
	r.hits++
	m.want.TokensIn += r.in
	return r, min(near, 1)
}

func (m *model) store(key semcache.Key, text string, value int, in int64) bool {
	text = strings.TrimSpace(text)
	if m.bad(text) {
		m.want.Refused++
		return false
	}
	oldest := -1
	for i, r := range m.list {
		if r.key == key && r.text == text {
			m.list = append(m.list[:i], m.list[i+1:]...)
			m.want.Replaced++
			m.want.Stored--
			oldest = -1
			break
		}
		if oldest < 0 || r.used < m.list[oldest].used {
			oldest = i
		}
	}
	if len(m.list) == m.cfg.Entries && oldest >= 0 {
		m.list = append(m.list[:oldest], m.list[oldest+1:]...)
		m.want.Evicted++
	}
	m.want.Stored++
	m.list = append(m.list, record{key, text, value, max(0, in), m.now, m.call, 0})
	return true
}

func drawKey(t *rapid.T) semcache.Key {
	return semcache.Key{
		Tenant: rapid.Uint64Range(0, 1).Draw(t, "tenant"), Model: rapid.IntRange(0, 1).Draw(t, "model"),
		Params: rapid.Uint64Range(0, 1).Draw(t, "params"),
	}
}

// INV-60: whatever is stored and looked up whenever, the cache does what an exhaustive search over a list
// does, and so never answers across keys, after the TTL, beyond its size, or with the
// second best.
func TestCacheAgreesWithExhaustiveSearch_INV60(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{cfg: semcache.Config{
			Threshold: rapid.SampledFrom([]float64{0.01, 0.9, 0.999, 1}).Draw(t, "threshold"),
			TTL:       time.Duration(rapid.IntRange(1, 50).Draw(t, "ttl")) * time.Millisecond,
			Entries:   rapid.IntRange(1, 12).Draw(t, "entries"), MaxTextBytes: 4,
			Embedder: rapid.SampledFrom([]semcache.Embedder{plane{}, semcache.NGrams{}}).Draw(t, "embedder"),
		}}
		c, err := semcache.New[int](m.cfg)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(0)
		for n := range rapid.IntRange(1, 120).Draw(t, "calls") {
			now += time.Duration(rapid.IntRange(-2, 4).Draw(t, "step")) * time.Millisecond
			key, text := drawKey(t), rapid.StringMatching(` ?[a-d1][a-c]?[ab]{0,2}x?\n?`).Draw(t, "text")
			m.begin(now)
			if rapid.Bool().Draw(t, "store") {
				in := rapid.Int64Range(-5, 1000).Draw(t, "tokens")
				if got, want := c.Store(now, key, text, n, in, 0), m.store(key, text, n, in); got != want {
					t.Fatalf("call %d: Store = %v, want %v", n, got, want)
				}
			} else {
				e, near, ok := c.Lookup(now, key, text)
				want, wantNear := m.lookup(key, text)
				if ok != (want != nil) || near != wantNear {
					t.Fatalf("call %d: Lookup(%v, %q) = %+v, %v, %v; want %+v, %v", n, key, text, e, near, ok, want, wantNear)
				}
				if ok && (e.Value != want.value || e.Text != want.text || e.Stored != want.stored || e.Hits != want.hits || e.TokensIn != want.in) {
					t.Fatalf("call %d: Lookup(%v, %q) = %+v, want %+v", n, key, text, e, *want)
				}
			}
			compareState(t, c, m)
		}
	})
}

func compareState(t *rapid.T, c *semcache.Cache[int], m *model) {
	t.Helper()
	keys := map[semcache.Key]bool{}
	for _, r := range m.list {
		keys[r.key] = true
	}
	if c.Len() != len(m.list) || c.Partitions() != len(keys) {
		t.Fatalf("%d entries of %d keys, want %d of %d", c.Len(), c.Partitions(), len(m.list), len(keys))
	}
	got := c.Counts()
	got.Unembedded = 0
	if got != m.want {
		t.Fatalf("counts %+v, want %+v", got, m.want)
	}
	if got.Stored != int64(c.Len())+got.Evicted+got.Expired {
		t.Fatalf("%+v do not add up to %d entries", got, c.Len())
	}
}

// Giving up early changes no similarity: with many dimensions, at every threshold, the
// neighbour is that of a search that sums all of them.
func TestGivingUpEarlyChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{cfg: semcache.Default()}
		m.cfg.Threshold = rapid.Float64Range(0.05, 0.9999).Draw(t, "threshold")
		c, err := semcache.New[int](m.cfg)
		if err != nil {
			t.Fatal(err)
		}
		first := rapid.IntRange(0, 10_000).Draw(t, "first")
		for n := range 25 {
			c.Store(0, semcache.Key{}, prompt(first+n), n, 1, 0)
			m.store(semcache.Key{}, prompt(first+n), n, 1)
		}
		for range 3 {
			text := prompt(rapid.IntRange(0, 10_000).Draw(t, "n")) + rapid.SampledFrom([]string{"", "!", " Hurry."}).Draw(t, "end")
			e, near, ok := c.Lookup(0, semcache.Key{}, text)
			want, wantNear := m.lookup(semcache.Key{}, text)
			if ok != (want != nil) || near != wantNear || ok && e.Value != want.value {
				t.Fatalf("%q: %+v at %v, want %+v at %v", text, e, near, want, wantNear)
			}
		}
	})
}

func TestCacheSteps(t *testing.T) {
	const ms = time.Millisecond
	a, b := semcache.Key{Tenant: 1}, semcache.Key{Tenant: 2}
	steps := []struct {
		at    time.Duration
		key   semcache.Key
		store string
		find  string
		want  int // number of the step that stored it; -1: none
		why   string
	}{
		{0, a, "aaaa", "", -1, ""},
		{1 * ms, a, "", "aaaa", 0, "equal"},
		{1 * ms, a, "", "  aaaa\t\n", 0, "equal but for outer blanks"},
		{1 * ms, a, "", "aacc", 0, "the same direction"},
		{1 * ms, b, "", "aaaa", -1, "another tenant (INV-60)"},
		{1 * ms, a, "", "zz", -1, "too far"},
		{1 * ms, a, "", "aaaaaaaaa", -1, "too long, though near"},
		{1 * ms, a, "", " ", -1, "empty"},
		{2 * ms, a, "aabb", "", -1, ""},
		{2 * ms, a, "", "aaxx", 8, "two tie: the one stored last"},
		{2 * ms, a, "", "aaaa", 0, "equal before stored last"},
		{3 * ms, b, "aaaa", "", -1, "the third entry: full"},
		{4 * ms, b, "bb", "", -1, "evicts step 8, used before step 0 was"},
		{4 * ms, a, "", "aabb", 0, "only a neighbour is left"},
		{9 * ms, a, "aaaa", "", -1, "stored again"},
		{10 * ms, a, "", "aaaa", 14, "a new life"},
		{12 * ms, b, "", "aaaa", 11, "1 ms to live"},
		{13 * ms, b, "", "bz", 12, "step 11 is gone"},
		{12 * ms, b, "", "aaaa", 12, "back in time: still gone, step 12 is near"},
		{14 * ms, b, "", "bb", -1, "hits did not prolong its life"},
		{18 * ms, a, "", "aaaa", 14, ""},
		{19 * ms, a, "", "aaaa", -1, "over"},
	}
	c, err := semcache.New[int](semcache.Config{Threshold: 0.99, TTL: 10 * ms, Entries: 3, MaxTextBytes: 8, Embedder: plane{}})
	if err != nil {
		t.Fatal(err)
	}
	for n, s := range steps {
		if s.store != "" {
			if !c.Store(s.at, s.key, s.store, n, 10, 1) {
				t.Fatalf("step %d: not stored", n)
			}
			continue
		}
		e, _, ok := c.Lookup(s.at, s.key, s.find)
		if ok != (s.want >= 0) || ok && e.Value != s.want {
			t.Fatalf("step %d (%s): %+v, %v; want step %d", n, s.why, e, ok, s.want)
		}
	}
	want := semcache.Counts{Exact: 6, Semantic: 5, Misses: 6, Stored: 4, Replaced: 1, Evicted: 1, Expired: 3, TokensIn: 110, TokensOut: 11}
	if got := c.Counts(); got != want || c.Len() != 0 || c.Partitions() != 0 {
		t.Fatalf("%+v, %d entries, %d partitions; want %+v, 0, 0", got, c.Len(), c.Partitions(), want)
	}
}

// Texts without a usable vector are found by their bytes, and never by nearness.
func TestUnusableVectorsNeverMatch(t *testing.T) {
	c, err := semcache.New[int](semcache.Config{Threshold: 1e-9, TTL: time.Hour, Entries: 9, MaxTextBytes: 9, Embedder: plane{}})
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range []string{"1a", "b", "ab", "1c", "c"} { // not finite, none, good
		c.Store(0, semcache.Key{}, text, n, 0, 0)
	}
	for n, text := range []string{"1a", "b", "ab", "1c", "c"} {
		if e, s, ok := c.Lookup(0, semcache.Key{}, text); !ok || s != 1 || e.Value != n {
			t.Errorf("%q: %+v, %v, %v", text, e, s, ok)
		}
	}
	for _, text := range []string{"1b", "d"} {
		if e, _, ok := c.Lookup(0, semcache.Key{}, text); ok {
			t.Errorf("%q was answered by %+v", text, e)
		}
	}
	if e, _, ok := c.Lookup(0, semcache.Key{}, "aa"); !ok || e.Text != "ab" {
		t.Errorf("the neighbour of aa is %+v", e)
	}
}

// ragged returns vectors as long as the text.
type ragged struct{}

func (ragged) Embed(text string) []float32 {
	v := make([]float32, len(text))
	for i := range v {
		v[i] = 1
	}
	return v
}

// The first vector says how long all are; others are no vectors.
func TestVectorsOfAnotherLengthNeverMatch(t *testing.T) {
	c, err := semcache.New[int](semcache.Config{Threshold: 0.5, TTL: time.Hour, Entries: 9, MaxTextBytes: 99, Embedder: ragged{}})
	if err != nil {
		t.Fatal(err)
	}
	for n, text := range []string{"abc", "abcd", "ab", strings.Repeat("x", 70)} {
		c.Store(0, semcache.Key{}, text, n, 0, 0)
	}
	for text, want := range map[string]bool{"xyz": true, "wxyz": false, "xy": false, strings.Repeat("y", 70): false, "ab": true} {
		if e, _, ok := c.Lookup(0, semcache.Key{}, text); ok != want || ok && len(e.Text) != len(text) {
			t.Errorf("%q: %+v, %v", text, e, ok)
		}
	}
	if n := c.Counts().Unembedded; n != 6 {
		t.Errorf("%d texts without a vector, want 6", n)
	}
}

// The first vector may be that of a lookup, when only texts without one are stored.
func TestFirstVectorMayBeOfALookup(t *testing.T) {
	c, err := semcache.New[int](semcache.Config{Threshold: 0.5, TTL: time.Hour, Entries: 2, MaxTextBytes: 9, Embedder: plane{}})
	if err != nil {
		t.Fatal(err)
	}
	c.Store(0, semcache.Key{}, "b", 1, 0, 0)
	if e, _, ok := c.Lookup(0, semcache.Key{}, "ab"); ok {
		t.Fatalf("answered by %+v", e)
	}
	c.Store(0, semcache.Key{}, "aa", 2, 0, 0)
	if e, _, ok := c.Lookup(0, semcache.Key{}, "ab"); !ok || e.Value != 2 {
		t.Fatalf("%+v, %v", e, ok)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(*semcache.Config){
		"threshold is 0":       func(c *semcache.Config) { c.Threshold = 0 },
		"threshold is NaN":     func(c *semcache.Config) { c.Threshold = math.NaN() },
		"threshold is 1.01":    func(c *semcache.Config) { c.Threshold = 1.01 },
		"threshold is +Inf":    func(c *semcache.Config) { c.Threshold = math.Inf(1) },
		"TTL is 0s":            func(c *semcache.Config) { c.TTL = 0 },
		"TTL is -1s":           func(c *semcache.Config) { c.TTL = -time.Second },
		"entries are 0":        func(c *semcache.Config) { c.Entries = 0 },
		"max text is -1 bytes": func(c *semcache.Config) { c.MaxTextBytes = -1 },
		"embedder is missing":  func(c *semcache.Config) { c.Embedder = nil },
	} {
		c := semcache.Default()
		spoil(&c)
		if _, err := semcache.New[int](c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := semcache.Default()
	c.Threshold, c.Embedder = 1, nil
	if _, err := semcache.New[int](c); err != nil {
		t.Errorf("an embedder is asked for that is never used: %v", err)
	}
}

// INV-60: errors, writes and tool calls are never cached; of the 16 answers one is cacheable.
func TestOnlyWholeHarmlessAnswersAreCacheable_INV60(t *testing.T) {
	for bits := range 16 {
		a := semcache.Answer{OK: bits&1 == 0, Write: bits&2 != 0, ToolCalls: bits&4 != 0, Truncated: bits&8 != 0}
		if a.Cacheable() != (bits == 0) {
			t.Errorf("%+v: %v", a, a.Cacheable())
		}
	}
}
