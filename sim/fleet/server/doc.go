// Package server is a NATS server with JetStream in the same process, so that a fleet needs no program but simload.
//
// Start with [Config] and [Start]. It listens on loopback, unless the address says otherwise and whoever connects has to show a
// token or a certificate. What was published and what workers gave stands in a directory, so that a server that was killed
// goes on where it was. Clients are package sim/fleet/bus, which does not link this one.
package server
