package plan

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a byte far beyond the end of an open file, so that others may read it, or fails with errLocked at once.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}
