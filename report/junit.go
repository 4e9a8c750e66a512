package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The elements of a JUnit file, in the order in which the schemas of Ant and Jenkins want
// them. There is no standard; what both allow is read everywhere.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Package    string          `xml:"package,attr"`
		ID         int             `xml:"id,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Hostname   string          `xml:"hostname,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		SystemOut  string          `xml:"system-out"`
		SystemErr  string          `xml:"system-err"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Classname string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junitEpoch is the time stamp of every suite. The schemas ask for one, a report has none: it
// does not depend on when it was made. A virtual run begins at instant 0.
const junitEpoch = "1970-01-01T00:00:00"

// RenderJUnit writes reports as JUnit XML, a suite for each: a test case for every
// expectation (and variant, where it holds for each), one for each law, and one, "run", for the run
// itself. A missed expectation is a failure; a broken law, an invalid run and an interrupted one are
// errors, and the latter's expectations are judged by what was measured until then, or errors too if that is nothing (the strictest schema
// knows no skipped cases). Times are those of
// the simulated clock. What XML cannot hold is replaced.
func RenderJUnit(w io.Writer, rs []*Report) error {
	rs, err := canonicals(rs)
	if err != nil {
		return err
	}
	var all junitSuites
	for i, r := range rs {
		all.Suites = append(all.Suites, junitOf(r, i))
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(b)+"\n")
	}
	if err != nil {
		return fmt.Errorf("writing JUnit XML: %w", err)
	}
	return nil
}

func junitOf(r *Report, id int) junitSuite {
	name := label(r.Scenario.Name)
	if name == "" {
		name = "simload" // a suite must have a name
	}
	s := junitSuite{
		Name: name, Package: "simload", ID: id, Timestamp: junitEpoch, Hostname: "localhost",
		Time: junitTime(float64(r.Scenario.DurationS)), Properties: junitProperties(r),
	}
	s.add(junitRun(r, name))
	for i := range r.Verdict.Checks {
		c := &r.Verdict.Checks[i]
		if r.unjudged(c) {
			open := &junitProblem{Type: label(r.Verdict.Status), Message: "not judged: " + clean(c.Note)}
			s.add(junitCase{Name: label(c.Expr), Classname: junitClass(name, c.Variant), Error: open})
			continue
		}
		s.add(junitCheck(c, name))
	}
	for i := range r.Variants {
		for _, c := range junitLaws(&r.Variants[i], name) {
			s.add(c)
		}
	}
	return s
}

func (s *junitSuite) add(c junitCase) {
	c.Time = "0"
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

func junitTime(seconds float64) string {
	if math.IsNaN(seconds) || seconds < 0 {
		return "0"
	}
	return strconv.FormatFloat(seconds, 'f', -1, 64)
}

func junitProperties(r *Report) []junitProperty {
	sc := &r.Scenario
	out := []junitProperty{
		{"verdict", label(r.Verdict.Status)},
		{"seed", strconv.FormatUint(sc.Seed, 10)},
		{"clock", label(sc.Mode)},
		{"scenario_sha256", label(sc.SHA256)},
		{"demand_sha256", label(sc.DemandSHA256)},
		{"simload", label(strings.TrimSpace(r.Tool.Version + " " + r.Tool.Arch))},
		{"replications", strconv.Itoa(max(1, replications(r)))},
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		out = append(out, junitProperty{"digest of " + label(v.Name), label(v.Digest)})
	}
	return out
}

// junitRun is the case of the run itself: an error unless it can be believed as a whole.
func junitRun(r *Report, class string) junitCase {
	c := junitCase{Name: "run", Classname: class}
	if r.Verdict.Status == StatusPass || r.Verdict.Status == StatusFail {
		return c
	}
	c.Error = &junitProblem{Type: label(r.Verdict.Status), Message: "the run is " + label(r.Verdict.Status)}
	var lines []string
	for _, reason := range r.Verdict.Reasons {
		lines = append(lines, clean(reason))
	}
	c.Error.Text = strings.Join(lines, "\n")
	return c
}

// junitClass is the class of a variant's cases.
func junitClass(scenario, variant string) string {
	if variant == "" {
		return scenario
	}
	return scenario + "." + label(variant)
}

func junitCheck(check *Check, scenario string) junitCase {
	c := junitCase{Name: label(check.Expr), Classname: junitClass(scenario, check.Variant)}
	if check.OK {
		return c
	}
	unit := unitOf(check)
	value := check.form(unit)
	if value == none {
		value = "no value"
	}
	lines := []string{
		"expectation: " + clean(check.Expr),
		"value: " + value,
		"bound: " + formUnit(float64(check.Bound), unit),
	}
	if check.Variant != "" {
		lines = append(lines, "variant: "+clean(check.Variant))
	}
	if note := checkNote(check, unit); note != "" {
		lines = append(lines, "note: "+note)
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], thin, " ")
	}
	c.Failure = &junitProblem{
		Type: "expectation", Text: strings.Join(lines, "\n"),
		Message: strings.ReplaceAll(value, thin, " ") + ", expected " + clean(check.Expr),
	}
	return c
}

// junitLaws are the cases of a variant's laws; books are left out where there are none.
func junitLaws(v *Variant, scenario string) []junitCase {
	l := &v.Laws
	residual := float64(l.LittleResidual)
	laws := []struct {
		name string
		ok   bool
	}{
		{"law: requests are conserved (INV-1)", l.ConservationOK},
		{"law: Little's law holds (INV-2)", math.IsNaN(residual) || residual <= littleInvalid},
		{"law: the books agree (INV-6)", l.BooksAgree},
	}
	if l.NoBooks {
		laws = laws[:2]
	}
	details := make([]string, len(l.Details))
	for i, d := range l.Details {
		details[i] = clean(d)
	}
	var out []junitCase
	for _, law := range laws {
		c := junitCase{Name: law.name, Classname: junitClass(scenario, v.Name)}
		if !law.ok {
			c.Error = &junitProblem{Type: "law", Message: "broken", Text: strings.Join(details, "\n")}
		}
		out = append(out, c)
	}
	return out
}
