package compare

import (
	"fmt"
	"io"

	"github.com/seed-4fd17b57/simload/report"
)

// RenderAnnotations writes a workflow command of GitHub Actions for a result whose exit code is not 0, an error, and for one
// with too few replications, a warning; else nothing. See report.RenderAnnotations for those of the run itself.
func RenderAnnotations(w io.Writer, res *Result) error {
	kind, title := "error", "worse than the baseline"
	switch {
	case res.Verdict == Worse:
	case res.Verdict == NotEnough || res.strict && res.ExitCode() != report.ExitPass:
		title = "too few replications to compare"
		if res.ExitCode() == report.ExitPass {
			kind = "warning"
		}
	default:
		return nil
	}
	file := ""
	if len(res.Scenarios) == 1 {
		file, title = res.Scenarios[0].New.File, report.Clean(res.Scenarios[0].Name, nameWidth)+": "+title
	}
	if _, err := io.WriteString(w, report.WorkflowCommand(kind, file, title, res.Summary)+"\n"); err != nil {
		return fmt.Errorf("writing an annotation: %w", err)
	}
	return nil
}
