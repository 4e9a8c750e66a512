package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
)

// Opener opens the trace at a path, as it is resolved from the scenario: see [Scenario.Traces].
type Opener func(path string) (io.ReadCloser, error)

// Text returns the scenario as it was read, without its overrides (Sets): with them and the content of [Scenario.Traces] it can be made
// again elsewhere, by [ParseWith].
func (s *Scenario) Text() []byte { return slices.Clone(s.data) }

// Traces returns the paths of the traces of all variants, resolved, each once, in the order of the file.
func (s *Scenario) Traces() []string {
	var paths []string
	for _, v := range s.variants {
		for i, name := range v.Spec.Workload.Traces.Names {
			at, _ := v.tree.at("workload", "traces", name, "path")
			if p := v.tracePath(at, v.Spec.Workload.Traces.Values[i].Path); !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// OpenTrace opens one of [Scenario.Traces].
func (s *Scenario) OpenTrace(path string) (io.ReadCloser, error) {
	if s.open != nil {
		return s.open(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: path, Err: fmt.Errorf("is a directory")}
	}
	return os.Open(path)
}

// readable tries to open a trace.
func (s *Scenario) readable(path string) error {
	f, err := s.OpenTrace(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func (s *Scenario) hashFile(path string) (string, error) {
	f, err := s.OpenTrace(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
