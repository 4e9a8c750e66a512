// Package complexity estimates how hard a prompt is, so that the easy ones can go to a cheap
// model and only the hard ones to a strong one.
//
// Start with [New] and [Default]: the [Rules] score a prompt between 0 and 1 by its
// length, its structure and the words in it. Then let [Calibrate] find the threshold above which the
// wanted share of your own workload lies, say the hardest 20 %: scores are an order, not a
// measure, and 0.5 means nothing by itself. Any other [Scorer], such as a trained
// classifier, can stand in for the rules.
//
// The score is a weighted mean of three parts, each between 0 and 1:
//
//	length     t / (t + 2000) for t tokens
//	structure  a weighted mean of n / (n + half) over what is counted in the text:
//
//	           counted                            half  weight
//	           blocks fenced by ``` or ~~~           1    0.20
//	           items of lists                        5    0.20
//	           numbers                               8    0.15
//	           question marks                        2    0.15
//	           depth of brackets in brackets         3    0.15
//	           sentences                            10    0.15
//
//	keywords   1 - (1-w1)(1-w2)... over the keywords that occur, once each: each one
//	           takes its share w of what is left to 1; see [Keywords]
//
// These numbers are a judgement, not fitted to any data: what makes a prompt hard for a model is not
// written on its face, and a short prompt ("Is P equal to NP?") may be the hardest. Measure the
// answers' quality on both sides of the threshold before relying on it.
//
// Scoring is deterministic, goes through the text once, and allocates nothing.
package complexity
