package mockupstream

// deepSeekHeaders: there are none about limits.
func deepSeekHeaders(a answer) []Header {
	return a.retryAfter(nil) // of a scripted burst
}

// deepSeekBody is in OpenAI's form.
func deepSeekBody(a answer, status int) any {
	switch status {
	case 401:
		return openAIFault("authentication_error", "invalid_request_error", "Authentication Fails")
	case 402:
		return openAIFault("unknown_error", "invalid_request_error", "Insufficient Balance")
	case 429:
		return openAIFault("rate_limit_error", "rate_limit_reached", "Rate Limit Reached")
	case 503, 529:
		return openAIFault("service_unavailable_error", "server_overloaded", "Server Overloaded")
	}
	return openAIBody(a, status)
}
