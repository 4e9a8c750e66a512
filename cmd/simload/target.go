package main

import (
	"net"
	"net/netip"
	"net/url"
	"os"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// defaultKeyEnv is where the key of a target is looked for.
const defaultKeyEnv = "SIMLOAD_API_KEY"

// validateTarget checks the endpoint that is to be driven. Load goes to this machine alone unless
// the user says otherwise.
func (f *runFlags) validateTarget() error {
	if f.target == "" {
		if f.allowRemote && f.load.mockListen == "" || f.keyEnv != defaultKeyEnv {
			return usagef("--allow-remote and --key-env are about a --target, and there is none").hint("name the endpoint with --target URL")
		}
		return nil
	}
	if f.mode.value == scenario.ModeVirtual {
		return usagef("--target needs the wall clock").hint("leave out --mode virtual")
	}
	u, err := url.Parse(f.target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return usagef("--target: %q is not an http or https URL without a password", redacted(u, f.target)).hint("name the base URL, such as http://127.0.0.1:4000/v1")
	}
	if !f.allowRemote && !isLoopback(u.Hostname()) {
		return usagef("--target: %s is not on this machine", u.Host).hint("load on others may cost money or do harm; if it is yours, allow it with --allow-remote")
	}
	if f.load.workers == 0 && os.Getenv(f.keyEnv) == "" { // workers have it in their own
		return usagef("--target: the environment variable %s holds no key", f.keyEnv).hint("set it, to any text if the endpoint wants none, or name another with --key-env")
	}
	return nil
}

// redacted is the URL without its password, or nothing if it cannot be read.
func redacted(u *url.URL, text string) string {
	if u == nil {
		return "(unreadable)"
	}
	if u.User != nil {
		return u.Redacted()
	}
	return text
}

// isLoopback reports whether a host is this machine and nothing else.
func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	found, err := net.LookupIP(host)
	if err != nil || len(found) == 0 {
		return false
	}
	for _, ip := range found {
		if !ip.IsLoopback() {
			return false
		}
	}
	return true
}
