// Command benchwall measures what runs over real sockets, each figure beside a named reference that is taken in
// the same run, on loopback:
//
//	the mock's requests per second      beside a bare net/http handler that answers JSON, under the same wrk
//	processor time of a request         of "simload run --target", full stack, beside vegeta attack on the same server
//	schedule lag at 5000 requests/s     beside a pacer that sleeps and does nothing else
//
// It is a module of its own, so that simload need not depend on vegeta. Start it by "make bench-wall";
// it needs wrk (Debian's package of that name) and ends by itself in about two minutes. What it prints are
// measurements of this machine at this moment: compare the ratios.
package main
