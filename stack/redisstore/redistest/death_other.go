//go:build !linux

package redistest

import "syscall"

// deathSignal is Linux's alone.
func deathSignal() *syscall.SysProcAttr { return nil }
