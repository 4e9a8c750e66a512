package plan

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// resultsFile is the driver of a [Journal]: bytes to and from a file that no other process has open as one. What they mean, and whether the
// file may be gone on with, the journal decides.
type resultsFile struct{ f *os.File }

// errLocked says that another process holds the lock of a file.
var errLocked = errors.New("locked by another process")

// openResults opens or makes a file, locks it until it is closed, and reads what it holds. The lock is the system's: it goes with the
// process, however that ends. The error is a [ResultsError].
func openResults(path string) (*resultsFile, []byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening or reading a pipe may wait for ever
		return nil, nil, &ResultsError{path, "it is not a regular file", "name a file that can be read and written, or one that does not exist"}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, &ResultsError{path, err.Error(), "name a file that can be read and written, or one that does not exist"}
	}
	if err := lock(f); errors.Is(err, errLocked) {
		return nil, nil, errors.Join(&ResultsError{path, "another simload is writing to it", "wait until that plan has ended, or name another file; nothing was changed"}, f.Close())
	} // a file system that knows no locks: as if alone
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, errors.Join(&ResultsError{path, err.Error(), "name a regular file"}, f.Close())
	}
	return &resultsFile{f}, data, nil
}

// keep cuts off all but the first bytes, and goes on behind them.
func (r *resultsFile) keep(bytes int) error {
	if err := r.f.Truncate(int64(bytes)); err != nil {
		return fmt.Errorf("cutting off half a line: %w", err)
	}
	if _, err := r.f.Seek(int64(bytes), io.SeekStart); err != nil {
		return fmt.Errorf("going to the end: %w", err)
	}
	return nil
}

// Write implements io.Writer.
func (r *resultsFile) Write(line []byte) (int, error) { return r.f.Write(line) }

// Close gives the file free.
func (r *resultsFile) Close() error { return r.f.Close() }
