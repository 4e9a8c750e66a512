//go:build unix

package sim

import (
	"math"
	"syscall"
	"time"
)

// processCPU is the processor time of the process, in user and system mode.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// descriptorLimit is how many descriptors the process may open; 0: unknown, or as good as no limit.
func descriptorLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) >= math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
