package redistest

import "syscall"

// deathSignal has a child end when the test that started it dies.
func deathSignal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
