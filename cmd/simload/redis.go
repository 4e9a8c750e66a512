package main

import (
	"cmp"
	"crypto/x509"
	"net/url"
	"os"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// redisPasswordEnv is where the password of the Redis server is looked for, so that it need not stand on the command line.
const redisPasswordEnv = "SIMLOAD_REDIS_PASSWORD"

// quietRedis has the Redis client not write to stderr: what goes wrong is told by the run.
func quietRedis() { logging.Disable() }

// validateRedis checks the URL of the store of shared limits, and never shows it, as it may hold a password.
func (f *runFlags) validateRedis() error {
	if f.redis == "" {
		return nil
	}
	if f.mode.value == scenario.ModeVirtual {
		return usagef("--redis needs the wall clock: in virtual time shared books are in memory").hint("add --mode wall, or leave --redis out")
	}
	u, err := url.Parse(f.redis)
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix" {
		return usagef("--redis: not the URL of a Redis server").hint("write redis://HOST:PORT/DB, or rediss:// for TLS")
	}
	return nil
}

// checkAuthorities looks at a file of certificates at the start, so that a wrong name is not found out when a run needs it.
func checkAuthorities(flag, file string) error {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return unreadable("--"+flag, file, err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return usagef("--%s: %s holds no certificate in PEM", flag, file).hint("name the file of the CA that signed the server's certificate")
	}
	return nil
}

// redisHint says what to do about a store of shared limits that does not answer as it should.
func redisHint(err *sim.StoreError) string {
	if redis.IsAuthError(err) || redis.IsPermissionError(err) {
		return "set " + redisPasswordEnv + " to the password of a user who may run scripts"
	}
	return cmp.Or(err.Hint, "see that the Redis server is there (redis-cli ping), or name another with --redis URL")
}
