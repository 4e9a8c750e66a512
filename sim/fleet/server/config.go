package server

import (
	"context"
	"net"
	"net/netip"
	"strconv"

	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
)

// ListenDefault is the address of a server that is told none: NATS's own port, on loopback.
const ListenDefault = "127.0.0.1:4222"

// Config says where the server listens and who may connect.
type Config struct {
	// Listen is host:port. Port 0 takes a free one. A host that other machines can reach needs a Token, or TLS with
	// a CA, so that clients have to have a certificate.
	Listen string
	// Dir is the directory of the store; it is made if it is not there.
	Dir string
	// Token that clients have to show; none: everybody may connect.
	Token bus.Source
	// TLS: Cert and Key are the server's; with CA clients have to have a certificate that it signed.
	TLS bus.TLS
	// Log is told what the server warns of; nil: nobody. It is called from several goroutines.
	Log func(text string)
}

// Validate checks what was said, without a look at files. The error is a [bus.ConfigError].
func (c *Config) Validate() error {
	switch {
	case c.Dir == "":
		return &bus.ConfigError{What: "store", Problem: "no directory", Hint: "name one (--store): what is published and finished stands there"}
	case (c.TLS.Cert == "") != (c.TLS.Key == ""):
		return &bus.ConfigError{What: "tls", Problem: "a certificate and its key go together", Hint: "name both files, or neither"}
	case c.TLS.CA != "" && c.TLS.Cert == "":
		return &bus.ConfigError{What: "tls", Problem: "a CA for clients' certificates, but no certificate of the server", Hint: "name the server's certificate and key, too"}
	}
	return nil
}

// closed reports whether clients have to show something.
func (c *Config) closed() bool { return c.Token.Given() || c.TLS.CA != "" }

// address resolves where to listen, so that what is checked is what is listened on. Of several addresses of a name it takes an IPv4 one.
func (c *Config) address(ctx context.Context) (host string, port int, err error) {
	host, portText, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", 0, &bus.ConfigError{What: "listen", Problem: err.Error(), Hint: "write host:port, such as " + ListenDefault}
	}
	if port, err = strconv.Atoi(portText); err != nil || port < 0 || port > 65535 {
		return "", 0, &bus.ConfigError{What: "listen", Problem: "not a port: " + strconv.Quote(portText), Hint: "0 to 65535; 0 takes a free one"}
	}
	var found []netip.Addr
	if host == "" {
		host = "0.0.0.0"
	}
	if found, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil || len(found) == 0 {
		return "", 0, &bus.ConfigError{What: "listen", Problem: "no address is known of " + strconv.Quote(host), Hint: "write an address of this machine, such as " + ListenDefault}
	}
	best := found[0].Unmap()
	for _, ip := range found {
		ip = ip.Unmap()
		if !ip.IsLoopback() && !c.closed() {
			return "", 0, &bus.ConfigError{
				What: "listen", Problem: c.Listen + " is not a loopback address: other machines could connect, and nothing keeps them out",
				Hint: "set a token (SIMLOAD_NATS_TOKEN, --nats-token-file), or name a certificate with the CA of the clients' (--tls-cert, --tls-key, --tls-ca)",
			}
		}
		if ip.Is4() && !best.Is4() {
			best = ip
		}
	}
	return best.String(), port, nil
}
