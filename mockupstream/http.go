package mockupstream

import (
	"fmt"
	"net/http"
	"time"
)

// CallHeader is the request header by which a simulated agent tells the mock who it is and how
// long its answer would be, in the form of [Call.Text]. Without it, a call is understood from its body alone.
const CallHeader = "Simload-Call"

// WriteHeader, with the value 1, says of a request without a [CallHeader] that it is a write. One
// that has an Idempotency-Key is a write anyhow.
const WriteHeader = "Simload-Write"

// Ask is an HTTP request as the provider understands it.
type Ask struct {
	Call   Call
	Form   Form
	Stream bool
	// Usage: the stream is to tell its usage (OpenAI: stream_options.include_usage).
	Usage bool

	brief  bool          // text is cut off: the call had a CallHeader
	array  bool          // Gemini's stream without alt=sse: a JSON array
	vendor Dialect       // told by the path
	guest  string        // the secret of a guest that has no key yet
	at     time.Duration // when the guest was read
	path   string
	body   uint64 // what it is known by to history
	inputs embedInputs
}

// Form is the form of an answer: the endpoint that was asked. It need not be the dialect of the model:
// Gemini, for one, has an endpoint in OpenAI's form.
type Form uint8

// Forms.
const (
	FormOpenAI     Form = iota // chat completions
	FormAnthropic              // messages
	FormGemini                 // generateContent
	FormEmbeddings             // OpenAI's embeddings; never a stream
)

// Page is a whole answer.
type Page struct {
	Status int
	Header http.Header
	Body   []byte
}

// CodecConfig says whom a codec serves.
type CodecConfig struct {
	// Secrets holds, for each key by index, what clients send as the key; nil: Config.Keys' ids.
	// A key with the secret "" is nobody's.
	Secrets []string
	// Guests is the number of keys, from FirstGuest on, that are given to secrets nobody knows, in
	// the order in which they come; beyond it: 401. 0: every unknown secret is 401. The
	// guests' keys have no secret of their own.
	FirstGuest, Guests int
}

// Codec puts a provider's calls and plans into HTTP. It decides nothing, and has no clock and no I/O.
//
// A request goes this way:
//
//	ask, page := codec.Read(now, r, body)   // page: answer it, and that is all
//	page = codec.Seat(&ask)                 // a guest's key; the same
//	plan := provider.Admit(now, ask.Call)
//	used := provider.Usage(plan.ID)
//	status := codec.Head(header, &ask, &plan)
//	body = codec.Body(body, &ask, &plan, used)              // an error, or no stream
//	body = codec.Begin(body, &ask, &plan, used)             // a stream: at Plan.FirstToken,
//	body = codec.Tokens(body, &ask, &plan, 0, 10)           // with the first tokens,
//	body = codec.Close(body, &ask, &plan, used)             // and after all used.Out: Close, or Fail
//
// Seat is called by one goroutine at a time, as the provider is. All other methods may be called by
// any number at once, of whatever the provider does meanwhile.
//
// The model that is named, in the path or the body, says whose limits and error words a request
// meets; the path says in which [Form] it is answered. So a model may be asked through any endpoint.
type Codec struct {
	p      *Provider
	keys   map[string]int   // by secret
	models map[string][]int // by name, and by vendor/name
	faces  []face           // of each model

	open        bool // to guests
	guests      map[string]int
	guest, last int // the next guest's key, and the end of them
}

// NewCodec returns the codec of a provider. It panics if cfg names a key that the provider has not.
func NewCodec(p *Provider, cfg CodecConfig) *Codec {
	secrets := cfg.Secrets
	if secrets == nil {
		secrets = p.keyIDs
	}
	last := cfg.FirstGuest + cfg.Guests
	if n := len(p.keyIDs); len(secrets) > n || cfg.FirstGuest < 0 || cfg.Guests < 0 || last > n {
		panic(fmt.Sprintf("mockupstream: %d secrets and guests from %d to %d for %d keys", len(secrets), cfg.FirstGuest, last, n))
	}
	c := &Codec{
		p: p, keys: make(map[string]int), models: make(map[string][]int),
		open: cfg.Guests > 0, guests: make(map[string]int), guest: cfg.FirstGuest, last: last,
	}
	for i, s := range secrets {
		if _, taken := c.keys[s]; s != "" && !taken && (i < cfg.FirstGuest || i >= last) {
			c.keys[s] = i
		}
	}
	for i := range p.models {
		m := &p.models[i].cfg
		c.faces = append(c.faces, newFace(m))
		c.models[m.Name] = append(c.models[m.Name], i)
		if m.Vendor != "" {
			full := m.Vendor + "/" + m.Name
			c.models[full] = append(c.models[full], i)
		}
	}
	return c
}

// Read understands a request. body is its whole body, or the beginning of it if the request bears a
// CallHeader. A page that is not nil answers the request, without a call: an unknown
// path, model or key, a body that cannot be read, the list of models.
//
// Without a CallHeader the call is a guess:
//
//   - In: a token for every four characters of system text, messages and tools
//   - Out: 200 * 2^((k-16)/4), where k is the number of ones among 32 bits of a hash of the
//     messages: a median of 200, and nine of ten between 84 and 475
//   - Conversation: a hash of secret, system text and the messages up to the user's first one
//   - Prefix: what stands before the last answer of the model, which was the prompt of that answer
//   - ID and WriteID: a hash of body and secret, so that a retry is the same request ([Server] tells one that is
//     sent anew from a retry)
//   - Attempt: 1 and what X-Stainless-Retry-Count says
//
// In an Ask of a guest, Call.Key is -1 until [Codec.Seat].
func (c *Codec) Read(now time.Duration, r *http.Request, body []byte) (Ask, *Page) {
	to := routeTo(r)
	a, no := c.enter(&to, r)
	a.at, a.path = now, to.path
	switch {
	case no != nil:
	case to.list:
		page, no := c.list(&to)
		if no != nil {
			page = c.object(now, &to, no)
		}
		return Ask{}, page
	default:
		no = c.read(&a, &to, r, body)
	}
	if no != nil {
		return Ask{}, c.object(now, &to, no)
	}
	return a, nil
}

// Seat gives a guest a key: the one it had before, or the next free one. If there is none, the page answers
// the request. Others are let pass.
func (c *Codec) Seat(a *Ask) *Page {
	if a.Call.Key >= 0 {
		return nil
	}
	key, known := c.guests[a.guest]
	if !known {
		if c.guest == c.last {
			return c.object(a.at, &route{vendor: a.vendor, array: a.array, path: a.path}, &objection{reason: wrongSecret})
		}
		key = c.guest
		c.guest++
		c.guests[a.guest] = key
	}
	a.Call.Key = key
	return nil
}
