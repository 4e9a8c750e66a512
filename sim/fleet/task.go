package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// JobSchema names the form of a job. A change of it is a change of every sweep's id.
const JobSchema = "simload.sweep/v1"

// idLength is the length of the ids of sweeps and tasks, in hex digits: 96 bits.
const idLength = 24

// Job is what all tasks of a sweep have in common. Its hash is the sweep's id.
type Job struct {
	Schema string `json:"schema"`
	// Version is that of the program, with whatever its results depend on (Go, architecture): see [Work].
	Version string `json:"version"`
	Kind    string `json:"kind"` // what the tasks are: KindPlan, KindRun
	Cargo
	// Options are those of the kind that results depend on.
	Options json.RawMessage `json:"options,omitempty"`
}

// Task is one message of the work queue.
type Task struct {
	Job     string          `json:"job_sha256"`
	Version string          `json:"version"`
	ID      string          `json:"id"`
	Name    string          `json:"name"` // for people
	Unit    json.RawMessage `json:"unit"`
}

// Version is what has to be equal for two programs to give equal results: version, Go and architecture, and build, which tells programs apart that
// go by the same version (those of a changed work tree). It is one word.
func Version(tool report.Tool, build string) string {
	text := tool.Version + "-" + tool.Go + "-" + tool.Arch
	if build != "" {
		text += "-" + build
	}
	return bus.Token(strings.Map(func(r rune) rune {
		if strings.ContainsRune("./+", r) {
			return '_'
		}
		return r
	}, text))
}

// sweepID is the id of the sweep of a job with a hash.
func sweepID(jobHash string) string { return jobHash[:min(idLength, len(jobHash))] }

// taskID is the id of a task with a unit.
func taskID(unit []byte) string {
	sum := sha256.Sum256(unit)
	return hex.EncodeToString(sum[:])[:idLength]
}

// check looks whether a task that was received can be one.
func (t *Task) check() error {
	if len(t.Job) != sha256.Size*2 || bus.Token(t.Job) != t.Job || len(t.ID) != idLength || bus.Token(t.ID) != t.ID {
		return fmt.Errorf("not a task: job %.80q, id %.80q", t.Job, t.ID)
	}
	return nil
}

// key is where the result of a task stands.
func (t *Task) key() string { return sweepID(t.Job) + "." + t.ID }

// Result is what a worker made of a task, and who it was. Only the data counts.
type result struct {
	Worker     string `json:"worker"`
	Deliveries int    `json:"deliveries"` // how often the task was given to a worker
	data       []byte
}

// encode writes a line of JSON about the result, and the data behind it.
func (r *result) encode() ([]byte, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("writing a result: %w", err)
	}
	return append(append(head, '\n'), r.data...), nil
}

// decodeResult is the reverse of encode.
func decodeResult(value []byte) (r result, err error) {
	head, data, ok := bytes.Cut(value, []byte{'\n'})
	if !ok {
		return r, fmt.Errorf("reading a result: %w", bus.ErrDamaged)
	}
	if err := json.Unmarshal(head, &r); err != nil {
		return result{}, fmt.Errorf("reading a result: %w: %w", bus.ErrDamaged, err)
	}
	r.data = data
	return r, nil
}

// failure is what a worker tells of a task that failed by itself.
type failure struct {
	Task    string `json:"task"`
	Name    string `json:"name"`
	Worker  string `json:"worker"`
	Problem string `json:"problem"`
	Usage   bool   `json:"usage"` // the scenario is at fault, not the program
}

// TaskError says which task of a sweep failed, and why.
type TaskError struct {
	Name    string // of the task
	Problem string
	Usage   bool // the scenario is at fault
}

// Error implements error.
func (e *TaskError) Error() string { return "task " + e.Name + ": " + e.Problem }

// names are the subjects of a fleet.
type names struct{ bus.Namespace }

const (
	tasksStream = "tasks"
	sweepsStore = "sweeps"
)

func (n names) tasks() string                   { return n.Subject("task", ">") }
func (n names) ofVersion(version string) string { return n.Subject("task", bus.Token(version), "*") }

func (n names) task(version, sweep string) string {
	return n.Subject("task", bus.Token(version), sweep)
}
func (n names) failed(sweep string) string { return n.Subject("failed", sweep) }
func (n names) beat(worker string) string  { return n.Subject("worker", bus.Token(worker)) }
func (n names) signs() string              { return n.Subject("worker", "*") }
func (n names) state(sweep string) string  { return n.Subject("sweep", sweep) }
func (n names) states() string             { return n.Subject("sweep", "*") }

// consumer is the durable consumer that all workers of a version share.
func consumer(version string) string { return "workers-" + bus.Token(version) }

// givenUp is where the server says that it gave a task up.
func (n names) givenUp(version string) string {
	return "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + n.Name(tasksStream) + "." + consumer(version)
}
