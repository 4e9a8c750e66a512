package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// variant lays out the measurements of one variant, in the order of the reader's questions.
func (b *htmlBuilder) variant(v *Variant) htmlpage.Variant {
	out := htmlpage.Variant{ID: b.id, Name: htmlText(shorten(clean(v.Name), exprLong)), Tiles: b.tiles(v)}
	if v.Bound.Resource != "" {
		out.Bound = htmlTexts(boundSection(v).lines)
	}
	u := b.unit
	add := func(id, title, note string, blocks ...htmlpage.Block) {
		blocks = slices.DeleteFunc(blocks, func(x htmlpage.Block) bool {
			return x.Table == nil && x.Figure == nil && x.Figures == nil && x.Slow == nil && x.Facts == nil && x.Lines == nil && x.Key == nil
		})
		if len(blocks) > 0 {
			out.Sections = append(out.Sections, htmlpage.Section{ID: b.id + "-" + id, Title: title, Note: htmlText(note), Blocks: blocks})
		}
	}
	table := func(s section) htmlpage.Block { return htmlpage.Block{Table: htmlTable(&s)} }
	add("latency", "Latency", "From the instant an agent meant to ask, so that a stalled provider cannot hide its stall. A failure counts as the worst.",
		htmlpage.Block{Figure: b.curves(v)}, table(latencySection(v, u)))
	add("time", "Over time", b.timeNote(v), b.faults(v), htmlpage.Block{Figures: b.series(v)})
	keys := keyTable(v, u)
	add("keys", "Keys", keys.note, htmlpage.Block{Key: keys.key}, htmlpage.Block{Table: keys.table})
	add("parts", "Where the time went", "", partBlocks(v, u)...)
	if slow := slowList(v); slow != nil {
		add("slowest", "Slowest requests", "From the intended instant to the end; each opens to its attempts.", htmlpage.Block{Key: []htmlpage.Swatch{
			{Class: "good", Text: "attempt that succeeded"}, {Class: "bad", Text: "attempt that did not (thinner)"}, {Class: "wait", Text: "waiting"},
		}}, htmlpage.Block{Slow: slow})
	}
	add("cost", "Cost", "", htmlpage.Block{Facts: htmlTexts(costSection(v).facts)}, costTable(v, true), costTable(v, false))
	add("stack", "Models, gates and fairness", "", htmlpage.Block{Facts: htmlTexts(stackSection(v).facts)},
		table(modelSection(v, u)), table(gateSection(v)), table(fairSection(v, u)), table(replicationSection(v)))
	alerts := htmlpage.Block{}
	for _, a := range v.Alerts {
		text := clean(a.Text)
		if at := formClock(float64(a.AtS)); at != none {
			text = at + " " + text
		}
		alerts.Lines = append(alerts.Lines, htmlText(text))
	}
	if s := workerSection(v); len(s.grid.rows) > 0 {
		add("workers", s.label, s.aside, table(s))
	}
	add("alerts", "Alerts", alertSection(v).aside, alerts)
	return out
}

// tiles are the figures that are looked at first.
func (b *htmlBuilder) tiles(v *Variant) []htmlpage.Tile {
	t, u := &v.Totals, b.unit
	ok := formOK(t.Succeeded, v.asked(t.Requests, t.InFlight))
	limited := ""
	if t.Attempts > 0 {
		limited = formPercent(float64(t.HTTP429) / float64(t.Attempts))
	}
	all := u.stats(v, MetricTotal, By{}, true, "p50", "p99")
	short := map[string]string{"seconds": "s", "milliseconds": "ms"}[u.name]
	out := []htmlpage.Tile{
		{Label: "Served", Value: form3(float64(v.Throughput.RequestsPerS)), Unit: "req/s", Note: "of " + form3(float64(v.Offered.RequestsPerS)) + " offered"},
		{Label: "Tokens", Value: formSI(float64(v.Throughput.TokensPerMin)), Unit: "/min", Note: "of " + formSI(float64(v.Offered.TokensPerMin)) + " offered"},
		{Label: "Succeeded", Value: ok, Unit: "%", Note: "of " + v.count(t.Requests) + " requests"},
		{Label: "p99", Value: all[1], Unit: short, Note: "p50 " + all[0] + thin + short},
		{Label: "429s", Value: limited, Unit: "%", Note: "of " + v.count(t.Attempts) + " attempts"},
	}
	if v.Cost.Currency != "" && t.Succeeded > 0 {
		out = append(out, htmlpage.Tile{
			Label: "Cost per 1000", Value: formMoney(float64(v.Cost.Per1000)), Unit: clean(v.Cost.Currency),
			Note: formMoney(v.mean(v.Cost.Total)) + " in all",
		})
	}
	out = slices.DeleteFunc(out, func(t htmlpage.Tile) bool { return t.Value == "" || t.Value == none })
	for i := range out {
		out[i].Value, out[i].Note, out[i].Unit = htmlText(out[i].Value), htmlText(out[i].Note), htmlText(out[i].Unit)
		if strings.HasPrefix(out[i].Value, "fail") {
			out[i].Unit = ""
		}
	}
	return out
}

// keysOpen is how many keys are shown without unfolding the rest.
const keysOpen = 20

type keyPart struct {
	note  string
	key   []htmlpage.Swatch
	table *htmlpage.Table
}

// keyTable lists all keys, most 429s first, with bars of their use.
func keyTable(v *Variant, u latencyUnit) keyPart {
	s := keySectionOf(v, u, len(v.Keys))
	t := htmlTable(&s)
	if t == nil {
		return keyPart{}
	}
	t.Fold, t.Folded = keysOpen, fmt.Sprintf("The other %d, with fewer 429s", len(t.Rows)-keysOpen)
	if t.Fold >= len(t.Rows) {
		t.Fold = 0
	}
	t.Caption = "Keys, most 429s first"
	sorted := keysByRefusals(v)
	for i := range t.Rows {
		k := &sorted[i]
		for c, head := range t.Heads {
			switch {
			case strings.HasPrefix(head.Name, "RPM"):
				t.Rows[i].Cells[c].Spans = useSpans(k.RPMUtilisation, k.RPMWorst)
			case strings.HasPrefix(head.Name, "TPM"):
				t.Rows[i].Cells[c].Spans = useSpans(k.TPMUtilisation, k.TPMWorst)
			}
		}
	}
	return keyPart{s.aside, []htmlpage.Swatch{{Class: "use", Text: "95th percentile of the minutes"}, {Class: "worst", Text: "worst minute"}, {Class: "room", Text: "the provider's limit"}}, t}
}

// useSpans draw how much of a limit was used: in 19 of 20 minutes, and in the worst.
func useSpans(p95, worst Num) []htmlpage.Span {
	if math.IsNaN(float64(p95)) {
		return nil
	}
	at := func(x Num) float64 { return max(0, min(100, float64(x)*100)) }
	return []htmlpage.Span{{W: 100, Class: "room"}, {W: at(worst), Class: "worst"}, {W: at(p95), Class: "use"}}
}

// costTable lists the bill by model, or by profile.
func costTable(v *Variant, byModel bool) htmlpage.Block {
	what := "profile"
	if byModel {
		what = "model"
	}
	s := section{label: "Cost by " + what, grid: &grid{cols: []column{
		{head: what, text: true},
		{head: "tokens in"},
		{head: "cached %"},
		{head: "tokens out"},
		{head: "USD"},
		{head: "CNY"},
		{head: "wasted USD"},
		{head: "share %"},
	}}}
	if v.runs() > 1 {
		s.aside = "mean of a run"
	}
	var shares []float64
	for _, c := range v.Cost.By {
		name := c.By.Profile
		if byModel {
			name = c.By.Model
		}
		if name == "" || c.TokensIn+c.TokensOut == 0 && c.Cost == 0 {
			continue
		}
		cached, wasted, cny := "", "", ""
		if c.TokensCached > 0 {
			cached = formPercent(float64(c.TokensCached) / float64(c.TokensIn))
		}
		if c.Wasted > 0 {
			wasted = formMoney(v.mean(c.Wasted))
		}
		if v.Cost.CNYPerUSD > 0 {
			cny = formMoney(v.mean(c.Cost) * float64(v.Cost.CNYPerUSD))
		}
		share := float64(c.Cost) / float64(v.Cost.Total)
		shares = append(shares, share)
		s.grid.add(clean(name), formSI(v.mean(Num(c.TokensIn))), cached, formSI(v.mean(Num(c.TokensOut))), formMoney(v.mean(c.Cost)), cny, wasted, formPercent(share))
	}
	t := htmlTable(&s)
	if t == nil || t.Heads[len(t.Heads)-1].Name != "share %" {
		return htmlpage.Block{Table: t}
	}
	for i := range t.Rows {
		t.Rows[i].Cells[len(t.Heads)-1].Spans = []htmlpage.Span{{W: 100, Class: "room"}, {W: max(0, min(100, shares[i]*100)), Class: "use"}}
	}
	return htmlpage.Block{Table: t}
}

// slowList tells the slowest requests with their steps.
func slowList(v *Variant) []htmlpage.Slow {
	var out []htmlpage.Slow
	for i := range v.Slowest {
		s := &v.Slowest[i]
		facts := []string{"at " + formClock(float64(s.IntendedS)), "agent " + strconv.Itoa(s.Agent), "request " + clean(s.Request), clean(s.Ending)}
		if v.runs() > 1 {
			facts = append(facts, "seed "+strconv.FormatUint(s.Seed, 10))
		}
		if parts := slowParts(s); parts != "" {
			facts = append(facts, parts)
		}
		out = append(out, htmlpage.Slow{
			Name: htmlText(shorten(clean(s.Profile), nameLong)), Value: htmlText(formSeconds(float64(s.TotalMS) / 1000)), Facts: htmlTexts(facts),
			Spans: slowSpans(s), Parts: slowPartTable(s), Steps: slowStepTable(s),
		})
	}
	return out
}

// slowSpans draw the attempts on the request's time.
func slowSpans(s *Slow) []htmlpage.Span {
	length := float64(s.TotalMS) / 1000
	if !(length > 0) {
		return nil
	}
	spans := []htmlpage.Span{{W: 100, Class: "wait", Title: "waiting"}}
	at := func(t Num) float64 { return max(0, min(100, (float64(t)-float64(s.IntendedS))/length*100)) }
	for i, st := range s.Steps {
		class := "bad"
		if st.Outcome == "success" {
			class = "good"
		}
		x := at(st.SentS)
		spans = append(spans, htmlpage.Span{
			X: x, W: max(at(st.EndedS)-x, 0.5), Class: class, Title: fmt.Sprintf("attempt %d: %s", i+1, clean(st.Outcome)),
		})
	}
	return spans
}

func slowPartTable(s *Slow) *htmlpage.Table {
	t := section{label: "Parts of the time", grid: &grid{cols: []column{{head: "part", text: true}, {head: "s"}, {head: "% of the time"}}}}
	for _, p := range s.Parts {
		if p.MS > 0 {
			t.grid.add(clean(p.Name), form3(float64(p.MS)/1000), formPercent(float64(p.MS)/float64(s.TotalMS)))
		}
	}
	return htmlTable(&t)
}

func slowStepTable(s *Slow) *htmlpage.Table {
	t := section{label: "Attempts", aside: "seconds since the intended instant", grid: &grid{cols: []column{
		{head: "attempt"},
		{head: "model", text: true},
		{head: "key", text: true},
		{head: "sent s"},
		{head: "ended s"},
		{head: "took s"},
		{head: "outcome", text: true},
		{head: "status"},
	}}}
	for i, st := range s.Steps {
		status := ""
		if st.Status > 0 {
			status = strconv.Itoa(st.Status)
		}
		since := func(at Num) string { return form3(float64(at - s.IntendedS)) }
		t.grid.add(strconv.Itoa(i+1), clean(st.Model), clean(st.Key), since(st.SentS), since(st.EndedS), form3(float64(st.EndedS-st.SentS)), clean(st.Outcome), status)
	}
	return htmlTable(&t)
}
