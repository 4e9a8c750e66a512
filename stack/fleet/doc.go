// Package fleet holds what the stacks of a fleet of processes share: the budgets of every quota, exclusions
// and dead keys, one concurrency limit and the number in flight for each target, and one line of the three
// classes in front of each target. So the fleet as a whole keeps the provider's limits, and while the head
// of a higher class waits anywhere in it, no lower class is granted (INV-30).
//
// Start here: [Books] is that state as a state machine in memory. All that happens to it is one exchange: a
// process (a [Member]) sends a [Message] with what it asks for and what it has used, and gets a [Reply] with
// what it was granted. Package redisstore keeps the same books in Redis, with the same exchange as one
// script; a model test holds the two to the same answers. [Member] is a process's side of the exchange:
// what is to be sent, when, and what to do when the store is gone. Neither knows a clock, a goroutine or a
// connection.
//
// A request gets its place in line when its Ask reaches the books; the sequence is theirs. A grant goes to
// the head of the highest class that waits: a slot and a key with requests and tokens reserved, all at
// once. The books choose the key, by a rotation that is the fleet's. A process that is granted something by another's
// exchange is woken: only it, not all that wait.
//
// Time is max(what the books last saw, what the message gives), in whole microseconds, so it never
// goes back and tests can make it up. Members keep an offset to the store's clock.
//
// A member is alive for [Config.Lease] after its last message. Then its places and its slots are free again;
// what it had reserved stays used, since nobody knows (INV-13). One that has not fetched a grant for
// [Config.Quiet] is passed over until it is heard again, and keeps its places: a dead process holds up
// nobody for longer than that.
//
// Books that begin, and books that were out of everybody's reach, know nothing of what was sent meanwhile.
// They go on at the smooth rate, without a burst, as a quota does that comes back from a rest (INV-52).
package fleet
