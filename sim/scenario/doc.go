// Package scenario reads scenario files: what a run consists of, in YAML, checked
// strictly and turned into the configuration of every room.
//
// Start with [Load]. It applies overrides (--set), makes the variants, and either
// returns a scenario in which everything fits together or tells all that is wrong, each
// with its place in the file, what was found, what is allowed and what to do:
//
//	s, err := scenario.Load("scenarios/smoke.yaml", []string{"duration=10m"})
//	for _, v := range s.Variants() {
//		b, err := v.Build(s.Seed()) // b.Workload, b.Stack, b.Upstream, b.Report
//	}
//
// On the way text becomes four things, one file each:
//
//   - parse.go: a tree of nodes that know their line, column and path, with aliases
//     and merge keys resolved within limits. All YAML is read here.
//   - set.go and variant.go change the tree: overrides first, then the overlay of each
//     variant is merged in. Nodes keep their places, so that errors point to where
//     the text stands, be it the base or an overlay.
//   - decode.go fills a [Spec] from the tree. The types of spec.go, streamspec.go,
//     tracespec.go, upstream.go, limitspec.go and stackspec.go are the whole grammar: names,
//     bounds and descriptions stand in their tags, and [Schema] prints the same tags as JSON
//     Schema.
//   - build.go and its siblings turn the Spec into configurations and check what
//     needs more than one value: names that refer to nothing, keys without limits, limits
//     that a vendor's dialect does not have (dialect.go), groups that disagree. Loading runs
//     this too; building a loaded scenario only fails where a trace cannot be read.
//
// The provider's limits become the client's: the stack knows the requests and tokens per
// minute, the requests per day and the concurrency of each key's group, and what its vendor
// charges a request (dialect.go), unless the scenario says that it is mistaken (known_limits).
//
// A new key is one field with its tags, and one line where it is built in.
package scenario
