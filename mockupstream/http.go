package mockupstream

import (
	"net/http"
	"time"
)

// CallHeader is the request header by which a simulated agent tells the mock who it is and how
// long its answer would be, in the form of [Call.Text]. Without it, a call is understood from its body alone.
const CallHeader = "Simload-Call"

// Text returns what [CallHeader] says of the call. Key and Model are not in it.
func (c *Call) Text() string { panic("to be built") }

// ParseCall reads the text of a CallHeader.
func ParseCall(text string) (Call, error) { panic("to be built") }

// Ask is an HTTP request as the provider understands it.
type Ask struct {
	Call   Call
	Form   Form
	Stream bool
	// Usage: the stream is to tell its usage (OpenAI: stream_options.include_usage).
	Usage bool
}

// Form is the form of an answer: the endpoint that was asked. It need not be the dialect of the model:
// Gemini, for one, has an endpoint in OpenAI's form.
type Form uint8

// Forms.
const (
	FormOpenAI     Form = iota // chat completions
	FormAnthropic              // messages
	FormGemini                 // generateContent
	FormEmbeddings             // OpenAI's embeddings
)

// Page is a whole answer.
type Page struct {
	Status int
	Header http.Header
	Body   []byte
}

// Codec puts a provider's calls and plans into HTTP. It decides nothing, and has no clock and no I/O.
type Codec struct{}

// NewCodec returns the codec of a provider.
func NewCodec(p *Provider, cfg CodecConfig) *Codec { panic("to be built") }

// CodecConfig says whom a codec serves.
type CodecConfig struct {
	// Secrets holds, for each key by index, what clients send as the key; nil: Config.Keys' ids.
	Secrets []string
	// Guests is the number of keys, from FirstGuest on, that are given to secrets nobody knows, in
	// the order in which they come; beyond it: 401. 0: every unknown secret is 401.
	FirstGuest, Guests int
}

// Read understands a request. body is its whole body, or the beginning of it if the request bears a
// CallHeader. A page that is not nil answers the request, without a call: an unknown
// path, model or key, a body that cannot be read, the list of models.
func (c *Codec) Read(now time.Duration, r *http.Request, body []byte) (Ask, *Page) {
	panic("to be built")
}

// Head returns status and header of the answer. An event stream is to be sent as it is made.
func (c *Codec) Head(a *Ask, plan *Plan) (int, http.Header) { panic("to be built") }

// Body appends an answer that is no stream: an error's text, or what the model says, with its usage.
func (c *Codec) Body(dst []byte, a *Ask, plan *Plan, used Usage) []byte { panic("to be built") }

// Begin appends the events that open a stream, ahead of the first token.
func (c *Codec) Begin(dst []byte, a *Ask, plan *Plan, used Usage) []byte { panic("to be built") }

// Tokens appends the event with the tokens from (inclusive) to (exclusive) of the answer.
func (c *Codec) Tokens(dst []byte, a *Ask, plan *Plan, from, to int64) []byte { panic("to be built") }

// Beat appends a sign of life: Anthropic's ping, an SSE comment, nothing in Gemini's form.
func (c *Codec) Beat(dst []byte, a *Ask) []byte { panic("to be built") }

// Close appends the events that end a stream that is complete.
func (c *Codec) Close(dst []byte, a *Ask, plan *Plan, used Usage) []byte { panic("to be built") }

// Fail appends the error event of a FateError.
func (c *Codec) Fail(dst []byte, a *Ask, plan *Plan) []byte { panic("to be built") }

// Usage returns what a call will be billed if it is answered whole.
func (p *Provider) Usage(id CallID) Usage { panic("to be built") }
