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
	wrongTask           // the model detail cannot do what it is asked for: param, a task
	emptyInput          // nothing to embed
	largeBody           // beyond detail bytes
	lateBody            // it did not arrive in time
	cutBody             // it could not be read
)

// status is what the vendor answers. (Gemini answers 400 to a wrong key, OpenRouter and DeepSeek to a wrong model;
// here they have what an admitted call would have met.)
func (o *objection) status(vendor Dialect) int {
	switch o.reason {
	case wrongTask:
		switch vendor {
		case DialectOpenAI: // github.com/infiniflow/ragflow/issues/1835
			return http.StatusForbidden
		case DialectAzure:
			return http.StatusBadRequest
		}
		return http.StatusNotFound
	case largeBody:
		if vendor != DialectGemini {
			return http.StatusRequestEntityTooLarge
		}
	case lateBody:
		return http.StatusRequestTimeout
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
	status := o.status(to.vendor)
	h := http.Header{"Content-Type": {"application/json"}}
	for _, l := range signature(to.vendor, &a) {
		h[canonical(l.Name)] = []string{l.Value}
	}
	if o.reason == wrongMethod {
		h["Allow"] = []string{o.param}
	}
	var body any
	switch to.vendor {
	case DialectAnthropic:
		body = o.anthropic(h.Get("Request-Id"))
	case DialectGemini:
		body = o.gemini(status)
	case DialectAzure:
		body = o.azure()
	case DialectOpenRouter:
		body = openRouterError{Error: openRouterFields{Code: status, Message: o.openRouter()}}
	case DialectDeepSeek:
		body = o.deepSeek()
	default:
		body = o.openAI()
	}
	page := &Page{Status: status, Header: h, Body: []byte(text(body))}
	if to.array {
		page.Body = []byte("[" + string(page.Body) + "]")
	}
	return page
}

// unread is the page of a request whose body did not come in, in the words of whom the path tells.
func (c *Codec) unread(now time.Duration, r *http.Request, o *objection) *Page {
	to := routeTo(r)
	return c.object(now, &to, o)
}

// signature is the header of an answer to somebody the vendor does not know, or not yet: an id of the request, where
// it has one, and nothing of limits or accounts.
func signature(vendor Dialect, a *answer) []Header {
	switch vendor {
	case DialectOpenAI:
		return []Header{{"x-request-id", "req_" + a.id(32)}}
	case DialectAnthropic:
		return []Header{{"request-id", "req_011C" + a.id(20)}}
	case DialectAzure:
		return []Header{{"apim-request-id", uuid(a.id(32))}}
	}
	return nil
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
	case wrongTask:
		return "You are not allowed to " + o.param + " from this model"
	case emptyInput: // github.com/openai/openai-python/issues/576
		return "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference."
	case largeBody:
		return "The request is larger than " + o.detail + " bytes."
	case lateBody:
		return "Timed out reading request body. Try again, or use a smaller request size."
	case cutBody:
		return "The body of the request could not be read."
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
	case largeBody:
		code = "request_too_large"
	}
	if o.reason == lateBody {
		return openAIFault("server_error", code, o.plain())
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
	case wrongTask:
		operation := "chatCompletion"
		if o.param == toEmbed {
			operation = "embeddings"
		}
		return azureError{azureFields{"OperationNotSupported", "The " + operation + " operation does not work with the specified model, " + o.detail + ". Please choose different model and try again."}}
	case largeBody:
		return azureError{azureFields{"RequestEntityTooLarge", o.plain()}}
	case lateBody:
		return azureError{azureFields{"Timeout", "The operation was timeout."}}
	case cutBody:
		return azureError{azureFields{"BadRequest", o.plain()}}
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
	case wrongTask:
		kind = "not_found_error"
	case largeBody:
		kind, message = "request_too_large", "Request exceeds the maximum size"
	case lateBody:
		kind, message = "timeout_error", "Request timed out"
	}
	return anthropicError{"error", anthropicFields{Type: kind, Message: message}, request}
}

func (o *objection) gemini(status int) geminiError {
	e := geminiFields{Code: status, Message: o.plain(), Status: "INVALID_ARGUMENT"}
	switch o.reason {
	case unknownPath:
		e.Status = "NOT_FOUND"
	case wrongMethod:
		e.Status = "UNIMPLEMENTED"
	case noSecret, wrongSecret:
		e.Status, e.Message = "UNAUTHENTICATED", "Request had invalid authentication credentials."
	case unknownModel:
		e.Status, e.Message = "NOT_FOUND", "models/"+o.detail+" is not found, or is not supported for generateContent."
	case wrongTask:
		task := "generateContent"
		if o.param == toEmbed {
			task = "embedContent"
		}
		e.Status, e.Message = "NOT_FOUND", "models/"+o.detail+" is not found, or is not supported for "+task+"."
	case largeBody:
		e.Message = "Request payload size exceeds the limit: " + o.detail + " bytes."
	case lateBody:
		e.Status = "DEADLINE_EXCEEDED"
	}
	return geminiError{e}
}
