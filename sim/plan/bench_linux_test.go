package plan

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// usable are the processors that the process had at its start.
var usable = func() (list []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for cpu := range 64 * len(set) {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}()

// pin leaves all threads of the process the n-th of its processors, for each n of the list. Threads to come have what those that start
// them have.
func pin(list []int) error {
	var set unix.CPUSet
	for _, n := range list {
		if n >= len(usable) {
			return fmt.Errorf("pinning to processor %d: there are %d", n, len(usable))
		}
		set.Set(usable[n])
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) { // gone by now
			return fmt.Errorf("pinning thread %d: %w", id, err)
		}
	}
	return nil
}
