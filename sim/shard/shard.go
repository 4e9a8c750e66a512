package shard

import (
	"fmt"
	"strconv"
	"strings"
)

// Max is how many shards there may be.
const Max = 100_000

// Shard is one of several: number I of N, from 1. The zero value is none.
type Shard struct{ I, N int }

// Error says what is wrong with the text of a shard.
type Error struct{ Found, Problem, Hint string }

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (found %q; allowed: i/n, i from 1 to n)", e.Problem, e.Found)
}

// Parse reads "3/8". The error is an *Error.
func Parse(text string) (Shard, error) {
	const hint = `write --shard 3/8 for the third of eight`
	wrong := func(problem, hint string) (Shard, error) { return Shard{}, &Error{text, problem, hint} }
	first, second, _ := strings.Cut(text, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	switch {
	case errI != nil || errN != nil:
		return wrong("not a shard", hint)
	case n < 1 || n > Max:
		return wrong(fmt.Sprintf("not from 1 to %d shards", Max), hint)
	case i == 0:
		return wrong("shards count from 1", fmt.Sprintf("of an index from 0, such as JOB_COMPLETION_INDEX, make --shard $((JOB_COMPLETION_INDEX + 1))/%d", n))
	case i < 0 || i > n:
		return wrong("no such shard", fmt.Sprintf("the last one of %d is %d/%d", n, n, n))
	}
	return Shard{i, n}, nil
}

// String is what Parse reads; "" for none.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// Has reports whether run i, from 0, is the shard's: they are dealt out one by one, so that long and short ones mix.
func (s Shard) Has(i int) bool { return i%s.N == s.I-1 }

// Count returns how many of so many runs are the shard's.
func Count(s Shard, runs int) int { return (runs - s.I + s.N) / s.N }

// Deal returns those of a list that are the shard's.
func Deal[T any](s Shard, list []T) []T {
	var out []T
	for i := s.I - 1; i < len(list); i += s.N {
		out = append(out, list[i])
	}
	return out
}
