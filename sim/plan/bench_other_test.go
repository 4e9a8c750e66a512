//go:build !linux

package plan

// pin does nothing where the system has no such call: it chooses the processors itself.
func pin([]int) error { return nil }
