package main

import (
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// listenFailure is the failure of an address that cannot be listened on. Form is an address that can.
func listenFailure(flag, addr, form string, err error) error {
	var remote *mockupstream.RemoteError
	var name *net.DNSError
	host, port, split := net.SplitHostPort(addr)
	number, notNumber := strconv.ParseUint(port, 10, 16)
	switch {
	case split != nil:
		return usagef("--%s: %q is not host:port", flag, addr).hint("write for example --%s %s", flag, form)
	case notNumber != nil:
		return usagef("--%s: %q is not a port from 0 to 65535", flag, port).hint("0 takes a free one")
	case errors.As(err, &remote):
		return usagef("--%s: %w", flag, err).hint("listen on %s, or allow it with --allow-remote: there is no authentication but the keys' ids", form)
	case errors.As(err, &name):
		return usagef("--%s: no address is known of %q", flag, host).hint("write an address of this machine, such as %s", form)
	case errors.Is(err, syscall.EADDRINUSE):
		return usagef("--%s: %s is taken", flag, addr).hint("end what listens there, or take a free port: --%s %s", flag, net.JoinHostPort(host, "0"))
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return usagef("--%s: %s is not an address of this machine", flag, host).hint("write for example --%s %s", flag, form)
	case errors.Is(err, syscall.EACCES) && number < 1024:
		return usagef("--%s: port %s is not for everyone's use: %w", flag, port, syscall.EACCES).hint("name a port from 1024, or 0 for a free one")
	}
	return usagef("--%s: %w", flag, err).hint("write for example --%s %s", flag, form)
}
