// Package fit turns recordings into what a scenario can say: a trace into arrivals, kinds of
// requests and sessions, measured calls into a model's latency. It tells how good a fit is.
//
// Start here: read a trace with [Read] from one of the workload package's readers, fit it with
// [New], and compare the two with [Fit.Judge]. [ReadCalls] and [FitLatencies] do the same for
// latencies. Everything is a function of the data: the same file gives the same fit.
//
// # Arrivals
//
// A burst has two causes, and one coefficient of variation cannot hold both: the rate moves,
// and, at a given rate, gaps are uneven. [FitArrivals] cuts the time where the rate changes,
// at the largest quasi-likelihood that is left after a price for each cut, and gives what is
// left within the parts to the gaps: Poisson, Gamma or Weibull, of the coefficient of variation
// that they have where time is measured by the rate. What it is judged by is the index of
// dispersion of counts over 1 s, 10 s and 60 s ([Dispersion]): by how much a second, ten of
// them and a minute differ from their like. Where the instants of a trace are multiples of a
// tick, as those of a log with coarse clocks or of a source that works in rounds are, gaps say
// nothing: the dispersion is then that of counts, and the process gathers its requests by the
// same tick. The rate is that of the recording, instant by instant, and ends with it. Of fewer
// than 1000 arrivals, whose dispersions and gaps are much by chance, it is constant unless chance does not
// explain that.
//
// # Sessions
//
// [Link] says which requests go on from each other, and the workload draws such: how many requests a
// session has and how far apart they are, corrected for what the end of the recording cuts, how many
// tokens each adds, and what of first prompts was known from before. Arrivals are not touched: each goes
// to the session that is due (see workload.Stream.Sessions). So where the two cannot both be had, the
// dispersion of arrivals is kept, and [Goodness] tells what became of the sessions.
//
// # Tokens
//
// Prompts and answers are empirical quantiles ([FitLengths]), for each name that the rows bear and for
// sessions of one request, of up to three and of more. Where the length of answers depends on that of the
// first prompt, they are divided by the latter into bands ([FitKinds]).
//
// # Latency
//
// [FitLatency] finds base, time per prompt token and time per output token by robust least squares of
// logarithms, and the noise about them: log-normal, or, where that is not like it in the middle or in the
// tail, as it was measured ([Noise]). Load, caches and refusals are not in such data: they are as the
// catalogue has them.
package fit
