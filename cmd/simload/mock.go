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
	"strings"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

//go:embed mock.yaml
var mockScenario []byte

// mockGuests is how many unknown keys the mock lets in when no scenario says which there are.
const mockGuests = 16

// mockListen is where the mock listens unless it is told.
const mockListen = "127.0.0.1:8080"

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
	f := mockFlags{listen: mockListen}
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
			if !cmd.Flags().Changed("guests") && len(args) == 0 {
				f.guests = mockGuests
			}
			return a.mock(cmd.Context(), args, f)
		},
	}
	fl := cmd.Flags()
	f.format = formatFlag(cmd, "form of the verdict on stdout", "table", "markdown", formatJSON)
	fl.StringVar(&f.listen, "listen", f.listen, "`ADDRESS` to listen on, host:port; port 0 takes a free one")
	fl.BoolVar(&f.remote, "allow-remote", false, "allow an address that other machines can reach")
	fl.IntVar(&f.guests, "guests", f.guests, fmt.Sprintf("let in `N` keys that the scenario does not know, each with limits of its own (default: none; without a scenario %d)", mockGuests))
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
	if err != nil {
		return listenFailure("listen", f.listen, mockListen, err)
	}
	relaxCollector()
	cut := make(chan struct{})
	cfg.Cut = cut
	server, err := mockupstream.NewServer(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if f.span > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, f.span)
		defer stop()
	}
	ctx, release := a.curtain(ctx, cut, func() int64 { return server.Books().Running })
	defer release()
	if !f.quiet {
		a.welcome(set, name, listener.Addr().(*net.TCPAddr), f.guests)
	}
	if err := server.Serve(ctx, listener); err != nil {
		return err
	}
	stats := server.Stats()
	audit := report.NewAudit(&cfg.Provider, &stats, readBuild().tool())
	return report.RenderAudit(a.stdout, audit, f.format.value, report.Options{Width: a.screen.width, Color: a.screen.color})
}

// curtain returns a context that ends with ctx or at the first SIGINT or SIGTERM. If calls are under way then, it
// says so, and the next signal closes cut. release gives the signals back.
func (a *app) curtain(ctx context.Context, cut chan<- struct{}, running func() int64) (_ context.Context, release func()) {
	ctx, end := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var first time.Time
		ended := ctx.Done()
		for {
			select {
			case <-done:
				return
			case <-ended:
				ended = nil
				if n := running(); n > 0 {
					fmt.Fprintf(a.stderr, "simload: stopping, %s under way (Ctrl-C%s cuts them)\n", fleet.Number(n, "call"), again(first))
				}
			case <-signals:
				switch t := a.now(); {
				case first.IsZero() && ended != nil:
					first = t
					end()
				case t.Sub(first) >= interruptAgain: // see there
					close(cut)
					<-done
					return
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-gone
		end()
	}
}

// again is the word for one more signal, if there was a first.
func again(first time.Time) string {
	if first.IsZero() {
		return ""
	}
	return " again"
}

// mockSetup is the scenario to serve, and its name.
func (a *app) mockSetup(args []string, f *mockFlags) (*scenario.Built, string, error) {
	if err := inRange("guests", f.guests, 0, guestsMax); err != nil {
		return nil, "", err
	}
	if f.span < 0 {
		return nil, "", usagef("--for: %v is negative", f.span).hint("remove the minus sign")
	}
	var sc *scenario.Scenario
	var err error
	if len(args) == 0 {
		sc, err = scenario.Parse("default", mockScenario, f.sets)
	} else {
		sc, err = scenario.Load(args[0], f.sets)
	}
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
			return nil, "", usagef("--variant: %q is not one of %s", f.variant, strings.Join(names, ", ")).hint("%s", pickHint(f.variant, names))
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
