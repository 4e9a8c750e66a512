package bus

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Defaults of [Config].
const (
	TimeoutDefault  = 5 * time.Second
	PatienceDefault = 30 * time.Second
	KeepDefault     = 30 * 24 * time.Hour
)

// Config says where the servers are and who we are.
type Config struct {
	// URL lists servers with commas between them, as nats://host:port or tls://host:port, without user and password.
	URL string
	// Name tells the connection from others in the server's lists.
	Name string
	// Namespace prefixes every subject, stream and bucket; "": [NamespaceDefault].
	Namespace Namespace
	TLS       TLS
	// Credentials: one of the three, or none. Creds is a file with a user's JWT and seed.
	Creds    string
	User     string
	Password Source
	Token    Source
	// Replicas is how many servers of a cluster hold each message: 1 (lost with its server), 3 or 5. 0: as many as do, and 1 where
	// nothing is there yet. What is held by more stays so.
	Replicas int
	// Timeout bounds every single call; 0: [TimeoutDefault]. Shorter ones give up on a server that is only slow.
	Timeout time.Duration
	// Patience is how long what can fail while a cluster elects its leaders is tried again; 0: [PatienceDefault].
	Patience time.Duration
	// Wait is how long [Open] looks for a server; 0: [Config.Patience], negative: for ever.
	Wait time.Duration
	// Keep is for how long streams and stores of the namespace keep what is in them; 0: [KeepDefault].
	Keep time.Duration
	// Log is told when the connection is lost and found again; nil: nobody. It is called from several goroutines.
	Log func(text string)
}

// TLS names the files of a secure connection. CA alone: the server's certificate is checked against it. Cert and Key: we
// have one, too.
type TLS struct {
	CA, Cert, Key string
}

// ConfigError is something that the user can mend. It never holds a secret.
type ConfigError struct {
	What    string // the setting, in words: "url", "token"
	Problem string
	Hint    string
}

// Error implements error.
func (e *ConfigError) Error() string { return e.What + ": " + e.Problem }

func quote(text string) string { return strconv.Quote(text) }

// withDefaults fills in what is not said.
func (c Config) withDefaults() Config {
	c.Namespace = cmp.Or(c.Namespace, NamespaceDefault)
	c.Timeout = cmp.Or(c.Timeout, TimeoutDefault)
	c.Patience = cmp.Or(c.Patience, PatienceDefault)
	c.Wait = cmp.Or(c.Wait, c.Patience)
	c.Keep = cmp.Or(c.Keep, KeepDefault)
	if c.Log == nil {
		c.Log = func(string) {}
	}
	return c
}

// Validate checks what can be checked without a server. The error is a [ConfigError].
func (c Config) Validate() error {
	c = c.withDefaults()
	if err := c.Namespace.Validate(); err != nil {
		return err
	}
	for _, u := range strings.Split(c.URL, ",") {
		if err := checkURL(strings.TrimSpace(u)); err != nil {
			return err
		}
	}
	ways := 0
	for _, given := range []bool{c.Creds != "", c.User != "", c.Token.Given()} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return &ConfigError{"credentials", "several ways to say who we are", "use one of a credentials file, a user with a password, and a token"}
	case c.User != "" && !c.Password.Given():
		return &ConfigError{"user", "a user without a password", "name the environment variable or the file that holds it"}
	case c.User == "" && c.Password.Given():
		return &ConfigError{"password", "a password without a user", "name the user, too"}
	case c.Replicas != 0 && c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5:
		return &ConfigError{"replicas", fmt.Sprintf("%d are not possible", c.Replicas), "1, 3 or 5; a cluster has at least as many servers"}
	case (c.TLS.Cert == "") != (c.TLS.Key == ""):
		return &ConfigError{"tls", "a certificate and its key go together", "name both files, or neither"}
	case c.Timeout < 0 || c.Patience < 0 || c.Keep < 0:
		return &ConfigError{"timeout", "a time below 0", "leave it out for the default"}
	}
	return nil
}

// checkURL says nothing of what stands before an @, which may be a secret.
func checkURL(text string) error {
	const hint = "write nats://host:4222, or tls://host:4222; several with commas between them"
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "@"):
		return &ConfigError{"url", "a server's URL with a user, password or token in it, which others could see", "leave it out, and name the environment variable or the file that holds it"}
	case err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls":
		return &ConfigError{"url", "not the URL of a NATS server: " + quote(text), hint}
	}
	return nil
}

// options are the library's for a configuration that is valid. The error tells a secret or a file that cannot be read.
func (c Config) options() ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(c.Name), nats.CustomInboxPrefix(c.Namespace.inbox()), nats.Timeout(c.Timeout),
		// For ever, half a second to a second apart at each server: a restart is noticed soon, and a hundred
		// workers do not come at once. A secret may be renewed meanwhile, so a refusal is no reason to stop.
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond), nats.ReconnectJitter(500*time.Millisecond, 500*time.Millisecond),
		nats.IgnoreAuthErrorAbort(), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				c.Log("connection lost: " + err.Error())
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { c.Log("connected again to " + nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.Log(err.Error()) }),
	}
	for _, s := range []Source{c.Token, c.Password} {
		if _, err := s.Read(); err != nil {
			return nil, &ConfigError{"credentials", err.Error(), "set it, or name another"}
		}
	}
	switch {
	case c.Creds != "":
		opts = append(opts, nats.UserCredentials(c.Creds))
	case c.User != "":
		opts = append(opts, nats.UserInfoHandler(func() (string, string) { return c.User, c.Password.again() }))
	case c.Token.Given():
		opts = append(opts, nats.TokenHandler(c.Token.again))
	}
	if c.TLS.CA != "" {
		opts = append(opts, nats.RootCAs(c.TLS.CA))
	}
	if c.TLS.Cert != "" {
		opts = append(opts, nats.ClientCert(c.TLS.Cert, c.TLS.Key))
	}
	return opts, nil
}
