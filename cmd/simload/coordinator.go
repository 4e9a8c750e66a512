package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/server"
	"github.com/spf13/cobra"
)

// coordinatorFlags are the flags of the verb coordinator.
type coordinatorFlags struct {
	nats   natsFlags
	server server.Config
	quiet  bool
}

func (a *app) coordinatorCmd() *cobra.Command {
	f := coordinatorFlags{server: server.Config{Listen: server.ListenDefault}}
	cmd := &cobra.Command{
		Use:        "coordinator",
		Short:      "serve sweeps to workers on other machines, and show them",
		SuggestFor: []string{"server", "master", "controller"},
		Long: `coordinator is a NATS server with a store on disk, for "simload worker" and for --nats of
"simload run" and "simload plan", and shows on stderr which workers and sweeps there are, until
Ctrl-C. It may be killed: started again on the same store, sweeps go on, and no finished run is
made again. With --nats it serves nothing and watches the server that is named.

It listens on this machine alone. An address that others can reach (--listen) needs a token
(in ` + natsTokenEnv + `, or --nats-token-file), or the certificates of clients (--tls-ca).
Without --tls-cert what is sent can be read on the way, the token included.`,
		Example: `  simload coordinator
  ` + natsTokenEnv + `=... simload coordinator --listen 0.0.0.0:4222 --tls-cert server.pem --tls-key server.key
  simload coordinator --nats nats://nats.example:4222`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.nats.given() {
				for _, name := range []string{"listen", "store", "tls-cert", "tls-key", "tls-ca"} {
					if cmd.Flags().Changed(name) {
						return usagef("--%s is for a server of our own, and --nats names another", name).hint("leave one of them out")
					}
				}
			}
			return a.coordinator(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.server.Listen, "listen", f.server.Listen, "`ADDRESS` to listen on, host:port; port 0 takes a free one")
	fl.StringVar(&f.server.Dir, "store", "", "`DIRECTORY` of what is published and finished (default: simload/coordinator in the user's cache)")
	fl.StringVar(&f.server.TLS.Cert, "tls-cert", "", "`FILE` of the server's certificate: connections are secure")
	fl.StringVar(&f.server.TLS.Key, "tls-key", "", "`FILE` of its key")
	fl.StringVar(&f.server.TLS.CA, "tls-ca", "", "`FILE` of the CA that signed the certificates that clients have to have")
	fl.BoolVar(&f.quiet, "quiet", false, "do not show workers and sweeps")
	f.nats.flags(cmd, "watch the NATS server at this address instead of serving")
	return cmd
}

// coordinator serves, or watches, until it is told to end.
func (a *app) coordinator(ctx context.Context, f coordinatorFlags) error {
	ctx, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer release()
	n := &notices{w: a.stderr, bar: newMeter(a.stderr, a.now, a.screen)}
	b, end, err := a.serveFleet(ctx, &f, n)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return busFailure(err)
	}
	defer end()
	if f.quiet {
		<-ctx.Done()
		return nil
	}
	err = fleet.Watch(ctx, b, fleet.Settings{}, n.say, a.stateLine(n))
	n.say("coordinator has ended; what is finished is kept")
	return err
}

// serveFleet starts the server, or connects to the one that is named.
func (a *app) serveFleet(ctx context.Context, f *coordinatorFlags, n *notices) (b *bus.Bus, end func(), err error) {
	if f.nats.given() {
		if b, err = bus.Open(ctx, f.nats.config("simload coordinator", n.say)); err != nil {
			return nil, nil, err
		}
		n.say("watching " + b.Conn.ConnectedUrlRedacted())
		return b, b.Close, nil
	}
	if f.server.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, nil, usagef("--store: there is no default: %w", err).hint("name a directory")
		}
		f.server.Dir = filepath.Join(cache, "simload", "coordinator")
	}
	f.server.Token, f.server.Log = f.nats.token(), n.say
	s, err := server.Start(ctx, f.server)
	if err != nil {
		return nil, nil, err
	}
	if b, err = s.Connect(ctx, bus.Config{Name: "simload coordinator", Namespace: bus.Namespace(f.nats.namespace), Log: n.say}); err != nil {
		s.Stop()
		return nil, nil, err
	}
	a.welcomeFleet(s.URL(), f)
	return b, func() { b.Close(); s.Stop() }, nil
}

// welcomeFleet says how to use the server. The token is not printed.
func (a *app) welcomeFleet(at string, f *coordinatorFlags) {
	if u, err := url.Parse(at); err == nil {
		if host, port, err := net.SplitHostPort(f.server.Listen); err == nil && (host == "" || net.ParseIP(host).IsUnspecified()) {
			if name, err := os.Hostname(); err == nil {
				at = u.Scheme + "://" + net.JoinHostPort(name, port)
			}
		}
	}
	flags := " --nats " + at
	if f.server.TLS.Cert != "" {
		flags += " --nats-ca CA.pem"
	}
	if f.server.TLS.CA != "" {
		flags += " --nats-cert CERT.pem --nats-key KEY.pem"
	}
	if f.nats.namespace != string(bus.NamespaceDefault) {
		flags += " --nats-namespace " + f.nats.namespace
	}
	fmt.Fprintf(a.stderr, "simload: coordinator at %s, store %s\n", at, f.server.Dir)
	if f.server.Token.Given() {
		fmt.Fprintf(a.stderr, "  clients need its token, in %s or --nats-token-file\n", natsTokenEnv)
	}
	fmt.Fprintf(a.stderr, "  workers:  simload worker%s\n  sweeps:   simload plan SCENARIO --vary PATH=RANGE%s\n            simload run SCENARIO --reps N%s\n", flags, flags, flags)
}

// stateLine shows the state: in one line that is redrawn on a terminal, else every five seconds when it has changed.
func (a *app) stateLine(n *notices) func(string) {
	var last string
	var next time.Time
	return func(line string) {
		line = report.Clean(line, noticeMax) // workers named themselves
		n.mu.Lock()
		defer n.mu.Unlock()
		if a.screen.live {
			width := max(0, a.screen.widthStderr-1)
			fmt.Fprintf(a.stderr, "\r%s\x1b[K", line[:min(len(line), width)])
			n.bar.drawn = true
			return
		}
		if t := a.now(); line != last && !t.Before(next) {
			last, next = line, t.Add(meterLog)
			fmt.Fprintln(a.stderr, line)
		}
	}
}
