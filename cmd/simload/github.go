package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// summaryMax is what GitHub takes as the summary of one step, in bytes
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions); of a larger
// file it shows nothing.
const summaryMax = 1024 << 10

// forGitHub tells GitHub Actions of a result, if this is a step of it: summary writes Markdown of at
// most limit bytes, which is appended to the file that GITHUB_STEP_SUMMARY names, and annotations writes
// workflow commands. These go to stderr, where the runner looks for them as it does on stdout, so
// that stdout stays what was asked for.
//
// What goes wrong here is told, but changes no exit code: the verdict is about the fleet.
func (a *app) forGitHub(summary func(w io.Writer, limit int) error, annotations func(w io.Writer) error) {
	if path := a.getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := appendSummary(path, summary); err != nil {
			printMessage(a.stderr, fmt.Sprintf("the step summary is not written: %v", err))
		}
	}
	if a.getenv("GITHUB_ACTIONS") == "true" {
		if err := annotations(a.stderr); err != nil {
			printMessage(a.stderr, fmt.Sprintf("the annotations are not written: %v", err))
		}
	}
}

// appendSummary adds to a summary as much as there is room for.
func appendSummary(path string, summary func(w io.Writer, limit int) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if info.Size() > 0 {
		b.WriteByte('\n') // another step's text may not end a paragraph
	}
	if err := summary(&b, summaryMax-int(min(info.Size(), summaryMax))-b.Len()); err != nil {
		return err
	}
	if len(bytes.TrimSpace(b.Bytes())) == 0 {
		return nil
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		return err
	}
	return f.Close()
}
