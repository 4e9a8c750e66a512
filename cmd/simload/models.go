package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/spf13/cobra"
)

func (a *app) modelsCmd() *cobra.Command {
	var format *choice
	cmd := &cobra.Command{
		Use:        "models",
		Short:      "list the catalogue of models",
		SuggestFor: []string{"catalog", "catalogue", "list", "prices"},
		Long: `models lists the models that scenarios can name without describing them: vendor,
context window, prices in USD per million tokens, and what the vendor's usage
tiers allow per minute, as requests/tokens. The JSON has the latencies, the notes
and the source and date of every figure too.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := catalog.Load()
			if err != nil {
				return err
			}
			models := make([]catalog.Model, 0, len(c.Names()))
			for _, name := range c.Names() {
				m, _ := c.Model(name) // a name of its own list
				models = append(models, m)
			}
			slices.SortStableFunc(models, func(x, y catalog.Model) int { return cmp.Compare(x.Vendor, y.Vendor) })
			if format.value == formatJSON {
				return printModelsJSON(a.stdout, models)
			}
			printModels(a.stdout, models)
			return nil
		},
	}
	format = formatFlag(cmd, "form of the output", "table", formatJSON)
	return cmd
}

func printModels(w io.Writer, models []catalog.Model) {
	rows := [][]string{{"vendor", "model", "context", "in", "cached", "out", "tiers (RPM/TPM)"}}
	for i := range models {
		m := &models[i]
		rows = append(rows, []string{
			m.Vendor, m.Name, strings.Replace(short(m.ContextWindow), ".0", "", 1),
			usdText(m.Price.Input), usdText(m.Price.Cached), usdText(m.Price.Output), tiers(m.Tiers),
		})
	}
	fmt.Fprintln(w, "Models, prices in USD per million tokens")
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf("%-*s  %-*s  %*s  %*s  %*s  %*s  %s",
			width[0], r[0], width[1], r[1], width[2], r[2], width[3], r[3], width[4], r[4], width[5], r[5], r[6])
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// tiers lists limits as "tier1 500/30k"; "-" stands for no limit.
func tiers(list []catalog.Tier) string {
	limit := func(n int64) string {
		if n == 0 {
			return "-"
		}
		return strings.Replace(short(n), ".0", "", 1)
	}
	texts := make([]string, len(list))
	for i, t := range list {
		texts[i] = t.Name + " " + limit(t.RPM) + "/" + limit(t.TPM)
		if t.Concurrency > 0 {
			texts[i] += fmt.Sprintf(" (%d at once)", t.Concurrency)
		}
	}
	return strings.Join(texts, ", ")
}

// usd turns pico-USD per token into USD per million tokens.
func usd(pico int64) float64 { return float64(pico) / 1e6 }

func usdText(pico int64) string { return strconv.FormatFloat(usd(pico), 'f', -1, 64) }

// The JSON of models is an array of modelJSON.
type (
	modelJSON struct {
		Name          string      `json:"name"`
		Vendor        string      `json:"vendor"`
		ContextWindow int64       `json:"context_window"`
		MaxOutput     int64       `json:"max_output"`
		Price         priceJSON   `json:"usd_per_mtok"`
		Latency       latencyJSON `json:"latency"`
		Tiers         []tierJSON  `json:"tiers"`
		Source        string      `json:"source"`
		AsOf          string      `json:"as_of"`
		Note          string      `json:"note,omitempty"`
	}
	priceJSON struct {
		Input  float64 `json:"input"`
		Cached float64 `json:"cached"`
		Output float64 `json:"output"`
	}
	latencyJSON struct {
		Class          string  `json:"class"`
		BaseMS         float64 `json:"base_ms"`
		PromptTokenMS  float64 `json:"per_prompt_token_ms"`
		CachedTokenMS  float64 `json:"per_cached_token_ms"`
		OutputTokenMS  float64 `json:"per_output_token_ms"`
		FirstTokenLogS float64 `json:"first_token_sigma"`
		OutputLogS     float64 `json:"output_sigma"`
	}
	tierJSON struct {
		Name        string `json:"name"`
		RPM         int64  `json:"rpm"` // 0: no limit
		TPM         int64  `json:"tpm"`
		Concurrency int64  `json:"concurrency,omitempty"`
		Source      string `json:"source"`
		AsOf        string `json:"as_of"`
	}
)

func printModelsJSON(w io.Writer, models []catalog.Model) error {
	list := make([]modelJSON, len(models))
	for i := range models {
		list[i] = modelOf(&models[i])
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(list); err != nil {
		return fmt.Errorf("writing models: %w", err)
	}
	return nil
}

func modelOf(m *catalog.Model) modelJSON {
	l := &m.Latency
	out := modelJSON{
		Name: m.Name, Vendor: m.Vendor, ContextWindow: m.ContextWindow, MaxOutput: m.MaxOutput,
		Price: priceJSON{usd(m.Price.Input), usd(m.Price.Cached), usd(m.Price.Output)},
		Latency: latencyJSON{
			m.LatencyClass, 1e3 * l.Base.Seconds(), 1e3 * l.PerPromptToken.Seconds(), 1e3 * l.PerCachedToken.Seconds(),
			1e3 * l.PerOutputToken.Seconds(), l.FirstTokenSigma, l.OutputSigma,
		},
		Tiers: make([]tierJSON, len(m.Tiers)), Source: m.Source.Text, AsOf: m.Source.AsOf, Note: m.Note,
	}
	for i, t := range m.Tiers {
		out.Tiers[i] = tierJSON{t.Name, t.RPM, t.TPM, t.Concurrency, t.Source.Text, t.Source.AsOf}
	}
	return out
}
