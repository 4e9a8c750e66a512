package main

// What "simload run --help" says.
const (
	runLong = `run simulates each scenario in virtual time and prints its report: tables on
stdout, progress and timing on stderr. With --mode wall it runs in real time over real sockets,
against the scenario's mock in the same process or an endpoint of yours (--target).

In a step of GitHub Actions the report, and the comparison with a baseline, are appended to the
step's summary too, and expectations that failed and a regression become annotations.

With --baseline every run is compared as "simload compare" does it: of one scenario ten
replications (--reps) are enough for about two variants, and the first line says how many
would do where they are too few.

With --shard I/N it carries out its share of the runs, for "simload merge" to make the report.

With --nats URL the runs are carried out by the workers ("simload worker") of a NATS server, which
"simload coordinator" can be; the report has the same bytes. With --mode wall and --workers N too,
one run is shared: each worker drives its part of the clients with its part of the keys, against one
mock or target. A worker that is lost makes such a run invalid.

Exit codes (when several apply, the first in this order):
    1  internal error
    2  usage or scenario error
  130  interrupted; what was measured is still written, marked partial
    3  the run is invalid: the harness itself was the bottleneck, or a worker was lost
   99  an expectation failed
    4  something is worse than in the baseline; with --strict, or could be
    0  pass`
	runExample = `  simload run scenarios/2000-agents.yaml
  simload run my.yaml --set workload.agents.researchers.count=500 --seed 7
  simload run my.yaml -o report.json -o report.md --quiet
  simload run my.yaml --reps 10 --baseline base.json
  simload run my.yaml --events requests.jsonl
  simload run my.yaml --mode wall --set duration=1m --set warmup=5s
  simload run my.yaml --reps 40 --shard 3/8 -o part-3.jsonl
  simload run my.yaml --target http://127.0.0.1:4000/v1 --set stack=none
  simload run my.yaml --mode wall --workers 4 --nats nats://127.0.0.1:4222`
)
