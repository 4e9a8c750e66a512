package scenario

import (
	"io"
	"os"
	"regexp"
)

// foreign is what simload writes beside scenarios, by the schema that such a file begins with: what it is, and what to do with it.
var foreign = map[string]struct{ what, hint string }{
	"report":       {"a report", "show it with `simload report FILE`"},
	"compare":      {"a comparison", "run the scenario, or compare the reports that it was made of"},
	"plan":         {"a plan", "plan again with the scenario that it was made of"},
	"plan-results": {"the results of a plan", "go on with `simload plan SCENARIO --results FILE`"},
	"shard":        {"a shard of a run", "put the shards together with `simload merge FILE...`"},
	"audit":        {"the verdict of a mock", "serve a scenario again with `simload mock SCENARIO`"},
	"events":       {"a log of events", "make a scenario of it with `simload import FILE`, or name it under workload.traces"},
}

var (
	schemaHead = regexp.MustCompile(`^\s*(?:\[\s*)?\{\s*"schema":\s*"(simload\.([a-z-]+)/v[0-9]+)"`)
	eventsHead = regexp.MustCompile(`^\{"id":"[0-9a-f]+","agent":`)
)

// headBytes is how much of a file is looked at to see what it is.
const headBytes = 256

// foreignFile says that a file which begins with head is another one of simload's files; nil: it is none.
func foreignFile(head []byte) *problem {
	head = head[:min(len(head), headBytes)]
	found, kind := "", ""
	switch m := schemaHead.FindSubmatch(head); {
	case m != nil:
		found, kind = string(m[1]), string(m[2])
	case eventsHead.Match(head):
		found, kind = "lines of requests", "events"
	default:
		return nil
	}
	is, known := foreign[kind]
	if !known {
		is.what, is.hint = "another file of simload", "`simload init` writes a starter scenario"
	}
	return &problem{"this is " + is.what + " and no scenario", found, "a YAML file with duration, workload and upstreams", is.hint}
}

// headOf reads the first bytes of a file, none if that fails.
func headOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil {
		return nil
	}
	return head
}
