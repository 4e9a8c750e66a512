package sim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/seed-4fd17b57/simload/"

// floors says which rooms a room may import, besides its own sub-packages; see
// ARCHITECTURE.md.
var floors = map[string][]string{
	"stack":        nil,
	"mockupstream": nil,
	"workload":     {"stack", "mockupstream"},
	"report":       {"stack", "mockupstream"},
	"sim":          {"stack", "mockupstream", "workload", "report"},
	"cmd":          {"stack", "mockupstream", "workload", "report", "sim"},
}

// drivers are the files that may hold goroutines and clocks: names, or patterns of them.
var drivers = []string{
	"sim/pool.go", "sim/meter.go", "sim/wall*.go", "sim/host.go", "sim/watch.go",
	"sim/fleet/submit*.go", "sim/fleet/worker*.go", "sim/fleet/watch.go", "sim/fleet/jobs.go", "sim/fleet/load/conduct*.go", "sim/fleet/load/work*.go", "sim/fleet/bus/bus.go", "sim/fleet/server/server.go", "sim/fleet/server/warnings.go",
	"stack/client*.go", "stack/pool*.go", "stack/redisstore/redistest/*.go", "mockupstream/server*.go",
}

// driver reports whether a file may hold goroutines and clocks.
func (s source) driver() bool {
	return slices.ContainsFunc(drivers, func(pattern string) bool {
		ok, err := path.Match(pattern, s.path)
		return ok && err == nil
	})
}

// source is one Go file of the project.
type source struct {
	path string // slash-separated, from the root
	set  *token.FileSet
	file *ast.File
	raw  []byte
}

func (s source) test() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s source) room() string { r, _, _ := strings.Cut(s.path, "/"); return r }

func (s source) at(n ast.Node) string {
	p := s.set.Position(n.Pos())
	return s.path + ":" + strconv.Itoa(p.Line)
}

// ownModule reports whether a directory is a module of its own: those stand outside the house.
func ownModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || ownModule(path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, raw, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(rel), set, f, raw})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d Go files only", len(all))
	}
	return all
}

// A room imports only rooms below it, and the top level holds nothing else.
func TestRoomsAndFloors(t *testing.T) {
	for _, s := range sources(t) {
		below, known := floors[s.room()]
		if !known {
			t.Errorf("%s: %q is not a room of the house", s.path, s.room())
			continue
		}
		for _, im := range s.file.Imports {
			imported, _ := strconv.Unquote(im.Path.Value)
			rest, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			room, _, _ := strings.Cut(rest, "/")
			if room != s.room() && !slices.Contains(below, room) {
				t.Errorf("%s: %s imports %s, which is not below it", s.at(im), s.room(), room)
			}
		}
	}
}

// forbidden lists what makes a result depend on more than its input.
var forbidden = map[string][]string{
	"time": {"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Since", "Until"},
	"math/rand/v2": {
		"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint", "UintN", "Uint32", "Uint32N", "Uint64",
		"Uint64N", "Float32", "Float64", "ExpFloat64", "NormFloat64", "Perm", "Shuffle", "N",
	},
	"os":   {"Hostname", "Getpid"},
	"sync": {"WaitGroup", "Mutex", "RWMutex", "Cond"},
}

// Clocks, goroutines and global randomness are for the drivers and cmd alone.
func TestNoClockGoroutineOrGlobalRandomness(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.room() == "cmd" || s.driver() {
			continue
		}
		names := map[string][]string{}
		for _, im := range s.file.Imports {
			path, _ := strconv.Unquote(im.Path.Value)
			if path == "math/rand" || path == "crypto/rand" || path == "testing/synctest" {
				t.Errorf("%s: imports %s", s.at(im), path)
			}
			if bad, ok := forbidden[path]; ok {
				name := path[strings.LastIndex(path, "/")+1:]
				if path == "math/rand/v2" {
					name = "rand"
				}
				if im.Name != nil {
					name = im.Name.Name
				}
				names[name] = bad
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a go statement outside the drivers", s.at(n))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(names[x.Name], n.Sel.Name) {
					t.Errorf("%s: %s.%s outside the drivers", s.at(n), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

func (s source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

// table is the length of the longest literal of a test: cases are data.
func (s source) table(f *ast.FuncDecl) int {
	longest := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok {
			longest = max(longest, s.lines(lit)-1)
		}
		return true
	})
	return longest
}

// Functions stay under 70 lines (tables of tests apart), files under about 300.
func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		lines := strings.Count(string(s.raw), "\n")
		if !s.test() && lines > 330 {
			t.Errorf("%s has %d lines", s.path, lines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.lines(f)
			if s.test() {
				n -= s.table(f)
			}
			if n > 70 {
				t.Errorf("%s: %s has %d lines", s.at(f), f.Name.Name, n)
			}
		}
	}
}

// Every package says what it is for.
func TestPackageDocs(t *testing.T) {
	doc := map[string]bool{}
	for _, s := range sources(t) {
		dir := s.path[:strings.LastIndex(s.path, "/")]
		if !s.test() {
			doc[dir] = doc[dir] || s.file.Doc != nil
		}
	}
	dirs := make([]string, 0, len(doc))
	for d := range doc {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	for _, d := range dirs {
		if !doc[d] {
			t.Errorf("package %s has no doc comment", d)
		}
	}
}
