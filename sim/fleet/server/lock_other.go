//go:build !unix

package server

import (
	"os"
	"path/filepath"
)

// lockDir has no lock here that would end with the process.
func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
