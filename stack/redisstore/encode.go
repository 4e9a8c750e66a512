package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/stack/bucket"
	"github.com/seed-4fd17b57/simload/stack/fleet"
)

func micros(d time.Duration) int64 { return int64(d / fleet.Grain) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// arguments are the script's, as it says at its top.
func (s *Store) arguments(m *fleet.Message) []any {
	mode, config := 0, ""
	switch {
	case m.Probe:
		mode = 2
	case m.Join:
		mode, config = 1, encodeConfig(m.Config)
	}
	apart := int64(-1)
	if s.apart >= 0 {
		apart = micros(s.apart)
	}
	args := make([]any, 0, 9+8*len(m.Ops))
	args = append(args, m.Member, micros(m.Given), m.Batch, m.Ack, m.Known, mode, m.Fingerprint, apart, config)
	for i := range m.Ops {
		args = appendOp(args, &m.Ops[i])
	}
	return args
}

func appendOp(args []any, o *fleet.Op) []any {
	args = append(args, int(o.Kind))
	switch o.Kind {
	case fleet.OpAsk:
		return append(args, o.ID, o.Target, o.Class, o.Tokens, o.Output, o.Quota)
	case fleet.OpWithdraw:
		return append(args, o.ID)
	case fleet.OpSettle:
		signal := int64(-1)
		if o.Signal >= 0 {
			signal = micros(o.Signal)
		}
		return append(args, o.ID, bit(o.Unused), bit(o.Known), o.Tokens, o.Output, bit(o.Failed), signal, micros(o.Rest))
	case fleet.OpAdopt:
		return append(args, o.ID, o.Target, o.Class, o.Tokens, o.Output, o.Quota, micros(o.Taken), bit(o.Charged))
	case fleet.OpCharge:
		return append(args, o.Quota, micros(o.Taken), o.Requests, o.Tokens, o.Output)
	case fleet.OpExclude:
		return append(args, o.Quota, micros(o.Rest))
	case fleet.OpKill:
		return append(args, o.Key)
	}
	return args
}

// The configuration as the script keeps it: quotas and targets count from 1.
type (
	limitForm struct {
		Capacity int64 `json:"capacity"`
		Reserve  int64 `json:"reserve"` // units
		Burst    int64 `json:"burst"`
		Shared   int64 `json:"shared"` // burst of the lower classes
		Width    int64 `json:"width"`  // of a bin
		Span     int64 `json:"span"`   // of the window, in seconds
	}
	quotaForm struct {
		Limits [4]limitForm `json:"limits"`
		Places int          `json:"places"`
		Shared int          `json:"shared"` // by several targets
	}
	targetForm struct {
		Keys     [][3]int64 `json:"keys"` // key, quota, weight
		Adaptive int        `json:"adaptive"`
		Start    int        `json:"start"`
		Min      int        `json:"min"`
		Max      int        `json:"max"`
		Interval int64      `json:"interval"`
		Low      int64      `json:"low"`
		High     int64      `json:"high"`
		Samples  int        `json:"samples"`
		Least    int        `json:"least"`
		Increase int        `json:"increase"`
		Decrease int        `json:"decrease"`
		Reserve  int        `json:"reserve"`
	}
	configForm struct {
		Lease     int64        `json:"lease"`
		Quiet     int64        `json:"quiet"`
		Remaining int          `json:"remaining"`
		Group     []int        `json:"group"` // by target
		Groups    [][]int      `json:"groups"`
		Targets   []targetForm `json:"targets"`
		Quotas    []quotaForm  `json:"quotas"`
	}
)

func encodeConfig(cfg *fleet.Config) string {
	f := configForm{Lease: micros(cfg.Lease), Quiet: micros(cfg.Quiet), Remaining: bit(cfg.Remaining)}
	numbers := map[int]int{}
	for i, g := range cfg.Groups() {
		n, have := numbers[g]
		if !have {
			f.Groups = append(f.Groups, nil)
			n = len(f.Groups)
			numbers[g] = n
		}
		f.Group = append(f.Group, n)
		f.Groups[n-1] = append(f.Groups[n-1], i+1)
	}
	users := make([]int, len(cfg.Quotas))
	for i := range cfg.Targets {
		f.Targets = append(f.Targets, encodeTarget(&cfg.Targets[i]))
		seen := map[int]bool{}
		for _, k := range cfg.Targets[i].Keys {
			if !seen[k.Quota] {
				seen[k.Quota] = true
				users[k.Quota]++
			}
		}
	}
	for i := range cfg.Quotas {
		q := &cfg.Quotas[i]
		f.Quotas = append(f.Quotas, quotaForm{
			Limits: [4]limitForm{encodeLimit(q.Requests, time.Second), encodeLimit(q.Tokens, time.Second), encodeLimit(q.Output, time.Second), encodeLimit(q.Daily, 24*time.Minute)},
			Places: q.Places, Shared: bit(users[i] > 1),
		})
	}
	b, err := json.Marshal(&f)
	if err != nil {
		return "" // numbers always encode
	}
	return string(b)
}

func encodeLimit(l fleet.Limit, width time.Duration) limitForm {
	burst := l.Burst
	if width != time.Second {
		burst = bucket.Span * width // a day's limit has no schedule
	}
	return limitForm{
		Capacity: l.Capacity, Reserve: l.Capacity * int64(l.Reserve) / 100, Burst: micros(burst),
		Shared: micros(burst - burst*time.Duration(l.Reserve)/100), Width: micros(width), Span: bucket.Span * int64(width/time.Second),
	}
}

func encodeTarget(t *fleet.Target) targetForm {
	l := &t.Limit
	f := targetForm{
		Adaptive: bit(t.Controller == "aimd"), Start: l.Start, Min: l.Min, Max: l.Max, Interval: micros(l.Interval), Low: micros(l.Low),
		High: micros(l.High), Samples: l.Samples, Least: l.MinSamples, Increase: l.IncreasePercent, Decrease: l.DecreasePercent, Reserve: t.Reserve,
	}
	for _, k := range t.Keys {
		f.Keys = append(f.Keys, [3]int64{int64(k.Key), int64(k.Quota) + 1, k.Weight})
	}
	return f
}

var errForm = errors.New("it has not the form of books.lua")

// reader takes numbers off a reply.
type reader struct {
	list []any
	err  error
}

func (r *reader) value() any {
	if len(r.list) == 0 {
		r.err = errForm
		return int64(0)
	}
	v := r.list[0]
	r.list = r.list[1:]
	return v
}

func (r *reader) number() int64 {
	switch v := r.value().(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err == nil {
			return n
		}
	}
	r.err = errForm
	return 0
}

func (r *reader) instant() time.Duration { return time.Duration(r.number()) * fleet.Grain }

// rest is a list within the list.
func (r *reader) rest() *reader {
	list, ok := r.value().([]any)
	if !ok {
		r.err = errForm
	}
	return &reader{list: list}
}

func (r *reader) more() bool { return r.err == nil && len(r.list) > 0 }

func readReply(list []any) (fleet.Reply, error) {
	r := &reader{list: list}
	var out fleet.Reply
	out.Status, out.Now, out.Clock, out.Epoch, out.Members = fleet.Status(r.number()), r.instant(), r.instant(), r.number(), int(r.number())
	if !r.more() {
		return out, r.err
	}
	woken := r.rest()
	for woken.more() {
		name, _ := woken.value().(string)
		out.Wake = append(out.Wake, name)
	}
	if !r.more() {
		return out, r.err
	}
	grants, heads := r.rest(), r.rest()
	for grants.more() {
		out.Grants = append(out.Grants, fleet.Grant{
			Number: uint64(grants.number()), ID: uint64(grants.number()), Key: int(grants.number()), Quota: int(grants.number()), Taken: grants.instant(),
		})
	}
	for heads.more() {
		out.Heads = append(out.Heads, fleet.Head{Target: int(heads.number()), ID: uint64(heads.number()), At: heads.instant(), Why: fleet.Why(heads.number())})
	}
	if err := errors.Join(grants.err, heads.err); err != nil || !r.more() {
		return out, errors.Join(r.err, err)
	}
	news := &fleet.News{Version: uint64(r.number())}
	dead, rests, gates := r.rest(), r.rest(), r.rest()
	for dead.more() {
		news.Dead = append(news.Dead, int(dead.number()))
	}
	for rests.more() {
		news.Rests = append(news.Rests, fleet.Rest{Quota: int(rests.number()), Until: rests.instant()})
	}
	for gates.more() {
		news.Gates = append(news.Gates, fleet.Gate{
			Limit: int(gates.number()), InFlight: int(gates.number()), Raised: gates.number(), Lowered: gates.number(),
		})
	}
	out.News = news
	if err := errors.Join(r.err, dead.err, rests.err, gates.err); err != nil {
		return out, fmt.Errorf("news: %w", err)
	}
	return out, nil
}
