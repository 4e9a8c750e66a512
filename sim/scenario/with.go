package scenario

import "strings"

// With returns the same scenario with further overrides, laid over those that it has. It reads no file but
// traces, so what changed on disk meanwhile does not matter. The error is of type [Errors].
func (s *Scenario) With(sets ...string) (*Scenario, error) {
	all := append(append([]string(nil), s.Sets...), sets...)
	return ParseWith(s.File, s.data, all, s.open)
}

// SHA256 returns the hash, in hex, of the variant with its overlay merged in. Two scenarios whose variants
// have equal hashes run alike with equal seeds (and traces).
func (v *Variant) SHA256() string {
	var b strings.Builder
	v.tree.canonical(&b, nil)
	return hash(b.String())
}

// quotedPath is the path of a node as an override writes it.
func quotedPath(n *node) string {
	var parts []string
	for ; n != nil && n.parent != nil; n = n.parent {
		parts = append([]string{pathName(n.name)}, parts...)
	}
	return strings.Join(parts, ".")
}

// pathName puts a name that has dots in quotes.
func pathName(name string) string {
	if strings.ContainsAny(name, ".=") {
		return `"` + name + `"`
	}
	return name
}

// Path joins names to a path of --set; names that have dots are quoted.
func Path(names ...string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = pathName(name)
	}
	return strings.Join(parts, ".")
}

// DemandSHA256 returns the hash, in hex, of what the variant's demand depends on besides the seed and the content of traces.
func (v *Variant) DemandSHA256() string {
	var b strings.Builder
	for _, name := range []string{"duration", "warmup", "workload"} {
		if n := v.tree.child(name); n != nil {
			n.canonical(&b, nil)
		}
		b.WriteByte('\n')
	}
	return hash(b.String())
}
