package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// The examples for batch systems.
const (
	kubernetesFile = "../../docs/kubernetes-job.yaml"
	slurmFile      = "../../docs/slurm-array.sh"
	matrixFile     = "../../.github/examples/matrix.yml"
)

// manifest is what the test looks at of an object of Kubernetes.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int    `yaml:"completions"`
		Parallelism          int    `yaml:"parallelism"`
		BackoffLimitPerIndex *int   `yaml:"backoffLimitPerIndex"`
		Suspend              bool   `yaml:"suspend"`
		Template             struct {
			Spec struct {
				RestartPolicy string      `yaml:"restartPolicy"`
				Containers    []container `yaml:"containers"`
				Volumes       []struct {
					Name                  string `yaml:"name"`
					PersistentVolumeClaim struct {
						ClaimName string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type container struct {
	Image string `yaml:"image"`
	Env   []struct {
		Name  string `yaml:"name"`
		Value string `yaml:"value"`
	} `yaml:"env"`
	Command      []string `yaml:"command"`
	Args         []string `yaml:"args"`
	VolumeMounts []struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// set returns what the manifest gives a variable.
func (c *container) set(name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

// manifests reads the jobs of the example for Kubernetes, by name, and the names of its claims.
func manifests(t *testing.T) (jobs map[string]*manifest, claims []string) {
	t.Helper()
	f, err := os.Open(kubernetesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	jobs = map[string]*manifest{}
	for d := yaml.NewDecoder(f); ; {
		m := new(manifest)
		if err := d.Decode(m); err != nil {
			if len(jobs) != 2 || len(claims) != 1 {
				t.Fatalf("%d jobs and %d claims: %v", len(jobs), len(claims), err)
			}
			return jobs, claims
		}
		switch {
		case m.Kind == "Job" && m.APIVersion == "batch/v1":
			jobs[m.Metadata.Name] = m
		case m.Kind == "PersistentVolumeClaim" && m.APIVersion == "v1":
			claims = append(claims, m.Metadata.Name)
		default:
			t.Fatalf("a %s of %s", m.Kind, m.APIVersion)
		}
	}
}

// script runs a script of an example as its batch system does, with these variables, and returns what it printed.
func script(t *testing.T, dir string, command, env []string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GITHUB_") }), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, errs.String())
	}
	return out.String()
}

// batchDir is a directory with a short scenario, and what "simload run" says of six replications of it.
func batchDir(t *testing.T) (dir, want string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	dir = t.TempDir()
	text := regexp.MustCompile(`(?m)^duration: \S+`).ReplaceAll(scenario.Starter(), []byte("duration: 40s"))
	text = regexp.MustCompile(`(?m)^warmup: \S+`).ReplaceAll(text, []byte("warmup: 10s"))
	if err := os.WriteFile(filepath.Join(dir, "fleet.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, script(t, dir, []string{"simload", "run", "fleet.yaml", "--reps", "6", "--quiet"}, nil)
}

// Ensure the manifest's jobs fit each other, and that their commands, taken out of it and run as Kubernetes would, give
// the report of one machine.
func TestKubernetesJob(t *testing.T) {
	jobs, claims := manifests(t)
	shards, merge := jobs["simload-shards"], jobs["simload-merge"]
	if shards == nil || merge == nil {
		t.Fatal("a job is missing")
	}
	s := &shards.Spec
	run, join := &s.Template.Spec.Containers[0], &merge.Spec.Template.Spec.Containers[0]
	if s.CompletionMode != "Indexed" || s.Completions < 2 || s.Parallelism < 1 || s.BackoffLimitPerIndex == nil || run.set("SHARDS") != fmt.Sprint(s.Completions) {
		t.Errorf("the shards: %+v", s)
	}
	if !merge.Spec.Suspend || run.Image != join.Image {
		t.Error("the merge does not wait for the shards, or is of another image")
	}
	for name, j := range jobs {
		pod := &j.Spec.Template.Spec
		if pod.RestartPolicy != "Never" {
			t.Errorf("%s: pods restart", name)
		}
		for _, v := range pod.Volumes {
			if c := v.PersistentVolumeClaim.ClaimName; c != "" && !slices.Contains(claims, c) {
				t.Errorf("%s: no claim %s", name, c)
			}
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			if m.Name == "parts" && m.MountPath != pod.Containers[0].set("PARTS") {
				t.Errorf("%s: the parts are at %s", name, m.MountPath)
			}
		}
	}
	dir, want := batchDir(t)
	env := []string{"SHARDS=2", "REPS=6", "SCENARIO=fleet.yaml", "PARTS=."}
	for index := range 2 {
		script(t, dir, append(run.Command, run.Args...), append(env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index)))
	}
	if got := script(t, dir, append(join.Command, join.Args...), []string{"PARTS=."}); got != want {
		t.Errorf("merged:\n%s\nin one process:\n%s", got, want)
	}
	for _, f := range []string{"report.json", "report.html"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
}

// Ensure the script for Slurm carries out the array's shards.
func TestSlurmArray(t *testing.T) {
	text := read(t, slurmFile)
	if !strings.Contains(text, "#SBATCH --array=1-8\n") || !strings.Contains(text, "SHARDS=${SHARDS:-8}") {
		t.Error("the array is not that of the shards")
	}
	path, err := filepath.Abs(slurmFile)
	if err != nil {
		t.Fatal(err)
	}
	dir, want := batchDir(t)
	for _, id := range []string{"2", "1"} {
		script(t, dir, []string{"sh", path}, []string{"SHARDS=2", "REPS=6", "SLURM_ARRAY_TASK_ID=" + id, "SLURM_CPUS_PER_TASK=2"})
	}
	_, wrap, _ := strings.Cut(text, "--wrap '")
	wrap, _, ok := strings.Cut(wrap, "'")
	if got := script(t, dir, []string{"sh", "-ec", wrap}, nil); !ok || got != want {
		t.Errorf("merged by %q:\n%s\nin one process:\n%s", wrap, got, want)
	}
}

// Ensure the workflow's matrix carries out the shards, pins what it uses, and has expressions in variables alone.
func TestMatrixExample(t *testing.T) {
	var w struct {
		Env  map[string]string `yaml:"env"`
		Jobs map[string]struct {
			Needs    string `yaml:"needs"`
			Strategy struct {
				Matrix map[string][]int `yaml:"matrix"`
			} `yaml:"strategy"`
			Steps []actionStep `yaml:"steps"`
		} `yaml:"jobs"`
	}
	readYAML(t, matrixFile, &w)
	if m := w.Jobs["shard"].Strategy.Matrix["shard"]; len(m) != 8 || m[0] != 1 || m[7] != 8 || w.Jobs["merge"].Needs != "shard" {
		t.Errorf("the matrix is %v", m)
	}
	dir, want := batchDir(t)
	got := ""
	step := func(job, name string, replace ...string) {
		for _, s := range w.Jobs[job].Steps {
			if s.Uses != "" && !pinned.MatchString(s.Uses) {
				t.Errorf("%s is not pinned to a version", s.Uses)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("step %q has an expression in its script", s.Name)
			}
			if s.Name != name {
				continue
			}
			env := []string{"SCENARIO=fleet.yaml", "REPS=6"}
			for k, v := range s.Env {
				env = append(env, k+"="+strings.NewReplacer(replace...).Replace(v))
			}
			got = script(t, dir, []string{"sh", "-ec", s.Run}, env)
		}
	}
	for _, shard := range []string{"1", "2"} {
		step("shard", "run the shard", "${{ matrix.shard }}", shard, "${{ strategy.job-total }}", "2")
	}
	if step("merge", "merge the shards"); got != want {
		t.Errorf("merged:\n%s\nin one process:\n%s", got, want)
	}
	for name := range w.Env {
		if !slices.Contains([]string{"SIMLOAD", "SCENARIO", "REPS"}, name) {
			t.Errorf("a variable %s that nothing sets here", name)
		}
	}
}
