package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

//go:embed mock.yaml
var mockScenario []byte

// mockGuests is how many unknown keys the mock lets in when no scenario says which there are.
const mockGuests = 16

// guestsMax bounds --guests: each guest has limits of its own at every model.
const guestsMax = 10_000

// mockFlags are the flags of the verb mock.
type mockFlags struct {
	listen  string
	remote  bool
	guests  int
	variant string
	sets    []string
	seed    *uint64
	span    time.Duration
	format  *choice
	quiet   bool
}

func (a *app) mockCmd() *cobra.Command {
	f := mockFlags{listen: "127.0.0.1:8080", guests: -1}
	var seed uint64
	cmd := &cobra.Command{
		Use:        "mock [SCENARIO]",
		Short:      "serve the mock upstream over HTTP",
		SuggestFor: []string{"serve", "server"},
		Long: `mock serves a scenario's upstreams (without one: six vendors at entry limits) over HTTP: OpenAI
chat completions, embeddings and models, Anthropic messages, Gemini generateContent, Azure
deployments; streams, rate-limit headers, errors and faults as the vendors'. Point any client
at it. When it stops (Ctrl-C) it prints what it thinks of the client that used it.

It answers on paths of its own too: GET /healthz, GET /stats (its books, as JSON), GET /metrics
(Prometheus), POST /reset (a new run, empty books).`,
		Example: `  simload mock
  simload mock scenarios/2000-agents.yaml --listen 127.0.0.1:9000
  simload mock --for 1m --format json > audit.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("mock serves one scenario, found %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("seed") {
				f.seed = &seed
			}
			return a.mock(cmd.Context(), args, f)
		},
	}
	fl := cmd.Flags()
	f.format = formatFlag(cmd, "form of the verdict on stdout", "table", "markdown", formatJSON)
	fl.StringVar(&f.listen, "listen", f.listen, "`ADDRESS` to listen on, host:port; port 0 takes a free one")
	fl.BoolVar(&f.remote, "allow-remote", false, "allow an address that other machines can reach")
	fl.IntVar(&f.guests, "guests", f.guests, "let in so many keys that the scenario does not know, each with limits of its own (default 0; without a scenario 16)")
	fl.StringVar(&f.variant, "variant", "", "serve this `NAME` of the scenario's variants (default: the first)")
	fl.StringArrayVar(&f.sets, "set", nil, "override a value of the scenario, as `PATH=VALUE` (repeatable)")
	fl.Uint64Var(&seed, "seed", 0, "seed `N` of latencies and faults (default: the scenario's)")
	fl.DurationVar(&f.span, "for", 0, "stop by itself after `TIME`, such as 1m (default: on Ctrl-C)")
	fl.BoolVar(&f.quiet, "quiet", false, "print the verdict alone")
	return cmd
}

// mock serves until it is told to stop, and prints the verdict.
func (a *app) mock(ctx context.Context, args []string, f mockFlags) error {
	set, name, err := a.mockSetup(args, &f)
	if err != nil {
		return err
	}
	cfg := sim.MockServer(set, f.guests)
	listener, err := mockupstream.Listen(f.listen, f.remote)
	if remote := (*mockupstream.RemoteError)(nil); errors.As(err, &remote) {
		return usagef("--listen: %w", err).hint("listen on 127.0.0.1:8080, or allow it with --allow-remote: there is no authentication but the keys' ids")
	}
	if err != nil {
		return usagef("--listen: %w", err)
	}
	relaxCollector()
	server, err := mockupstream.NewServer(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()
	if f.span > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.span)
		defer stop()
	}
	if !f.quiet {
		a.welcome(set, name, listener.Addr().(*net.TCPAddr), f.guests)
	}
	if err := server.Serve(ctx, listener); err != nil {
		return err
	}
	books := server.Books()
	audit := report.NewAudit(&cfg.Provider, &books, server.Now(), readBuild().tool())
	return report.RenderAudit(a.stdout, audit, f.format.value, report.Options{Width: a.screen.width, Color: a.screen.color})
}

// mockSetup is the scenario to serve, and its name.
func (a *app) mockSetup(args []string, f *mockFlags) (*scenario.Built, string, error) {
	if f.guests < -1 || f.guests > guestsMax {
		return nil, "", usagef("--guests: %d is not from 0 to %d", f.guests, guestsMax)
	}
	if f.span < 0 {
		return nil, "", usagef("--for: %v is negative", f.span)
	}
	var sc *scenario.Scenario
	var err error
	if len(args) == 0 {
		if f.guests < 0 {
			f.guests = mockGuests
		}
		sc, err = scenario.Parse("default", mockScenario, f.sets)
	} else {
		sc, err = scenario.Load(args[0], f.sets)
	}
	f.guests = max(0, f.guests)
	if err != nil {
		return nil, "", &failure{code: report.ExitUsage, err: err}
	}
	variants := sc.Variants()
	v := variants[0]
	if f.variant != "" {
		i := slices.IndexFunc(variants, func(v *scenario.Variant) bool { return v.Name == f.variant })
		if i < 0 {
			var names []string
			for _, v := range variants {
				names = append(names, v.Name)
			}
			return nil, "", usagef("--variant: %q is not one of %s", f.variant, quoted(names))
		}
		v = variants[i]
	}
	seed := sc.Seed()
	if f.seed != nil {
		seed = *f.seed
	}
	set, err := v.Build(seed)
	if err != nil {
		return nil, "", &failure{code: report.ExitUsage, err: err}
	}
	name := sc.Name()
	if len(variants) > 1 {
		name += ", variant " + v.Name
	}
	return set, name, nil
}

// welcome says on stderr where the mock is, in words that can be pasted.
func (a *app) welcome(set *scenario.Built, name string, addr *net.TCPAddr, guests int) {
	base := "http://" + addr.String()
	if addr.IP.IsUnspecified() {
		base = fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	put := func(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }
	put("simload mock: %s (%s), %d models, %d keys%s", base, name, len(set.Upstream.Models), len(set.Upstream.Keys), also(guests))
	if m, key := reach(set, func(d mockupstream.Dialect) bool {
		return d != mockupstream.DialectAnthropic && d != mockupstream.DialectGemini
	}); m != "" {
		put("\nOpenAI SDK, model %s", m)
		put(`  Go          openai.NewClient(option.WithBaseURL("%s/v1"), option.WithAPIKey("%s"))`, base, key)
		put(`  Python      OpenAI(base_url="%s/v1", api_key="%s")`, base, key)
		put(`  TypeScript  new OpenAI({ baseURL: "%s/v1", apiKey: "%s" })`, base, key)
		put(`  any         OPENAI_BASE_URL=%s/v1 OPENAI_API_KEY=%s`, base, key)
	}
	if m, key := reach(set, func(d mockupstream.Dialect) bool { return d == mockupstream.DialectAnthropic }); m != "" {
		put("\nAnthropic SDK, model %s", m)
		put(`  Go          anthropic.NewClient(option.WithBaseURL("%s"), option.WithAPIKey("%s"))`, base, key)
		put(`  Python      Anthropic(base_url="%s", api_key="%s")`, base, key)
		put(`  TypeScript  new Anthropic({ baseURL: "%s", apiKey: "%s" })`, base, key)
		put(`  any         ANTHROPIC_BASE_URL=%s ANTHROPIC_API_KEY=%s`, base, key)
	}
	if m, key := reach(set, func(d mockupstream.Dialect) bool { return d == mockupstream.DialectGemini }); m != "" {
		put("\nGemini SDK, model %s: base URL %s, key %s", m, base, key)
	}
	put("\n%s/stats   %s/metrics   POST %s/reset", base, base, base)
	put("Ctrl-C stops the mock and prints its verdict on the client.")
}

func also(guests int) string {
	if guests == 0 {
		return ""
	}
	return fmt.Sprintf(", and any other key, up to %d of them", guests)
}

// reach returns the first model whose dialect will do, and the first key that may use it.
func reach(set *scenario.Built, ok func(mockupstream.Dialect) bool) (model, key string) {
	for m := range set.Upstream.Models {
		if !ok(set.Upstream.Models[m].Dialect) {
			continue
		}
		for k := range set.Upstream.Keys {
			if set.Upstream.Keys[k].Quotas[m] >= 0 {
				return set.Upstream.Models[m].Name, set.Upstream.Keys[k].ID
			}
		}
	}
	return "", ""
}
