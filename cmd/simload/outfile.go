package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/seed-4fd17b57/simload/report"
)

// outFile is a file that the user asked for. It is written under a temporary name
// beside its own and renamed when it is whole, so that nobody ever reads half of it.
// A pipe or a device is written directly.
type outFile struct {
	path string // as the user named it
	real string // with links resolved
	file *os.File
	buf  *bufio.Writer
	temp string // empty: written directly
}

// createFile opens a file for writing, or says why that cannot work.
func createFile(path string) (*outFile, error) {
	o := &outFile{path: path, real: path}
	if r, err := filepath.EvalSymlinks(path); err == nil {
		o.real = r
	}
	mode := fs.FileMode(0)
	info, err := os.Stat(o.real)
	switch {
	case err == nil && info.IsDir():
		return nil, unwritable(path, syscall.EISDIR)
	case err == nil:
		// Renaming over a file does not ask whether it may be written; we do.
		if o.file, err = os.OpenFile(o.real, os.O_WRONLY, 0); err != nil {
			return nil, unwritable(path, err)
		}
		if !info.Mode().IsRegular() {
			o.buf = bufio.NewWriter(o.file)
			return o, nil
		}
		_ = o.file.Close() // nothing was written
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, unwritable(path, err)
	}
	o.temp = filepath.Join(filepath.Dir(o.real), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(o.real), rand.Uint32()))
	if o.file, err = os.OpenFile(o.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, unwritable(path, err)
	}
	if mode != 0 {
		_ = o.file.Chmod(mode) // some file systems have no modes
	}
	o.buf = bufio.NewWriterSize(o.file, 1<<16)
	return o, nil
}

// commit finishes the file and gives it its name.
func (o *outFile) commit() error {
	err := o.buf.Flush()
	if err == nil && o.temp != "" {
		err = o.file.Sync()
	}
	if cerr := o.file.Close(); err == nil {
		err = cerr
	}
	if err == nil && o.temp != "" {
		err = os.Rename(o.temp, o.real)
	}
	if err != nil {
		o.discard()
		f := unwritable(o.path, err)
		f.code = report.ExitInternal // it could be opened, and the run is over
		return f
	}
	o.temp = ""
	return nil
}

// discard removes what was written, unless it was committed or written directly.
func (o *outFile) discard() {
	_ = o.file.Close() // closed already after commit
	if o.temp != "" {
		_ = os.Remove(o.temp) // nothing better can be done
		o.temp = ""
	}
}

// outFiles is the set of files of one call. The mutex is there because a second
// interrupt discards from another goroutine.
type outFiles struct {
	mu    sync.Mutex
	files []*outFile
}

// create opens one more file.
func (s *outFiles) create(path string) (*outFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := createFile(path)
	if err == nil {
		s.files = append(s.files, o)
	}
	return o, err
}

// commit finishes one of the files.
func (s *outFiles) commit(o *outFile) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.commit()
}

// discard removes whatever was not committed.
func (s *outFiles) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.files {
		o.discard()
	}
}

// probe says, before long work, whether files can be written. It leaves nothing behind, and pipes and
// devices alone: their readers would notice.
func probe(paths ...string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		o, err := createFile(path)
		if err != nil {
			return err
		}
		o.discard()
	}
	return nil
}

// input is a file that is read, and what it is.
type input struct{ path, what string }

// distinct refuses an output that is one of the inputs, or another output: it would overwrite it.
func distinct(outs []string, inputs ...input) error {
	for i, w := range outs {
		for _, in := range inputs {
			if in.path != "" && in.path != "-" && same(w, in.path) {
				return usagef("%s would be overwritten: it is %s", w, in.what).hint("name another file")
			}
		}
		for _, other := range outs[:i] {
			if same(w, other) {
				return usagef("%s is named twice as an output", w).hint("leave one of them out, or name another file")
			}
		}
	}
	return nil
}

// optional is a list of the names that are given.
func optional(names ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// same says whether two names mean one file.
func same(a, b string) bool {
	ia, erra := os.Stat(a)
	ib, errb := os.Stat(b)
	if erra == nil && errb == nil {
		return ia.Mode().IsRegular() && os.SameFile(ia, ib)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}

// openEvents opens the file of events; "": there is none.
func openEvents(files *outFiles, path string) (*outFile, error) {
	if path == "" {
		return nil, nil
	}
	return files.create(path)
}
