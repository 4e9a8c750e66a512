package stack

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// headStart is what an address has before the next is tried beside it: net.Dialer's fallback delay (RFC 8305
// recommends 250 ms).
const headStart = 300 * time.Millisecond

// race connects to a host of several addresses as net.Dialer does to one of two families: they are tried in
// turn, each as soon as the one before has failed or had its head start, and the first connection
// made wins. A dead address costs no more than that, and an address that is slow may still win.
func race(ctx context.Context, d *net.Dialer, network, port string, addrs []string) (net.Conn, error) {
	if len(addrs) == 1 {
		return d.DialContext(ctx, network, net.JoinHostPort(addrs[0], port))
	}
	type dialled struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	addrs = alternate(addrs)
	ends := make(chan dialled, len(addrs))
	next := time.NewTimer(0)
	defer next.Stop()
	var first error
	for started, failed := 0, 0; ; {
		select {
		case <-next.C:
			if started == len(addrs) {
				continue
			}
			addr := net.JoinHostPort(addrs[started], port)
			started++
			go func() {
				conn, err := d.DialContext(ctx, network, addr)
				ends <- dialled{conn, err}
			}()
			next.Reset(headStart)
		case e := <-ends:
			if e.err == nil {
				go func() { // those that were as fast
					for range started - failed - 1 {
						if late := <-ends; late.conn != nil {
							_ = late.conn.Close()
						}
					}
				}()
				return e.conn, nil
			}
			if first == nil {
				first = e.err
			}
			if failed++; failed == len(addrs) {
				return nil, first
			}
			next.Reset(0)
		}
	}
}

// alternate puts the addresses of both families in turn, in their order and beginning with the first's, so
// that a network without one of them costs one head start.
func alternate(addrs []string) []string {
	var families [2][]string
	for _, a := range addrs {
		ip, err := netip.ParseAddr(a)
		i := 0
		if err == nil && ip.Unmap().Is4() {
			i = 1
		}
		families[i] = append(families[i], a)
	}
	if len(addrs) > 0 && len(families[1]) > 0 && families[1][0] == addrs[0] {
		families[0], families[1] = families[1], families[0]
	}
	list := make([]string, 0, len(addrs))
	for i := range addrs {
		for _, f := range families {
			if i < len(f) {
				list = append(list, f[i])
			}
		}
	}
	return list
}
