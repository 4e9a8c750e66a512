package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// charsPerToken is what prompts are written with: English text has about four characters a token,
// as OpenAI and Anthropic say in their guides to counting tokens.
const charsPerToken = 4

// mockHost is the mock of a run on the wall clock: a server in this process.
type mockHost struct {
	server *mockupstream.Server
	url    string
	stop   context.CancelFunc
	wg     sync.WaitGroup
	err    error
}

// newMockHost starts the mock of a setup at a listener, which it closes in any case; nil: on loopback. see is told of every call that is
// over, nil: nobody is.
func newMockHost(set *scenario.Built, l net.Listener, see func(mockupstream.Sighting)) (*mockHost, error) {
	var err error
	if l == nil {
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("starting the mock: %w", err)
		}
	}
	server, err := mockupstream.NewServer(mockupstream.ServerConfig{Provider: set.Upstream, Observe: see})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &mockHost{server: server, url: "http://" + l.Addr().String(), stop: stop}
	h.wg.Go(func() { h.err = server.Serve(ctx, l) })
	return h, nil
}

// close shuts the server down and waits for it.
func (h *mockHost) close() error {
	h.stop()
	h.wg.Wait()
	return h.err
}

// words are what prompts are made of.
const words = "the agents of a large fleet read papers, form hypotheses and keep notes about what they have found; "

// filler is text that is as long as the longest prompt of the run, within reason.
func filler(set *scenario.Built) string {
	const least, most = 64 << 10, 4 << 20
	longest := int64(least)
	for _, p := range set.Workload.Profiles {
		longest = max(longest, p.MaxContext)
	}
	n := int(min(most, longest*charsPerToken))
	return strings.Repeat(words, n/len(words)+1)[:n]
}
