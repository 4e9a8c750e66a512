package conformance

import (
	"errors"
	"fmt"
	"io"
	"testing"

	up "github.com/seed-4fd17b57/simload/mockupstream"
)

// client is an SDK that asks a vendor.
type client struct {
	name   string
	vendor up.Dialect
	ask    func(t *testing.T, q question) reply
	// class is what the SDK's error is called that tells a failure, of which it sees Status and Code.
	class func(f failure) string
	// rereads: an answer whose body breaks off is asked for again.
	rereads bool
}

// broken is the status of a connection that is cut.
const broken = -1

// clients are all that the tables are for.
var clients = []client{
	{name: "openai-go", vendor: up.DialectOpenAI, ask: askOpenAI, class: classOpenAI},
	{name: "openai-go at Azure", vendor: up.DialectAzure, ask: askAzure, class: classOpenAI},
	{name: "openai-go at DeepSeek", vendor: up.DialectDeepSeek, ask: askDeepSeek, class: classOpenAI},
	{name: "openai-go at OpenRouter", vendor: up.DialectOpenRouter, ask: askOpenRouter, class: classOpenAI},
	{name: "anthropic-sdk-go", vendor: up.DialectAnthropic, ask: askAnthropic, class: classAnthropic, rereads: true},
	{name: "genai", vendor: up.DialectGemini, ask: askGemini, class: classGemini},
	{name: "npm openai", vendor: up.DialectOpenAI, ask: nodeOpenAI.ask, class: classNodeOpenAI},
	{name: "npm anthropic", vendor: up.DialectAnthropic, ask: nodeAnthropic.ask, class: classNodeAnthropic},
}

// forEach runs a test with every client of some vendors.
func forEach(t *testing.T, of func(up.Dialect) bool, test func(t *testing.T, c client)) {
	for _, c := range clients {
		if !of(c.vendor) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func all(up.Dialect) bool { return true }

// with is the vendors that a table has an entry for.
func with[V any](table map[up.Dialect]V) func(up.Dialect) bool {
	return func(v up.Dialect) bool {
		_, ok := table[v]
		return ok
	}
}

// question is what an SDK is told to ask. The fields' names in JSON are for SDKs in other languages.
type question struct {
	Base    string   `json:"base"` // the mock's address
	Key     string   `json:"key"`
	Model   string   `json:"model"`
	Turns   []string `json:"turns"` // the user's and the model's by turns
	MaxOut  int64    `json:"max_out"`
	Stream  bool     `json:"stream"`
	Retries int      `json:"retries"` // after the first try
	Want    want     `json:"want"`
}

// want is which endpoint is asked.
type want string

const (
	chat   want = ""
	models want = "models"
	embed  want = "embed" // each turn by itself
)

// reply is what the SDK made of the answer, as far as it came.
type reply struct {
	Text    string            `json:"text"`
	Chunks  int               `json:"chunks"` // events of the stream with text
	Model   string            `json:"model"`
	Finish  string            `json:"finish"`
	Used    up.Usage          `json:"used"`
	Written int64             `json:"written"` // of the prompt, to the cache
	Request string            `json:"request"` // id by which the vendor knows the request
	Header  map[string]string `json:"header"`  // by names in lower case
	Models  []string          `json:"models"`
	Vectors [][]float64       `json:"vectors"`
	Failure *failure          `json:"failure"`
}

// failure is the SDK's error.
type failure struct {
	Class   string `json:"class"`  // its type
	Status  int    `json:"status"` // 0: an error event in a stream
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// cutOff is the class of errors in Go that say that the connection broke.
const cutOff = "io.ErrUnexpectedEOF"

// classOf returns the class of an error in Go.
func classOf(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return cutOff
	}
	return fmt.Sprintf("%T", err)
}
