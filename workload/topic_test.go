package workload

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func topical(topics int, skew float64, wordings int, hard float64) Config {
	must := func(v float64) Dist { return Must(Constant(v)) }
	return Config{
		Seed: 3, Duration: 1000 * time.Second,
		Profiles: []Profile{{Name: "p", Context: must(100), Output: must(10), Topics: topics, TopicSkew: skew, Wordings: wordings, HardShare: hard}},
		Streams:  []Stream{{Name: "s", Rate: 20, Arrivals: ArrivalsConstant, Clients: 10}},
	}
}

// Ensure topics come up by Zipf's law, wordings evenly, and hard ones in their share, each within the
// 99.9 % interval of its count.
func TestTopicsComeUpAsTheyShould(t *testing.T) {
	const n = 20_000
	w := open(t, topical(10, 1, 4, 0.2))
	var topic [11]float64
	var wording [4]float64
	for _, d := range all(w, 0) {
		topic[d.Topic]++
		wording[d.Wording]++
	}
	harmonic := 0.0
	for i := 1; i <= 10; i++ {
		harmonic += 1 / float64(i)
	}
	near := func(what string, got, share float64) {
		t.Helper()
		if got < n*share-3.29*math.Sqrt(n*share*(1-share)) || got > n*share+3.29*math.Sqrt(n*share*(1-share)) {
			t.Errorf("%s: %v of %d, want about %.1f", what, got, n, n*share)
		}
	}
	if topic[0] > 0 {
		t.Errorf("%v requests have no topic", topic[0])
	}
	for i := 1; i <= 10; i++ {
		near("topic", topic[i], 1/float64(i)/harmonic)
	}
	for _, c := range wording {
		near("wording", c, 0.25)
	}
	hard := 0.0
	for _, d := range all(open(t, topical(0, 0, 0, 0.2)), 0) {
		if d.Hard {
			hard++
		}
	}
	near("hard", hard, 0.2)
}

// Ensure what requests are about changes nothing else of them.
func TestTopicsLeaveTheRestAlone(t *testing.T) {
	plain, topical := all(open(t, topical(0, 0, 0, 0)), 0), all(open(t, topical(50, 1.2, 3, 0.5)), 0)
	if len(plain) != len(topical) {
		t.Fatalf("%d and %d requests", len(plain), len(topical))
	}
	for i := range plain {
		d := topical[i]
		d.Topic, d.Wording, d.Hard = 0, 0, false
		if d != plain[i] {
			t.Fatalf("request %d: %+v, without topics %+v", i, topical[i], plain[i])
		}
	}
}

// Ensure a text follows from what it is about alone: the same for the same topic and wording, another
// one for another, and its subject in every wording.
func TestTextFollowsFromTheTopic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Demand{
			ID: rapid.Uint64().Draw(t, "id"), Profile: rapid.IntRange(0, 5).Draw(t, "profile"),
			Topic: rapid.Uint64Range(1, 1000).Draw(t, "topic"), Wording: rapid.Uint32Range(0, 8).Draw(t, "wording"),
			Hard: rapid.Bool().Draw(t, "hard"),
		}
		other := d
		other.ID++
		if d.Text() != other.Text() {
			t.Fatalf("%q and %q", d.Text(), other.Text())
		}
		other.Topic = 0
		again := other
		again.ID++
		if other.Text() == again.Text() {
			t.Fatalf("two topics of their own are one: %q", other.Text())
		}
		if d.Hard != (len(d.Text()) > 150) {
			t.Fatalf("hard %t: %q", d.Hard, d.Text())
		}
		reworded := d
		reworded.Wording++
		shared := 0
		for _, word := range strings.Fields(d.Text()) {
			if strings.Contains(reworded.Text(), strings.Trim(word, "?.,()")) {
				shared++
			}
		}
		if shared < 5 {
			t.Fatalf("%q and %q share %d words", d.Text(), reworded.Text(), shared)
		}
	})
}
