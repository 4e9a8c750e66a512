// Package semcache answers a prompt with what an earlier prompt of the same kind was
// answered: the same text, or one that is near enough to it.
//
// Start with [Default] and [New], ask [Cache.Lookup] before a call and hand its answer to
// [Cache.Store] after it. The cache is a state machine on one thread: it takes the instant with each
// call, so a simulation and a program in production run the same code. An instant
// earlier than the latest one seen is taken as that latest one.
//
// A lookup has two steps. First the text itself, without its outer blanks and otherwise
// byte for byte. Then, if an [Embedder] is at hand, the nearest neighbour by the cosine of
// the two texts' vectors, if that is at least the threshold. Both look only at what was stored
// under an equal [Key] (INV-60): tenant, model and the hash of everything else that
// shapes an answer. A cache that leaves one of these out serves answers to others.
//
// An entry lives for its TTL from the moment it was stored. A hit does not prolong it:
// a popular answer would otherwise never be refreshed. Storing the same text again does.
// When the cache is full, the entry that was stored or hit longest ago goes.
//
// What may be stored is the caller's decision; [Answer.Cacheable] is the rule of INV-60.
//
// # What nearness means
//
// The built-in [NGrams] compares spelling, not meaning. It finds prompts that are made of the
// same template, differ in case, blanks or a word, or are reordered. It does not find a
// paraphrase in other words, and it takes a question with another number in it, or a "not",
// for a neighbour, as many learned embeddings do too. Cosines to "What were the main
// findings of the 2019 trial on statins in patients over 70?":
//
//	other case and blanks                                      1.00
//	a typing error ("findngs")                                 0.96
//	patients over 40                                           0.96   another question
//	"Please, what ..."                                         0.95
//	"What were not the main ..."                               0.95   another question
//	"In patients over 70, what ..."                            0.93
//	aspirin                                                    0.86   another question
//	What did the 2019 statin study find in the elderly?        0.35
//	Which side effects of statins are known in older patients? 0.29   another question
//	a question about the moons of Jupiter                      0.08   another question
//
// So no threshold separates the same from another: a higher one gives fewer wrong answers and
// fewer hits, and at 1 only equal texts hit. Short texts lose more by one
// letter than long ones. Measure on prompts of your own, with [Cosine], before trusting
// one, and put into [Key].Params whatever must be equal, such as the numbers in the prompt.
//
// # Cost
//
// An exact hit is a look into a map. The second step computes one vector and goes through the
// partition of the key from end to end: 10 000 entries of 256 dimensions are 10 MB and take
// about 0.3 ms at a threshold of 0.95, and up to 1 ms at a low one, since rows that are certain
// to stay below it are given up early. Storing, expiring and evicting are O(1) besides the vector.
package semcache
