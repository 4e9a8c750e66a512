package mockupstream

import (
	"fmt"
	"net/http"
	"time"
)

// objection is why a request is answered without becoming a call.
type objection struct {
	reason reason
	param  string // the field or header that is wrong; the method that is allowed
	detail string
}

type reason uint8

const (
	unknownPath  reason = iota
	wrongMethod         // param: the right one
	noSecret            // no key was shown
	wrongSecret         // nobody has it
	badBody             // no JSON
	missing             // param
	invalid             // param: detail
	unknownModel        // detail
)

// status is what the vendors answer. (Gemini answers 400 to a wrong key, OpenRouter and DeepSeek to a wrong model;
// here they have what an admitted call would have met.)
func (o *objection) status() int {
	switch o.reason {
	case unknownPath, unknownModel:
		return http.StatusNotFound
	case wrongMethod:
		return http.StatusMethodNotAllowed
	case noSecret, wrongSecret:
		return http.StatusUnauthorized
	}
	return http.StatusBadRequest
}

// detailMost bounds what is repeated of a request, in bytes.
const detailMost = 200

// object is the page of an objection, in the words of the route's vendor.
func (c *Codec) object(now time.Duration, to *route, o *objection) *Page {
	o.detail = o.detail[:min(len(o.detail), detailMost)]
	a := answer{hash: callHash(c.p.seed, digest(uint64(now), []byte(to.path)), 0)}
	h := http.Header{"Content-Type": {"application/json"}}
	if o.reason == wrongMethod {
		h["Allow"] = []string{o.param}
	}
	var body any
	switch to.vendor {
	case DialectAnthropic:
		h["Request-Id"] = []string{"req_011C" + a.id(20)}
		body = o.anthropic(h["Request-Id"][0])
	case DialectGemini:
		body = o.gemini()
	case DialectAzure:
		h["Apim-Request-Id"] = []string{uuid(a.id(32))}
		body = o.azure()
	case DialectOpenRouter:
		body = openRouterError{Error: openRouterFields{Code: o.status(), Message: o.openRouter()}}
	case DialectDeepSeek:
		body = o.deepSeek()
	default:
		h["X-Request-Id"] = []string{"req_" + a.id(32)}
		body = o.openAI()
	}
	page := &Page{Status: o.status(), Header: h, Body: []byte(text(body))}
	if to.array {
		page.Body = []byte("[" + string(page.Body) + "]")
	}
	return page
}

// plain says it in nobody's words.
func (o *objection) plain() string {
	switch o.reason {
	case unknownPath:
		return "Invalid URL (" + o.detail + ")"
	case wrongMethod:
		return "Not allowed: " + o.detail + ". Use " + o.param + "."
	case noSecret:
		return "No API key was provided."
	case wrongSecret:
		return "Incorrect API key provided."
	case badBody:
		return "The body of the request is not valid JSON."
	case missing:
		return "Missing required parameter: '" + o.param + "'."
	case invalid:
		return "Invalid '" + o.param + "': " + o.detail + "."
	}
	return fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", o.detail)
}

func (o *objection) openAI() openAIError {
	var code string
	switch o.reason {
	case wrongMethod:
		code = "method_not_supported"
	case wrongSecret:
		code = "invalid_api_key"
	case missing:
		code = "missing_required_parameter"
	case invalid:
		code = "invalid_value"
	case unknownModel:
		code = "model_not_found"
	}
	e := openAIFault("invalid_request_error", code, o.plain())
	if o.reason == missing || o.reason == invalid {
		e.Error.Param = &o.param
	}
	return e
}

func (o *objection) deepSeek() openAIError {
	switch o.reason {
	case noSecret, wrongSecret:
		return openAIFault("authentication_error", "invalid_request_error", "Authentication Fails")
	case unknownModel:
		return openAIFault("invalid_request_error", "invalid_request_error", "Model Not Exist")
	}
	return openAIFault("invalid_request_error", "invalid_request_error", o.plain())
}

func (o *objection) azure() any {
	switch o.reason {
	case unknownPath:
		return azureError{azureFields{"404", "Resource not found"}}
	case noSecret, wrongSecret:
		return azureError{azureFields{"401", "Access denied due to invalid subscription key or wrong API endpoint."}}
	case unknownModel:
		return azureError{azureFields{"DeploymentNotFound", "The API deployment " + o.detail + " does not exist."}}
	}
	return o.openAI()
}

func (o *objection) openRouter() string {
	switch o.reason {
	case noSecret, wrongSecret:
		return "No auth credentials found"
	case unknownModel:
		return "No endpoints found for " + o.detail + "."
	}
	return o.plain()
}

func (o *objection) anthropic(request string) anthropicError {
	kind, message := "invalid_request_error", o.plain()
	switch o.reason {
	case unknownPath:
		kind, message = "not_found_error", "Not Found"
	case wrongMethod:
		message = "Method Not Allowed"
	case noSecret:
		kind, message = "authentication_error", "x-api-key header is required"
	case wrongSecret:
		kind, message = "authentication_error", "invalid x-api-key"
	case missing:
		message = o.param + ": Field required"
	case invalid:
		message = o.param + ": " + o.detail
	case unknownModel:
		kind, message = "not_found_error", "model: "+o.detail
	}
	return anthropicError{"error", anthropicFields{Type: kind, Message: message}, request}
}

func (o *objection) gemini() geminiError {
	e := geminiFields{Code: o.status(), Message: o.plain(), Status: "INVALID_ARGUMENT"}
	switch o.reason {
	case unknownPath:
		e.Status = "NOT_FOUND"
	case wrongMethod:
		e.Status = "UNIMPLEMENTED"
	case noSecret, wrongSecret:
		e.Status, e.Message = "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case unknownModel:
		e.Status, e.Message = "NOT_FOUND", "models/"+o.detail+" is not found, or is not supported for generateContent."
	}
	return geminiError{e}
}
