//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package plan

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// pipes makes a named pipe that nobody reads or writes.
func pipes(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	return []string{path, "/dev/null"}
}
