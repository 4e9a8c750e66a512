// Package conformance asks the mock upstream with the vendors' own SDKs, unmodified and pinned, and holds what
// they make of its answers against the mock's books. It is tests alone, in a module of its own, so that the SDKs
// are nobody's dependency.
//
// Start with clients in client_test.go: a client is an SDK that asks one vendor of the mock. Each has the
// same two kinds: a question, and the reply that the SDK understood. What every one of them must show
// stands in answers_test.go (answers, streams, limits in headers, caches, lists), failures_test.go (refusals,
// overload, errors within streams, cut streams) and waits_test.go (429s, and the way back from them). One
// file for each SDK has its client; compat_test.go has what is DeepSeek's and OpenRouter's alone.
//
//	openai_test.go     github.com/openai/openai-go/v3, asking OpenAI, Azure, DeepSeek, OpenRouter and Gemini
//	anthropic_test.go  github.com/anthropics/anthropic-sdk-go
//	gemini_test.go     google.golang.org/genai
//	node_test.go       openai and @anthropic-ai/sdk of npm, as processes (node/*.mjs)
//
// The versions are those of go.mod and node/package-lock.json. The packages of npm are got by
//
//	npm ci --prefix node
//
// Without them, or without node, their tests are skipped, unless SIMLOAD_REQUIRE is set: then they fail.
//
// How an SDK retries is its version's business. The tables say how often it asked: what it does, not what
// would be wise. All retry by the status alone (genai only if it is told to), so that a request that can never
// be answered, too large or out of credit, is sent again.
package conformance
