package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

// Where secrets are looked for when no file is named.
const (
	natsTokenEnv    = "SIMLOAD_NATS_TOKEN"
	natsPasswordEnv = "SIMLOAD_NATS_PASSWORD"
)

// serverWait is how long a verb looks for a server before it gives up; workers wait for ever.
const serverWait = 5 * time.Second

// natsFlags say where the servers are and who we are.
type natsFlags struct {
	url, namespace          string
	tls                     bus.TLS
	creds, user             string
	passwordFile, tokenFile string
	replicas                int
}

// flags adds the flags; use says what --nats is for.
func (f *natsFlags) flags(cmd *cobra.Command, use string) {
	fl := cmd.Flags()
	fl.StringVar(&f.url, "nats", "", use+", as `URL` nats://host:4222 or tls://host:4222; of a cluster several, with commas")
	fl.StringVar(&f.namespace, "nats-namespace", string(bus.NamespaceDefault), "`NAME` that keeps us apart from others on the same servers")
	fl.StringVar(&f.tls.CA, "nats-ca", "", "`FILE` of the CA that signed the server's certificate")
	fl.StringVar(&f.tls.Cert, "nats-cert", "", "`FILE` of our certificate, for a server that asks for one")
	fl.StringVar(&f.tls.Key, "nats-key", "", "`FILE` of its key")
	fl.StringVar(&f.creds, "nats-creds", "", "credentials `FILE` of NATS")
	fl.StringVar(&f.user, "nats-user", "", "user `NAME`; the password is in "+natsPasswordEnv+" or --nats-password-file")
	fl.StringVar(&f.passwordFile, "nats-password-file", "", "`FILE` that holds the user's password")
	fl.StringVar(&f.tokenFile, "nats-token-file", "", "`FILE` that holds the server's token (default: what is in "+natsTokenEnv+", if anything)")
	fl.IntVar(&f.replicas, "nats-replicas", 0, "how many servers of a cluster hold each message, `N` of 1, 3 or 5 (default: as many as do, 1 at first)")
}

// given reports whether a server was named.
func (f *natsFlags) given() bool { return f.url != "" }

// validate checks that no flag about a server stands alone.
func (f *natsFlags) validate(cmd *cobra.Command) error {
	if f.given() {
		return busFailure(f.config("", nil).Validate())
	}
	for _, name := range []string{"namespace", "ca", "cert", "key", "creds", "user", "password-file", "token-file", "replicas"} {
		if cmd.Flags().Changed("nats-" + name) {
			return usagef("--nats-%s is about a server, and there is none", name).hint("name it with --nats URL")
		}
	}
	return nil
}

// token is where the token is: a file that was named, or the environment if it has one.
func (f *natsFlags) token() bus.Source { return secretAt(f.tokenFile, natsTokenEnv) }

func secretAt(file, env string) bus.Source {
	switch {
	case file != "":
		return bus.Source{File: file}
	case os.Getenv(env) != "":
		return bus.Source{Env: env}
	}
	return bus.Source{}
}

// config is what the flags say.
func (f *natsFlags) config(name string, log func(string)) bus.Config {
	c := bus.Config{
		URL: f.url, Name: name, Namespace: bus.Namespace(f.namespace), TLS: f.tls, Creds: f.creds, User: f.user,
		Replicas: f.replicas, Wait: serverWait, Log: log,
	}
	switch {
	case f.user != "":
		c.Password = secretAt(f.passwordFile, natsPasswordEnv)
		if f.tokenFile != "" {
			c.Token = bus.Source{File: f.tokenFile}
		}
	case f.passwordFile != "":
		c.Password = bus.Source{File: f.passwordFile}
	case f.creds == "" || f.tokenFile != "":
		c.Token = f.token()
	}
	return c
}

// busFailure makes an error that the user can mend one that says how.
func busFailure(err error) error {
	var wrong *bus.ConfigError
	if errors.As(err, &wrong) {
		return usagef("nats: %w", err).hint("%s", wrong.Hint)
	}
	return err
}

// taskFailure says what to do about a task that failed.
func taskFailure(err error) error {
	var bad *fleet.TaskError
	if errors.As(err, &bad) && bad.Usage {
		return usagef("%w", err)
	}
	return err
}

// fleetVersion is what submitters and workers have to share. Programs of a changed tree go by the same version, so theirs has the program itself
// in it.
func fleetVersion() (string, error) {
	b := readBuild()
	if b.Version != "devel" && !b.Modified && !strings.Contains(b.Version, "dirty") {
		return fleet.Version(b.tool(), ""), nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading the program: %w", err)
	}
	return fleet.Version(b.tool(), hex.EncodeToString(h.Sum(nil))[:8]), nil
}

// notices are lines on stderr between the progress, from any goroutine.
type notices struct {
	mu  sync.Mutex
	w   io.Writer
	bar *meter
}

// noticeMax bounds a notice, in characters.
const noticeMax = 4096

// say prints a line. Much of it is what others on the bus say, so nothing in it may steer the terminal.
func (n *notices) say(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bar.erase()
	fmt.Fprintln(n.w, "simload: "+report.Clean(text, noticeMax))
}

// progress draws the progress, with a note about the workers.
func (n *notices) progress(note func() string, draw func(sim.Progress)) func(sim.Progress) {
	if draw == nil {
		return nil
	}
	return func(p sim.Progress) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if note != nil {
			p.Note = note()
		}
		draw(p)
	}
}

// submit connects and opens a sweep. close ends both.
func (a *app) submit(ctx context.Context, f *natsFlags, job fleet.Job, sc *scenario.Scenario, n *notices, quiet bool) (s *fleet.Sweep, end func(), err error) {
	if job.Version, err = fleetVersion(); err != nil {
		return nil, nil, err
	}
	b, err := bus.Open(ctx, f.config("simload "+job.Kind, n.say))
	if err != nil {
		return nil, nil, busFailure(err)
	}
	if s, err = fleet.Submit(ctx, b, job, sc, fleet.Settings{}, n.say); err != nil {
		b.Close()
		return nil, nil, busFailure(err)
	}
	return s, func() {
		c, workers := s.Counts()
		if !quiet && c.Done > 0 {
			n.say(fmt.Sprintf("%s by %s, redelivered %d, published again %d",
				fleet.Number(c.Done, "task"), fleet.Number(workers, "worker"), c.Redelivered, c.Republished))
		}
		s.Close()
		b.Close()
	}, nil
}

// byWorkers runs a scenario by the workers of a server, as sim.Run does here.
func (a *app) byWorkers(ctx context.Context, f *natsFlags, bar *meter, quiet bool) func(*scenario.Scenario, sim.Options) (*sim.Outcome, error) {
	return func(sc *scenario.Scenario, o sim.Options) (*sim.Outcome, error) {
		n := &notices{w: a.stderr, bar: bar}
		job, err := fleet.RunJob("", &o)
		if err != nil {
			return nil, err
		}
		sweep, end, err := a.submit(ctx, f, job, sc, n, quiet)
		if err != nil {
			return nil, err
		}
		defer end()
		o.Progress = n.progress(sweep.Note, o.Progress)
		out, err := sweep.Run(ctx, sc, o)
		return out, taskFailure(err)
	}
}
