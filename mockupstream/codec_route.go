package mockupstream

import (
	"net/http"
	"strings"
)

// route is what a path asks for.
type route struct {
	vendor Dialect // whose error pages it has as long as no model is known
	form   Form
	found  bool // the path exists
	list   bool // GET of the models, or of the one that is named
	stream bool
	array  bool   // the stream is a JSON array
	model  string // "" if the body names it
	path   string
}

// hosts are the beginnings of paths, each vendor's own, the longer ones first. OpenAI's own ones
// are Anthropic's too, and DeepSeek's host has none.
var hosts = []struct {
	prefix string
	vendor Dialect
}{
	{"/openai/v1/", DialectAzure},
	{"/openai/", DialectAzure},
	{"/api/v1/", DialectOpenRouter},
	{"/v1beta/openai/", DialectGemini},
	{"/v1beta/", DialectGemini},
	{"/v1/", DialectOpenAI},
	{"/", DialectDeepSeek},
}

// routeOf understands a path. The header tells Anthropic's list of models from OpenAI's.
func routeOf(path string, h http.Header) route {
	to := route{path: path}
	for _, host := range hosts {
		tail, ok := strings.CutPrefix(path, host.prefix)
		if !ok {
			continue
		}
		to.vendor = host.vendor
		switch host.prefix {
		case "/openai/":
			tail, ok = strings.CutPrefix(tail, "deployments/")
			if to.model, tail, _ = strings.Cut(tail, "/"); ok && to.model != "" && tail != "models" {
				to.openAI(tail)
			}
		case "/v1beta/":
			to.gemini(tail)
		case "/v1/":
			to.shared(tail, h)
		default:
			to.openAI(tail)
		}
		return to
	}
	return to
}

// routeTo is the route of a request.
func routeTo(r *http.Request) route {
	to := routeOf(r.URL.Path, r.Header)
	to.array = to.stream && r.URL.Query().Get("alt") != "sse"
	return to
}

// openAI understands the end of a path in OpenAI's form.
func (to *route) openAI(tail string) {
	switch tail {
	case "chat/completions":
		to.found = true
	case "embeddings":
		to.found, to.form = true, FormEmbeddings
	case "models":
		to.found, to.list = true, true
	default:
		if name, ok := strings.CutPrefix(tail, "models/"); ok && name != "" {
			to.found, to.list, to.model = true, true, name
		}
	}
}

// gemini understands the end of a path in Gemini's form: models/NAME:generateContent.
func (to *route) gemini(tail string) {
	to.vendor, to.form = DialectGemini, FormGemini
	name, verb, called := strings.Cut(tail, ":")
	if !called {
		to.openAI(tail)
		to.found, to.form = to.list, FormGemini
		return
	}
	name, ok := strings.CutPrefix(name, "models/")
	to.model, to.stream = name, verb == "streamGenerateContent"
	to.found = ok && name != "" && (to.stream || verb == "generateContent")
}

// shared understands what follows /v1/, which three vendors have.
func (to *route) shared(tail string, h http.Header) {
	switch {
	case tail == "messages":
		to.found, to.vendor, to.form = true, DialectAnthropic, FormAnthropic
	case strings.HasSuffix(tail, ":generateContent"), strings.HasSuffix(tail, ":streamGenerateContent"):
		to.gemini(tail)
	default:
		if to.openAI(tail); len(h["Anthropic-Version"]) > 0 {
			to.vendor = DialectAnthropic
		}
	}
}

// secret returns the key that a request shows, where the vendor looks for it.
func (to *route) secret(r *http.Request) string {
	var own string
	switch to.vendor {
	case DialectAnthropic:
		own = r.Header.Get("X-Api-Key")
	case DialectAzure:
		own = r.Header.Get("Api-Key")
	case DialectGemini:
		if own = r.Header.Get("X-Goog-Api-Key"); own == "" && r.URL.RawQuery != "" {
			own = r.URL.Query().Get("key")
		}
	}
	if own != "" {
		return own
	}
	const scheme = "Bearer "
	if s := r.Header.Get("Authorization"); len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
		return strings.TrimSpace(s[len(scheme):])
	}
	return ""
}

// enter checks what can be known without the body: path, method, key and version.
func (c *Codec) enter(to *route, r *http.Request) (Ask, *objection) {
	a := Ask{Form: to.form, Stream: to.stream, array: to.array, vendor: to.vendor}
	method := http.MethodPost
	if to.list {
		method = http.MethodGet
	}
	switch {
	case !to.found:
		return a, &objection{reason: unknownPath, detail: r.Method + " " + to.path}
	case r.Method != method:
		return a, &objection{reason: wrongMethod, param: method, detail: r.Method + " on " + to.path}
	}
	secret := to.secret(r)
	key, known := c.keys[secret]
	switch {
	case secret == "":
		return a, &objection{reason: noSecret}
	case !known && !c.open:
		return a, &objection{reason: wrongSecret}
	case to.form == FormAnthropic && len(r.Header["Anthropic-Version"]) == 0:
		return a, &objection{reason: missing, param: "anthropic-version"}
	case !known:
		key, a.guest = -1, secret
	}
	a.Call.Key = key
	return a, nil
}
