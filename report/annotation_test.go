package report

import (
	"bytes"
	"strings"
	"testing"
)

func annotationLines(t *testing.T, rs ...*Report) []string {
	t.Helper()
	var b bytes.Buffer
	if err := RenderAnnotations(&b, rs); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func TestAnnotations(t *testing.T) {
	if got := annotationLines(t, passFixture(t)); len(got) != 1 || got[0] != "" {
		t.Errorf("of a run that passed: %q", got)
	}
	failed := annotationLines(t, failFixture(t))
	for _, want := range []string{
		"::error file=scenarios/2000-agents.yaml,title=2000-agents%3A an expectation failed::throughput{variant=aimd} / throughput{variant=static} >= 1.5: 1.38",
		"::error file=scenarios/2000-agents.yaml,title=2000-agents%3A an expectation failed::p99{profile=hypotesis} < 6s: - in variant static",
	} {
		if !strings.Contains(strings.Join(failed, "\n"), want) {
			t.Errorf("no %s in\n%s", want, strings.Join(failed, "\n"))
		}
	}
	if got := annotationLines(t, invalidFixture(t))[0]; !strings.HasPrefix(got, "::error ") || !strings.Contains(got, "the run is invalid::the generator fell behind") || !strings.Contains(got, "%0A") {
		t.Errorf("of an invalid run: %s", got)
	}
	if got := annotationLines(t, partialFixture(t))[0]; !strings.HasPrefix(got, "::warning ") {
		t.Errorf("of an interrupted run: %s", got)
	}
}

// Ensure each line is one command, whatever the names, and that there are no more than GitHub shows.
func TestAnnotationsOfHostileNames(t *testing.T) {
	all := annotationLines(t, nastyReport(t), hostileFixture(t))
	if len(all) != maxAnnotations || !strings.Contains(all[maxAnnotations-1], " more; the report has all") {
		t.Errorf("%d annotations, the last %q", len(all), all[len(all)-1])
	}
	for _, line := range all {
		properties, ok := strings.CutPrefix(line, "::error ")
		if !ok {
			t.Errorf("no command: %.100q", line)
		}
		properties, _, _ = strings.Cut(properties, "::")
		if n := strings.Count(properties, "="); strings.Contains(properties, ",") && !strings.HasPrefix(properties, "file=") || n == 0 || len(line) > 10_000 {
			t.Errorf("properties %.200q", properties)
		}
		checkHarmless(t, line)
	}
}
