// Package shard divides the runs of an experiment among processes that know nothing of each other, and puts what they
// gave together again. The user's own batch system starts them: a Kubernetes Indexed Job, a Slurm array, a CI matrix.
//
// Start here: [Shard] says which runs are a process's, [Write] and [Read] are the file that it leaves, and [Merge] makes
// of all files what [sim.Experiment.Assemble] makes a report of, the same bytes as one process would.
//
// A file is JSON, a line each: first the [Head] (schema "simload.shard/v1"), which names the experiment, the shard and
// how many runs follow, then a [sim.Part] for each of them. A plan's shard is a results file of package sim/plan, whose
// head names the shard too.
package shard
