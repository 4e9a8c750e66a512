// Package draft writes scenarios: complete YAML files with comments, from what others have
// found out. Start with [Demand] for a fitted trace, and [Latency] for fitted calls; the
// sub-package of the same parent for LiteLLM's configuration uses the same [Page].
//
// What it writes is checked by scenario.Parse in tests; a draft is text because people go on
// from it: the comments say what was measured, what was assumed, and what to change.
package draft
