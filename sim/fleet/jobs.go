package fleet

import (
	"context"
	"sync"
)

// jobsMax is how many opened jobs a worker keeps, with their traces.
const jobsMax = 4

// jobs keeps the jobs that were opened last. A job that could not be opened is not kept.
type jobs struct {
	load func(ctx context.Context, hash string) (runner, error)

	mu   sync.Mutex
	list []opened // the one that was asked for last comes last
}

type opened struct {
	hash string
	run  runner
}

// get returns the runner of a job, and opens it if it is not there. Others wait meanwhile: they want the same one, or will soon.
func (j *jobs) get(ctx context.Context, hash string) (runner, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, o := range j.list {
		if o.hash == hash {
			j.list = append(append(j.list[:i:i], j.list[i+1:]...), o)
			return o.run, nil
		}
	}
	run, err := j.load(ctx, hash)
	if err != nil {
		return nil, err
	}
	if len(j.list) == jobsMax {
		j.list = j.list[1:]
	}
	j.list = append(j.list, opened{hash, run})
	return run, nil
}
