package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

const (
	folder       = "scenarios/claims"
	replications = 10
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}

// run measures all claims and writes the table. It fails if a claim's expectations are not met, after
// it has written what was.
func run() error {
	files, err := filepath.Glob(folder + "/*.yaml")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no scenarios in %s (start this at the top of the project): %w", folder, err)
	}
	var rows []string
	var failed []error
	for i, file := range files {
		fmt.Fprintf(os.Stderr, "%2d of %d  %s\n", i+1, len(files), file)
		row, err := claim(file)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", file, err))
		}
		rows = append(rows, row)
	}
	head, err := os.ReadFile(folder + "/head.md")
	if err != nil {
		return err
	}
	text := string(head) + "\n| scenario | claim | measured | verdict | why |\n| --- | --- | --- | --- | --- |\n" + strings.Join(rows, "")
	return errors.Join(errors.Join(failed...), os.WriteFile(folder+"/README.md", []byte(text), 0o644))
}

// claim measures one scenario and returns its row of the table.
func claim(file string) (string, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	what, err := table(file)
	if err != nil {
		return fmt.Sprintf("| [%s](%s.yaml) | | | not run | |\n", name, name), err
	}
	sc, err := scenario.Load(file, nil)
	if err != nil {
		return "", err
	}
	out, err := sim.Run(sc, sim.Options{Reps: replications})
	if err != nil {
		return "", err
	}
	v := &out.Report.Verdict
	if v.Status != report.StatusPass {
		what[1] = "**not as written**"
		err = fmt.Errorf("verdict %s: %s", v.Status, broken(v))
	}
	return fmt.Sprintf("| [%s](%s.yaml) | %s | %s | %s | %s |\n", name, name, what[0], measured(v), what[1], what[2]), err
}

// table reads the line of the head that the table is made from: claim, verdict, why.
func table(file string) ([3]string, error) {
	var what [3]string
	text, err := os.ReadFile(file)
	if err != nil {
		return what, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "# table: "); ok {
			if parts := strings.Split(strings.TrimSpace(rest), " | "); len(parts) == len(what) {
				copy(what[:], parts)
				return what, nil
			}
		}
	}
	return what, errors.New(`no line "# table: claim | verdict | why" in its head`)
}

// measured lists the figures of the expectations, each once.
func measured(v *report.Verdict) string {
	var list []string
	seen := map[string]bool{}
	for i := range v.Checks {
		c := &v.Checks[i]
		figure := c.Figure()
		if !seen[figure] {
			seen[figure] = true
			list = append(list, figure)
		}
	}
	return strings.Join(list, "<br>")
}

func broken(v *report.Verdict) string {
	var list []string
	for i := range v.Checks {
		if !v.Checks[i].OK {
			list = append(list, v.Checks[i].Expr)
		}
	}
	return strings.Join(append(list, v.Reasons...), "; ")
}
