package scenario

import _ "embed"

//go:embed starter.yaml
var starter []byte

// Starter returns a commented scenario to begin with: 20 agents, two models, five
// minutes.
func Starter() []byte { return append([]byte(nil), starter...) }
