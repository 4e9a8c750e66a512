package sim

import (
	"syscall"
	"time"
)

// processCPU is the processor time of the process, in user and system mode.
func processCPU() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	return ticks(kernel) + ticks(user)
}

// ticks is the time that a Filetime holds as a length: units of 100 ns.
func ticks(f syscall.Filetime) time.Duration {
	return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
}

// descriptorLimit is unknown: Windows has none of that kind.
func descriptorLimit() int { return 0 }
