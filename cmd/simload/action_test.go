package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// The action for GitHub and the example of its use.
const (
	actionDir   = "../../.github/actions/simload"
	exampleFile = "../../.github/examples/fleet.yml"
)

type actionStep struct {
	Name  string            `yaml:"name"`
	Uses  string            `yaml:"uses"`
	Shell string            `yaml:"shell"`
	Run   string            `yaml:"run"`
	With  map[string]string `yaml:"with"`
	Env   map[string]string `yaml:"env"`
}

type actionFile struct {
	Inputs map[string]struct {
		Description string `yaml:"description"`
		Required    bool   `yaml:"required"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string       `yaml:"using"`
		Steps []actionStep `yaml:"steps"`
	} `yaml:"runs"`
}

type workflowFile struct {
	On   map[string]any `yaml:"on"`
	Jobs map[string]struct {
		Steps []actionStep `yaml:"steps"`
	} `yaml:"jobs"`
}

// readYAML reads a file into out, and returns its text.
func readYAML(t *testing.T, path string, out any) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(b)
}

// pinned is an action at a full version or a commit.
var pinned = regexp.MustCompile(`@(v\d+\.\d+\.\d+|[0-9a-f]{40})$`)

// Ensure the action is whole: its steps run in a shell, actions of others are at a version, and
// what users may write reaches scripts by the environment alone, where it is no code.
func TestActionIsWhole(t *testing.T) {
	var a actionFile
	text := readYAML(t, filepath.Join(actionDir, "action.yml"), &a)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatalf("it is %q with %d steps", a.Runs.Using, len(a.Runs.Steps))
	}
	for _, s := range a.Runs.Steps {
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("%s is not pinned to a version", s.Uses)
		}
		if s.Run != "" && s.Shell == "" {
			t.Errorf("step %q has no shell", s.Name)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q has an expression in its script", s.Name)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("no input %s", m[1])
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("input %s is not described, or not used", name)
		}
	}
	written := scripts(t)
	for name, o := range a.Outputs {
		m := regexp.MustCompile(`steps\.run\.outputs\.([\w-]+)`).FindStringSubmatch(o.Value)
		if m == nil || !strings.Contains(written, m[1]+"=") {
			t.Errorf("nothing writes the output %s, %s", name, o.Value)
		}
	}
}

// scripts are those beside the action, one after another; each must be one that bash can read.
func scripts(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(actionDir, "*.sh"))
	if err != nil || len(names) == 0 {
		t.Fatalf("scripts %v, %v", names, err)
	}
	var all strings.Builder
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		if _, err := exec.LookPath("bash"); err != nil {
			continue
		}
		if out, err := exec.Command("bash", "-n", n).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", n, err, out)
		}
	}
	return all.String()
}

// Ensure the example fits the action, pins what it uses, and does not run here.
func TestActionExample(t *testing.T) {
	var a actionFile
	readYAML(t, filepath.Join(actionDir, "action.yml"), &a)
	var w workflowFile
	readYAML(t, exampleFile, &w)
	if _, ok := w.On["pull_request"]; !ok {
		t.Errorf("it runs on %v", w.On)
	}
	used := false
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Uses != "" && !pinned.MatchString(s.Uses) {
				t.Errorf("%s is not pinned to a version", s.Uses)
			}
			if !strings.Contains(s.Uses, "/.github/actions/simload@") {
				continue
			}
			used = true
			for name := range s.With {
				if _, ok := a.Inputs[name]; !ok {
					t.Errorf("the action has no input %s", name)
				}
			}
			for name, in := range a.Inputs {
				if in.Required && s.With[name] == "" {
					t.Errorf("the input %s is not given", name)
				}
			}
			checkFlags(t, "run", strings.Fields(s.With["args"]))
		}
	}
	if !used {
		t.Error("it does not use the action")
	}
	if here, _ := filepath.Glob("../../.github/workflows/*"); here != nil {
		t.Errorf("workflows run here: %v", here)
	}
}

// Ensure every command that the action calls exists, with every flag it is given.
func TestActionCallsWhatExists(t *testing.T) {
	calls := regexp.MustCompile(`(?m)^\s*simload ([a-z]+) (.*)$`).FindAllStringSubmatch(scripts(t), -1)
	if len(calls) < 2 {
		t.Fatalf("found the calls %q", calls)
	}
	for _, c := range calls {
		checkFlags(t, c[1], strings.Fields(c[2]))
	}
	var a actionFile
	text := readYAML(t, filepath.Join(actionDir, "action.yml"), &a)
	for _, m := range regexp.MustCompile(`"simload ([a-z]+)"[^.]*?(--[a-z-]+)`).FindAllStringSubmatch(text, -1) {
		checkFlags(t, m[1], m[2:])
	}
}

// checkFlags looks up the flags among words. The command compare is to be checked when it exists.
func checkFlags(t *testing.T, verb string, words []string) {
	t.Helper()
	cmd, _, err := newFake(nil).rootCmd().Find([]string{verb})
	if err != nil || cmd.Name() != verb {
		if verb == "compare" {
			t.Logf("simload compare does not exist yet; to be checked then: %q", words)
			return
		}
		t.Fatalf("no command %s: %v", verb, err)
	}
	for _, w := range words {
		if w == "--" {
			return
		}
		if name, _, _ := strings.Cut(w, "="); strings.HasPrefix(w, "-") && findFlag(cmd, name) == nil {
			t.Errorf("simload %s has no flag %s", verb, name)
		}
	}
}

func findFlag(cmd *cobra.Command, name string) *pflag.Flag {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return cmd.Flags().Lookup(long)
	}
	return cmd.Flags().ShorthandLookup(strings.TrimPrefix(name, "-"))
}
