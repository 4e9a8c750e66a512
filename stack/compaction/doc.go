// Package compaction holds conversations to an effective context: when a prompt has outgrown it, what is oldest is
// summarised, and the summary and the latest part take the place of the whole (B8).
//
// Start with [Policy.Fit]. It is arithmetic alone, on numbers of tokens: it says how long the prompt is that goes out,
// and what is to be summarised first. To have the summary written, by a request of its own that costs money and time, is
// the caller's business; so is what happens when that fails.
//
// A conversation is compacted to [Policy.Keep] and not to the cap, so that the next rounds have room: one that grows by
// g tokens a round is summarised every (Cap-Keep)/g rounds. A Keep near Cap loses less, and pays for more summaries.
package compaction
