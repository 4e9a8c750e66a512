// Command claims runs every scenario in scenarios/claims with ten replications and writes the table of what
// came out, scenarios/claims/README.md: "make claims". Each scenario says in its head, on a line of its own,
//
//	# table: what is claimed | verdict | one sentence of why
//
// and what is measured are the figures of its expectations, with their 95 % intervals. A verdict stands only as
// long as every expectation is met: else the table says which is not.
package main
