package bus

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Errors of a [Store].
var (
	// ErrExists says that a key has a value already, which was not changed.
	ErrExists = errors.New("it exists already")
	// ErrNotFound says that a key or a blob is not there.
	ErrNotFound = errors.New("not found")
	// ErrTooLarge says that a blob has more than 1 GiB.
	ErrTooLarge = errors.New("too large")
	// ErrDamaged says that a value is not what was written.
	ErrDamaged = errors.New("damaged")
)

// Error codes of JetStream that pass: while a cluster elects, or one of its servers is away.
const (
	codeUnavailable   = 10008 // JetStream system temporarily unavailable
	codeNoPeers       = 10005 // no suitable peers for placement
	codeInsufficient  = 10023 // insufficient resources: so says a cluster of which not all servers have been seen
	codeStreamOffline = 10118
)

// Passing reports whether an error may go away by itself: a time that ran out, no answer, no leader. What the server
// refuses is not.
func Passing(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		switch api.ErrorCode {
		case codeUnavailable, codeNoPeers, codeInsufficient, codeStreamOffline:
			return true
		}
		return api.ErrorCode == 0 && api.Code == 503
	}
	for _, passing := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrNoServers, nats.ErrConnectionReconnecting, nats.ErrDisconnected,
		jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, nats.ErrStaleConnection,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// explain says of an error of a first connection what would help. Only what the library says goes into it, which
// has no secrets.
func explain(urls string, err error) error {
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var path *fs.PathError
	text := err.Error()
	switch {
	case errors.As(err, &unknown):
		return &ConfigError{"url", "the certificate of " + urls + " is signed by an unknown authority", "name the file of its CA (--nats-ca)"}
	case errors.As(err, &host):
		return &ConfigError{"url", "the certificate of " + urls + " is for another name: " + host.Error(), "use the name in the certificate"}
	case errors.As(err, &path):
		return &ConfigError{"tls", text, "name a file that can be read"}
	case errors.Is(err, nats.ErrSecureConnRequired):
		return &ConfigError{"url", urls + " wants a secure connection", "write tls:// instead of nats://, and name its CA (--nats-ca)"}
	case errors.Is(err, nats.ErrSecureConnWanted):
		return &ConfigError{"url", urls + " has no secure connections", "write nats:// instead of tls://, and leave the CA out"}
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(text, "Authorization Violation"), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return &ConfigError{"credentials", urls + " refuses us: it wants other credentials, or any", "set SIMLOAD_NATS_TOKEN, or name a credentials file or a user"}
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"), strings.Contains(text, "closed by remote after TLS handshake"):
		return &ConfigError{"tls", urls + " wants a certificate of ours", "name its files (--nats-cert, --nats-key)"}
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return &ConfigError{"url", urls + " has no JetStream", "start the server with -js, or use simload coordinator"}
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return &ConfigError{"url", "no server answers at " + urls, "start one with simload coordinator, or mend the URL"}
	}
	return &ConfigError{"url", "connecting to " + urls + ": " + text, "see the log of the server"}
}
