#!/bin/sh
# A run with many replications on a Slurm cluster, without any server: an array carries out the shards, and a job that
# depends on it makes the report of them.
#
#   array=$(sbatch --parsable slurm-array.sh)
#   sbatch --dependency=afterok:"$array" --wrap 'simload merge parts/part-*.jsonl -o report.json -o report.html'
#
# To run one shard again: sbatch --array=3 slurm-array.sh. That is why the number of shards is not taken from
# SLURM_ARRAY_TASK_COUNT, which would be 1 then.
#SBATCH --job-name=simload
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=01:00:00
#SBATCH --output=simload-%A-%a.log
set -eu

SHARDS=${SHARDS:-8} # as in --array
REPS=${REPS:-80}
SCENARIO=${SCENARIO:-fleet.yaml}
PARTS=${PARTS:-parts}

mkdir -p "$PARTS"
export GOMAXPROCS="${SLURM_CPUS_PER_TASK:-2}" # without cgroups the whole node would seem to be ours
simload run "$SCENARIO" --reps "$REPS" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" -o "$PARTS/part-$SLURM_ARRAY_TASK_ID.jsonl" --quiet
