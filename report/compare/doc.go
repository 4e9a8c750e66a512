// Package compare judges two reports, one from before a change and one from after it, and says of each
// metric whether it became better, worse, or stayed the same.
//
// Start here: [Reports] takes what two report files hold and returns a [Result], which [Render] prints.
// Everything is computed from the reports; nothing is run.
//
// # What is compared
//
// Reports of the same demand (demand_sha256: workload, seed, duration, warm-up), with the same schema, clock and
// target, of runs that are neither partial nor invalid. Anything else is a [Refusal], unless [Options] force it; the
// result then says what was overridden. Limits, stack and upstream may differ: they are what is being compared.
// Scenarios and variants are matched by name, groups by profile. What has no partner is named in the result.
//
// # What is judged
//
// At most eight metrics of each variant are judged ([Primary]): p99 of up to three profiles, failures counted as the
// worst latency, those of the highest class first and then in the scenario's order; throughput, ratio_429, dead_letters,
// duplicate_writes and cost_per_1000. All else is information: it is shown, and decides nothing.
//
// A metric has changed if its difference is significant and its relative effect reaches the metric's threshold; report.Better
// says whether that is better or worse. Relative effects are ratios, so that a to b is as far as b to a: 5 % is reached at 1.05
// times and at 1/1.05. Where a value is 0 there is no ratio, and the difference itself has to reach [Floor]. A latency
// that became a failure, or was one, is beyond every threshold.
//
// # How it is judged
//
// Runs in virtual time are deterministic, and those of equal demand and seed differ in nothing but what was
// changed. So, of what the two reports have in common:
//
//   - One seed: the difference is exact, and every difference is real.
//   - Several seeds: the replications form pairs. The sign test (two-sided, ties dropped: Conover, Practical
//     Nonparametric Statistics, 3.4) asks whether one side is worse in more pairs than chance would have it, and the effect is the
//     median of the pairs' ratios, with its 95 % percentile bootstrap interval.
//   - No seed, or the wall clock: the replications are two samples, compared by the rank-sum test of Mann and
//     Whitney; the effect is the ratio of their medians, with the same kind of interval. Reports of other seeds are
//     compared so too, but only by force: the seed is part of the demand.
//
// Medians and ranks, because a latency that is a failure has a rank but no number. Of counts and shares that are equal in so many
// pairs that the median of the differences is 0, the effect is that of the means: duplicates in 14 runs of 30 are not none.
//
// Holm's correction (Scandinavian Journal of Statistics 6, 1979) is over the judged metrics of all variants and
// scenarios of one comparison, so that the chance that anything is called changed when nothing has is at most
// alpha. It is not per variant: who adds variants would buy false alarms. Metrics that cannot become significant, because
// they are equal in too many pairs, are left out of it as Tarone does (Biometrics 46, 1990): they can raise no false alarm, and
// what they would cost, the others would pay. Whether one can depends on sizes and ties, and not on which side is larger.
//
// Ten pairs can show a change among up to twelve metrics that can change at 2.5 %, and each further pair doubles
// that number. With fewer replications than could show any change the verdict is "not enough", and not "same"; the result says
// how many would do ([Result].Enough), and Options.Strict gives it the exit code of a regression.
package compare
