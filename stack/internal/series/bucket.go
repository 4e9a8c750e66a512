package series

// Operation returns the upper bounds, in seconds, of the buckets that OpenTelemetry's conventions
// for generative AI give the duration of a call of a vendor and the time to its first chunk
// (semantic conventions v1.41.0).
func Operation() []float64 {
	return []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
}

// Request returns the bounds for times that hold waiting. A request may wait minutes in line and
// between attempts, so the bounds go on doubling to eleven minutes: as long as the waits for the
// agent's cap and in line that [stack.Default] allows, and a slow answer.
func Request() []float64 { return append(Operation(), 163.84, 327.68, 655.36) }

// TokenUsage returns the bounds, in tokens, that the conventions give the tokens of one call: the
// powers of 4 from 1 to 4^13.
func TokenUsage() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}
