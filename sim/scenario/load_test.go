package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is the scenario that tests change in one place.
func small(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func mustParse(t testing.TB, text string, sets ...string) *Scenario {
	t.Helper()
	s, err := Parse("testdata/x.yaml", []byte(text), sets)
	if err != nil {
		t.Fatalf("parsing: %v\n%s", err, text)
	}
	return s
}

func errorsOf(t testing.TB, err error) Errors {
	t.Helper()
	var es Errors
	if !errors.As(err, &es) || len(es) == 0 {
		t.Fatalf("error is %T %v, want Errors", err, err)
	}
	return es
}

func TestErrorsAreWrittenWithPlaceFoundAllowedAndHint(t *testing.T) {
	_, err := Load("testdata/wrong/unknown-nested-key.yaml", nil)
	want := "testdata/wrong/unknown-nested-key.yaml:4:32: workload.profiles.ask.intervall: unknown key " +
		"(found intervall; allowed: class, model, kind, interval, context, growth, max_context, shared_prefix, output, max_output, writes, estimate_error, and 3 more)\n" +
		"hint: did you mean \"interval\"?"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.yaml")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(100 << 20); err != nil { // sparse: 100 MB that take no room
		t.Fatal(err)
	}
	f.Close()
	for _, c := range []struct{ path, problem, found, allowed, hint string }{
		{huge, "too large", "104857600 bytes", "up to 4194304 bytes", "trace"},
		{dir, "cannot read", "a directory", "a YAML file", "name a file"},
		{filepath.Join(dir, "none.yaml"), "cannot read", "no such file or directory", "a readable file", "check the path"},
		{filepath.Join(dir, "a\x00b"), "cannot read", "invalid argument", "a readable file", "check the path"},
	} {
		_, err := Load(c.path, nil)
		e := errorsOf(t, err)[0]
		if e.File != c.path || !strings.Contains(e.Problem, c.problem) || e.Found != c.found || e.Allowed != c.allowed || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: got %+v, want %+v", c.path, e, c)
		}
	}
	if _, err := Parse("big", make([]byte, MaxBytes+1), nil); err == nil {
		t.Error("Parse took more than MaxBytes")
	}
}

func TestAllErrorsAreToldUpToTheCap(t *testing.T) {
	var b strings.Builder
	b.WriteString(small(t))
	for i := range 30 {
		fmt.Fprintf(&b, "wrong%02d: 1\n", i)
	}
	_, err := Parse("x.yaml", []byte(b.String()), nil)
	es := errorsOf(t, err)
	if len(es) != MaxErrors {
		t.Fatalf("%d errors, want %d", len(es), MaxErrors)
	}
	for i := range es {
		if want := fmt.Sprintf("wrong%02d", i); es[i].Path != want {
			t.Errorf("error %d is about %s, want %s", i, es[i].Path, want)
		}
	}
	if last := es[MaxErrors-1].Hint; !strings.Contains(last, "and 10 more errors") {
		t.Errorf("last hint %q does not count the rest", last)
	}
}

func TestMergeKeysAndAliases(t *testing.T) {
	text := strings.Replace(small(t), "    ask: {", "    ask: &ask {", 1)
	text = strings.Replace(text, "  agents:", "    tell: {<<: *ask, class: P2}\n  agents:", 1)
	s := mustParse(t, text)
	tell := s.Spec.Workload.Profiles.Get("tell")
	if tell == nil || tell.Class != "P2" || tell.MaxOutput != 200 {
		t.Errorf("tell is %+v, want P2 with the rest of ask", tell)
	}
}

func TestHashes(t *testing.T) {
	plain := mustParse(t, small(t))
	same := mustParse(t, "# comment\n\n"+strings.Replace(small(t), "{count: 2, ", "{count:   2, # note\n       ", 1))
	if plain.SHA256() != same.SHA256() {
		t.Error("comments and layout change SHA256")
	}
	demand := func(s *Scenario, seed uint64) string {
		t.Helper()
		h, err := s.DemandSHA256(seed)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	stack := mustParse(t, small(t), "stack.queue.bound=7")
	if stack.SHA256() == plain.SHA256() {
		t.Error("an override of the stack does not change SHA256")
	}
	if demand(stack, 1) != demand(plain, 1) {
		t.Error("an override of the stack changes DemandSHA256")
	}
	for _, set := range []string{"duration=2m", "warmup=1s", "workload.agents.crew.count=3"} {
		if demand(mustParse(t, small(t), set), 1) == demand(plain, 1) {
			t.Errorf("%s does not change DemandSHA256", set)
		}
	}
	if demand(plain, 2) == demand(plain, 1) {
		t.Error("the seed does not change DemandSHA256")
	}
}

func TestDemandHashCoversTheContentOfTracesAndNotTheirPath(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("testdata/traces/small.csv")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copy.csv")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	hash := func() string {
		s, err := Load("testdata/full.yaml", []string{"workload.traces.azure.path=" + copied})
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.DemandSHA256(1)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	original, err := Load("testdata/full.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := original.DemandSHA256(1)
	if err != nil {
		t.Fatal(err)
	}
	if hash() != want {
		t.Error("the same content under another path has another hash")
	}
	if err := os.WriteFile(copied, append(data, "2023-11-16 18:15:51.0000000,1,1\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if hash() == want {
		t.Error("other content has the same hash")
	}
}

func TestStarterLoadsAndBuilds(t *testing.T) {
	s, err := Parse("starter.yaml", Starter(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Agents() != 20 || len(s.Spec.Expect) == 0 {
		t.Errorf("%d agents, %d expectations; want 20 and some", s.Agents(), len(s.Spec.Expect))
	}
	if _, err := s.Variants()[0].Build(1); err != nil {
		t.Error(err)
	}
	// The variants that it shows in comments must work too.
	text := string(Starter())
	i := strings.Index(text, "# variants:")
	commented := strings.ReplaceAll(text[i:], "# ", "")
	if s, err = Parse("starter.yaml", []byte(text[:i]+commented), nil); err != nil {
		t.Fatal(err)
	}
	if len(s.Variants()) != 2 {
		t.Errorf("%d variants, want 2", len(s.Variants()))
	}
}

// Ensure another file of simload's is called what it is, in one error, however large it is.
func TestOtherFilesAreNamed(t *testing.T) {
	for _, c := range []struct{ text, problem string }{
		{"{\n  \"schema\": \"simload.report/v1\",\n  \"tool\": {}\n}\n", "this is a report and no scenario"},
		{"[\n  {\n    \"schema\": \"simload.report/v1\"\n  }\n]\n", "this is a report and no scenario"},
		{`{"schema":"simload.shard/v1","shard":1}` + "\n{}\n", "this is a shard of a run and no scenario"},
		{`{"schema":"simload.plan-results/v1"}` + "\n{}\n", "this is the results of a plan and no scenario"},
		{`{"schema":"simload.plan/v1"}`, "this is a plan and no scenario"},
		{`{"schema":"simload.audit/v2"}`, "this is the verdict of a mock and no scenario"},
		{`{"schema":"simload.novel/v1"}`, "this is another file of simload and no scenario"},
		{`{"id":"ea19ec0375d6e73d","agent":0}` + "\n{}\n", "this is a log of events and no scenario"},
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		for _, text := range []string{c.text, c.text + strings.Repeat(" ", MaxBytes)} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path, nil)
			if es := errorsOf(t, err); len(es) != 1 || es[0].Problem != c.problem || es[0].Found == "" || es[0].Allowed == "" || es[0].Hint == "" {
				t.Errorf("%.60q: %v", c.text, err)
			}
		}
	}
	if _, err := Parse("x.yaml", []byte(`schema: 1`), nil); err == nil || errorsOf(t, err)[0].Problem != "unknown key" {
		t.Errorf("a scenario with a key schema: %v", err)
	}
}
