package shard

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// Ensure a file that claims any number of runs costs no memory.
func TestAbsentNamesFew(t *testing.T) {
	for runs, want := range map[int][]int{
		1: nil, 4: {1, 3}, 18: {1, 3, 5, 7, 9, 11, 13, 15, 17}, 20: {1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, 101: {1, 3, 5, 7, 9, 11, 13, 15, 17, 99},
		math.MaxInt: {1, 3, 5, 7, 9, 11, 13, 15, 17, math.MaxInt - 2},
	} {
		var e *MissingError
		if err := Absent([]bool{true, false}, runs); !errors.As(err, &e) || len(e.Shards) != 1 || !slices.Equal(e.Runs, want) {
			t.Errorf("%d runs: %v, want %v", runs, err, want)
		}
	}
}
