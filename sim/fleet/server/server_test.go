package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/fleet/server"
)

const secret = "correct-horse-battery"

// authority writes certificates into a directory.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.issue("ca", true)
	return a
}

// issue writes NAME.pem and NAME.key, and returns their paths.
func (a *authority) issue(name string, ca bool) (cert, key string) {
	a.t.Helper()
	must := func(err error) {
		if err != nil {
			a.t.Helper()
			a.t.Fatal(err)
		}
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	a.next++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.next), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        ca, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	parent, signer := a.cert, a.key
	if ca {
		parent, signer = template, own
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &own.PublicKey, signer)
	must(err)
	if ca {
		a.key = own
		a.cert, err = x509.ParseCertificate(der)
		must(err)
	}
	private, err := x509.MarshalECPrivateKey(own)
	must(err)
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	must(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600))
	return cert, key
}

// Ensure a server with a certificate and a token takes those who check the one and show the other, and tells all others
// why not, in words that hold no secret.
func TestWhoMayConnect(t *testing.T) {
	a, stranger := newAuthority(t), newAuthority(t)
	cert, key := a.issue("server", false)
	clientCert, clientKey := a.issue("client", false)
	ca, other := filepath.Join(a.dir, "ca.pem"), filepath.Join(stranger.dir, "ca.pem")
	t.Setenv("SIMLOAD_TEST_TOKEN", secret)
	t.Setenv("SIMLOAD_TEST_WRONG", "hunter2-wrong")
	token, wrong := bus.Source{Env: "SIMLOAD_TEST_TOKEN"}, bus.Source{Env: "SIMLOAD_TEST_WRONG"}
	start := func(c server.Config) *server.Server {
		c.Listen, c.Dir = "127.0.0.1:0", t.TempDir()
		s, err := server.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		return s
	}
	tokenAlone := start(server.Config{Token: token})
	tlsToken := start(server.Config{Token: token, TLS: bus.TLS{Cert: cert, Key: key}})
	mutual := start(server.Config{TLS: bus.TLS{CA: ca, Cert: cert, Key: key}})
	secure := func(s *server.Server) string { return strings.Replace(s.URL(), "nats://", "tls://", 1) }
	for _, c := range []struct {
		name string
		cfg  bus.Config
		want string // in the error; "": connected
	}{
		{"token", bus.Config{URL: tokenAlone.URL(), Token: token}, ""},
		{"no token", bus.Config{URL: tokenAlone.URL()}, "refuses us"},
		{"wrong token", bus.Config{URL: tokenAlone.URL(), Token: wrong}, "refuses us"},
		{"tls where there is none", bus.Config{URL: secure(tokenAlone), Token: token, TLS: bus.TLS{CA: ca}}, "no secure connections"},
		{"tls and token", bus.Config{URL: secure(tlsToken), Token: token, TLS: bus.TLS{CA: ca}}, ""},
		{"tls, no token", bus.Config{URL: secure(tlsToken), TLS: bus.TLS{CA: ca}}, "refuses us"},
		{"tls, wrong token", bus.Config{URL: secure(tlsToken), Token: wrong, TLS: bus.TLS{CA: ca}}, "refuses us"},
		{"no CA", bus.Config{URL: secure(tlsToken), Token: token}, "unknown authority"},
		{"a stranger's CA", bus.Config{URL: secure(tlsToken), Token: token, TLS: bus.TLS{CA: other}}, "unknown authority"},
		{"no file", bus.Config{URL: secure(tlsToken), Token: token, TLS: bus.TLS{CA: ca + "x"}}, "no such file"},
		{"both certificates", bus.Config{URL: secure(mutual), TLS: bus.TLS{CA: ca, Cert: clientCert, Key: clientKey}}, ""},
		{"no certificate of ours", bus.Config{URL: secure(mutual), TLS: bus.TLS{CA: ca}}, "wants a certificate"},
	} {
		c.cfg.Wait = time.Millisecond
		b, err := bus.Open(t.Context(), c.cfg)
		if err == nil {
			b.Close()
		}
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var told *bus.ConfigError
		if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) || told.Hint == "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if text := fmt.Sprintf("%v %+v %#v", err, told, c.cfg); strings.Contains(text, secret) || strings.Contains(text, "hunter2") {
			t.Errorf("%s: a secret in %s", c.name, text)
		}
	}
	b, err := tlsToken.Connect(t.Context(), bus.Config{})
	if err != nil {
		t.Fatalf("in the same process: %v", err)
	}
	b.Close()
}

// Ensure a server that others could reach has to ask who they are, and other mistakes are told with a hint.
func TestConfig(t *testing.T) {
	t.Setenv("SIMLOAD_TEST_TOKEN", secret)
	a := newAuthority(t)
	cert, key := a.issue("server", false)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	held := t.TempDir()
	s, err := server.Start(t.Context(), server.Config{Listen: "127.0.0.1:0", Dir: held})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for _, c := range []struct {
		name string
		cfg  server.Config
		want string
	}{
		{"all addresses", server.Config{Listen: "0.0.0.0:0"}, "not a loopback address"},
		{"no host", server.Config{Listen: ":0"}, "not a loopback address"},
		{"IPv6", server.Config{Listen: "[::]:0"}, "not a loopback address"},
		{"TLS without clients' certificates keeps nobody out", server.Config{Listen: "0.0.0.0:0", TLS: bus.TLS{Cert: cert, Key: key}}, "not a loopback address"},
		{"no port", server.Config{Listen: "127.0.0.1"}, "missing port"},
		{"not a port", server.Config{Listen: "127.0.0.1:nats"}, "not a port"},
		{"taken", server.Config{Listen: taken.Addr().String()}, "in use"},
		{"no secret", server.Config{Listen: "127.0.0.1:0", Token: bus.Source{Env: "SIMLOAD_TEST_NONE"}}, "is empty"},
		{"half a certificate", server.Config{Listen: "127.0.0.1:0", TLS: bus.TLS{Cert: cert}}, "go together"},
		{"a CA alone", server.Config{Listen: "127.0.0.1:0", TLS: bus.TLS{CA: cert}}, "no certificate of the server"},
		{"not a key", server.Config{Listen: "127.0.0.1:0", TLS: bus.TLS{Cert: cert, Key: cert}}, "tls"},
		{"a store in use", server.Config{Listen: "127.0.0.1:0", Dir: held}, "in use"},
		{"no store", server.Config{Listen: "127.0.0.1:0", Dir: "-"}, "no directory"},
	} {
		switch c.cfg.Dir {
		case "":
			c.cfg.Dir = t.TempDir()
		case "-":
			c.cfg.Dir = ""
		}
		s, err := server.Start(t.Context(), c.cfg)
		if err == nil {
			s.Stop()
		}
		var told *bus.ConfigError
		if !errors.As(err, &told) || !strings.Contains(err.Error(), c.want) || told.Hint == "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for name, cfg := range map[string]server.Config{
		"a token":               {Token: bus.Source{Env: "SIMLOAD_TEST_TOKEN"}},
		"clients' certificates": {TLS: bus.TLS{CA: filepath.Join(a.dir, "ca.pem"), Cert: cert, Key: key}},
	} {
		cfg.Listen, cfg.Dir = "0.0.0.0:0", t.TempDir()
		s, err := server.Start(t.Context(), cfg)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s.Stop()
	}
}
