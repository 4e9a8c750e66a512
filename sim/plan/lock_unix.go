//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package plan

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the advisory lock of an open file, or fails with errLocked at once.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
