// Package redisstore keeps the books of a fleet (package fleet) in Redis or Valkey, so that stacks in many processes
// keep one set of limits.
//
// Start here: [Open] takes a URL, [New] a client that is there already, a cluster's too. Either gives a [Store], which
// stack.ClientConfig.Fleet takes. The store has no goroutine and no clock of its own.
//
// An exchange is one script (books.lua), called by its hash and loaded when the server does not know it. It
// holds to fleet.Books, which a model test compares it with, grant for grant. All keys begin with one hash tag, the
// namespace, so they are in one slot of a cluster: a fleet's books are as fast as one node. The configuration of the books is
// kept beside them; who comes with another one while the fleet is alive is turned away.
//
// The script reads the server's clock to tell members how far theirs is off, and takes no instant that is farther than
// [Config.Apart] from it, so that one member with a wrong clock cannot stop the books for all others, and messages that
// were held up do not make the time of an outage pass in small steps.
//
// The server should evict nothing: maxmemory-policy noeviction. Books that miss their bins, or what somebody asked for, go on, but windows that
// were lost are counted anew. Every key expires two days after it was used last.
//
// Persistence is up to the server. Books that are lost begin anew, without a burst, and every member then tells
// what it has in flight.
package redisstore
