package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// planHeader tells, on the wire of a virtual run, what only a clock could: the instants of a plan.
const planHeader = "Simload-Plan"

// wireBase is where the mock of a virtual run is reached; nothing resolves it.
const wireBase = "http://mock.invalid"

// errNoAnswer is what the transport says of a call that no answer comes to.
var errNoAnswer = errors.New("no answer")

// wireLink carries attempts of a virtual run as HTTP: written by the stack's codec, answered by the
// mock's, read by the stack's again. The same seed gives the same report as without it (INV-4).
// Bodies are compact: the text is not what the tokens are counted from.
type wireLink struct {
	prov      *mockupstream.Provider
	codec     *mockupstream.Codec
	transport *httpmock.MockTransport
	endpoints []stack.Endpoint
	secrets   []string
	prompt    wire.Prompt
	now       time.Duration // of the request under way
	out       []byte
	unread    mockupstream.Plan // of a call that got no answer
}

func newWireLink(set *scenario.Built, prov *mockupstream.Provider) *wireLink {
	w := &wireLink{
		prov: prov, codec: mockupstream.NewCodec(prov, mockupstream.CodecConfig{}), transport: httpmock.NewMockTransport(),
		endpoints: endpoints(set, wireBase),
		prompt:    wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "as Simload-Call says"}}},
	}
	for _, k := range set.Upstream.Keys {
		w.secrets = append(w.secrets, k.ID)
	}
	w.transport.RegisterNoResponder(w.respond)
	return w
}

// admit sends a call and reads what comes back: the plan's instants, and the outcome that the
// client makes of the bytes once they have all come.
func (w *wireLink) admit(now time.Duration, call *mockupstream.Call) (mockupstream.Plan, stack.Outcome, error) {
	var plan mockupstream.Plan
	e := &w.endpoints[call.Model]
	// A context without a Done channel keeps the responder on this goroutine.
	req, err := e.Format.New(context.Background(), &wire.Request{
		BaseURL: e.BaseURL, Path: e.Path, Query: e.Query, Model: e.Model, MaxOut: call.MaxOut, Stream: true, Prompt: &w.prompt,
		Secret: w.secrets[call.Key], AuthHeader: e.AuthHeader,
	})
	if err != nil {
		return plan, stack.Outcome{}, err
	}
	req.Header.Set(mockupstream.CallHeader, call.Text())
	w.now = now
	res, err := w.transport.RoundTrip(req)
	if errors.Is(err, errNoAnswer) {
		return w.unread, stack.Outcome{Kind: stack.ConnectFailed}, nil
	}
	if err != nil {
		return plan, stack.Outcome{}, err
	}
	if plan, err = parsePlan(res.Header.Get(planHeader)); err != nil {
		return plan, stack.Outcome{}, err
	}
	// Body is never nil, and closing it cannot fail: it is bytes.
	body, err := io.ReadAll(res.Body)
	return plan, w.read(e.Format, res, body, plan.At), err
}

// read is what the client makes of an answer.
func (w *wireLink) read(f wire.Format, res *http.Response, body []byte, at time.Duration) stack.Outcome {
	if res.StatusCode >= 400 {
		return stack.OutcomeOf(res.StatusCode, nil, wire.ReadProblem(res.StatusCode, res.Header, body, w.prov.Date(at)))
	}
	s := wire.NewStream(f)
	s.Feed(body)
	reply, problem := s.End()
	if problem != nil {
		reply.Usage = wire.Usage{} // an answer that is not whole settles nothing
	}
	return stack.OutcomeOf(res.StatusCode, &reply, problem)
}

// respond is the mock's side: it understands the request, admits the call and writes the
// whole answer.
func (w *wireLink) respond(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	ask, page := w.codec.Read(w.now, req, body)
	if page == nil {
		page = w.codec.Seat(&ask)
	}
	if page != nil {
		return nil, fmt.Errorf("the mock did not understand its own client: %d %s", page.Status, page.Body)
	}
	plan := w.prov.Admit(w.now, ask.Call)
	if plan.Status == 0 {
		w.unread = plan
		return nil, errNoAnswer
	}
	header := http.Header{}
	status := w.codec.Head(header, &ask, &plan)
	header.Set(planHeader, planText(&plan))
	w.out = w.write(w.out[:0], &ask, &plan)
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header, Request: req,
		Body: io.NopCloser(bytes.NewReader(w.out)), ContentLength: int64(len(w.out)),
	}, nil
}

// write appends the body that a client reads until the connection ends.
func (w *wireLink) write(dst []byte, ask *mockupstream.Ask, plan *mockupstream.Plan) []byte {
	c := w.codec
	if plan.Status >= 400 {
		return c.Body(dst, ask, plan, mockupstream.Usage{})
	}
	if plan.FillUntil > plan.At {
		dst = c.Beat(dst, ask)
	}
	if plan.Fate == mockupstream.FateClosed {
		return dst
	}
	used := w.prov.Usage(plan.ID)
	dst = c.Begin(dst, ask, plan, used)
	if used.Out > 0 {
		dst = c.Tokens(dst, ask, plan, 0, used.Out)
	}
	switch plan.Fate {
	case mockupstream.FateAnswer:
		dst = c.Close(dst, ask, plan, used)
	case mockupstream.FateError:
		dst = c.Fail(dst, ask, plan)
	}
	return dst
}

// planText and parsePlan carry what the driver schedules by.
func planText(p *mockupstream.Plan) string {
	long := 0
	if p.Long {
		long = 1
	}
	list := []int64{
		int64(p.ID), int64(p.Fate), int64(p.Status), int64(long), int64(p.At), int64(p.FirstToken), int64(p.End),
		int64(p.Beat), int64(p.Heartbeat), p.CacheWrite,
	}
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}

func parsePlan(text string) (p mockupstream.Plan, err error) {
	var list [10]int64
	fields := strings.Fields(text)
	if len(fields) != len(list) {
		return p, fmt.Errorf("plan %q has %d fields, want %d", text, len(fields), len(list))
	}
	for i, f := range fields {
		if list[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return p, fmt.Errorf("plan %q: %w", text, err)
		}
	}
	p = mockupstream.Plan{
		ID: mockupstream.CallID(list[0]), Fate: mockupstream.Fate(list[1]), Status: int(list[2]), Long: list[3] == 1,
		At: time.Duration(list[4]), FirstToken: time.Duration(list[5]), End: time.Duration(list[6]),
		Beat: time.Duration(list[7]), Heartbeat: time.Duration(list[8]), CacheWrite: list[9],
	}
	return p, nil
}
