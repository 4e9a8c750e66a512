package workload

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const clientTable = "model,client_id,mean_rps,days,cv_rate_weighted\n" +
	"a,0,2.5,1,3.5\na,1,0,1,\nb,0,9,1,1\na,2,0.5,1,172.8\na,3,1,1,0\n"

// Ensure a table gives a group for each client that has requests.
func TestReadClients(t *testing.T) {
	groups, rate, err := ReadClients(strings.NewReader(clientTable), "a", 7)
	want := []ClientGroup{{"0", 1, 2.5, 3.5, 7}, {"2", 1, 0.5, maxCV, 7}, {"3", 1, 1, minCV, 7}}
	if err != nil || rate != 4 || !slices.Equal(groups, want) {
		t.Errorf("groups %+v, rate %v, error %v", groups, rate, err)
	}
	for table, want := range map[string]string{
		"":                            "the file is empty",
		"model,client_id,mean_rps\n":  "column cv_rate_weighted is missing",
		clientTable[:10]:              "column client_id is missing",
		"\x1f\x8b":                    "unpacking",
		clientTable + "a,4,x,1,1\n":   `line 7: mean_rps of client 4: strconv.ParseFloat: parsing "x"`,
		clientTable + "a,4,-1,1,1\n":  "mean_rps of client 4: value is -1, must not be negative",
		clientTable + "a,4,1,1,NaN\n": "cv_rate_weighted of client 4: value is not a number",
		clientTable + "a,4,1\n":       "wrong number of fields",
		strings.ReplaceAll(clientTable, "a", "c"):             "column",
		"model,client_id,mean_rps,cv_rate_weighted\na,1,0,\n": `model "a" has no client with requests`,
	} {
		if _, _, err := ReadClients(strings.NewReader(table), "a", 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}
}

// Ensure a stream of ServeGen's clients has their rate, and the share of the busiest
// tenth is that of the data: between 49 and 80 %, by model. The number of requests of
// a client in time T has variance about CV^2*rate*T.
func TestServeGenClients(t *testing.T) {
	const seconds = 1000
	for model, want := range map[string]float64{"m-large": 0.738, "mm-image": 0.492, "deepseek-r1": 0.600} {
		f, err := os.Open("../../shared/data/servegen_clients.csv.gz")
		if err != nil {
			t.Skipf("no ServeGen table: %v", err)
		}
		defer f.Close()
		groups, rate, err := ReadClients(f, model, 0)
		if err != nil {
			t.Fatal(err)
		}
		cfg := oneStream(rate, ArrivalsGamma, seconds*time.Second)
		cfg.Streams[0].Clients, cfg.Streams[0].Mix = len(groups), &Mix{Groups: groups}
		w := open(t, cfg)
		order := make([]int, len(groups))
		for s := range order {
			order[s] = s
		}
		slices.SortFunc(order, func(a, b int) int {
			return int(math.Copysign(1, groups[b].Share-groups[a].Share))
		})
		top := int(math.Round(float64(len(groups)) / 10))
		n, variance, share, busiest := [2]float64{}, [2]float64{}, [2]float64{}, 0.0
		for i, s := range order {
			part := 0
			if i >= top {
				part = 1
			}
			g := groups[s]
			n[part] += float64(len(all(w, s)))
			share[part] += g.Share / rate
			variance[part] += g.CV * g.CV * g.Share * seconds
		}
		if math.Abs(share[0]-want) > 0.0005 {
			t.Errorf("%s: the busiest %d of %d clients have %.4f of the rate in the table, want %v", model, top, len(groups), share[0], want)
		}
		all := n[0] + n[1]
		if half := z999 * math.Sqrt(variance[0]+variance[1]); math.Abs(all-rate*seconds) > half {
			t.Errorf("%s: %v requests, want %v +- %v", model, all, rate*seconds, half)
		}
		busiest = n[0] / all
		half := z999 * math.Sqrt(share[1]*share[1]*variance[0]+share[0]*share[0]*variance[1]) / (rate * seconds)
		if math.Abs(busiest-want) > half {
			t.Errorf("%s: the busiest tenth has %.4f of the requests, want %v +- %v", model, busiest, want, half)
		}
		t.Logf("%s: %.0f requests, the busiest tenth has %.3f, in the data %.3f +- %.3f", model, all, busiest, want, half)
	}
}

// Ensure clients are dealt to groups by weight and requests by share, and each group has
// its profile.
func TestGroups(t *testing.T) {
	cfg := oneStream(100, ArrivalsPoisson, 400*time.Second)
	cfg.Profiles = make([]Profile, 3)
	cfg.Streams[0].Clients = 10
	cfg.Streams[0].Mix = &Mix{Groups: []ClientGroup{{Weight: 1, Share: 80, Profile: 1}, {Weight: 8.9, Share: 20, Profile: 2}}}
	cfg.Streams = append(cfg.Streams, Stream{Rate: 1, Clients: 2})
	w := open(t, cfg)
	if w.Sources() != 11 || w.Clients() != 12 {
		t.Fatalf("%d sources, %d clients", w.Sources(), w.Clients())
	}
	n := [2]int{}
	for s := range 10 {
		group := min(s, 1)
		for i, d := range all(w, s) {
			if !w.Open(s) || d.Source != s || int(d.Client) != s || d.Profile != 1+group || d.Task != uint32(i) {
				t.Fatalf("source %d: %+v", s, d)
			}
			n[group]++
		}
	}
	for group, share := range []float64{0.8, 0.2} {
		if want := 40_000 * share; math.Abs(float64(n[group])-want) > z999*math.Sqrt(want) {
			t.Errorf("group %d has %d requests, want about %v", group, n[group], want)
		}
	}
	if d, ok := w.Next(10); !ok || d.Client != 10 {
		t.Errorf("the stream after it begins with %+v", d)
	}
}

// Ensure profiles of a mix come as often as their weights say, and change nothing else.
func TestProfileMix(t *testing.T) {
	cfg := oneStream(100, ArrivalsPoisson, 400*time.Second)
	plain := all(open(t, cfg), 0)
	cfg.Profiles = make([]Profile, 4)
	cfg.Streams[0].Profile = 3
	cfg.Streams[0].Mix = &Mix{Profiles: []Weighted{{2, 5}, {1, 0}, {0, 15}}}
	seen := make([]int, 4)
	ds := all(open(t, cfg), 0)
	for i, d := range ds {
		seen[d.Profile]++
		d.Profile = 0
		if d != plain[i] {
			t.Fatalf("request %d is %+v, want %+v", i, d, plain[i])
		}
	}
	if seen[1]+seen[3] > 0 {
		t.Errorf("profiles without weight come: %v", seen)
	}
	checkShare(t, "weight 5 of 20", seen[2], len(ds), 0.25)
}
