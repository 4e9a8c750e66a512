package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Ensure who names an address that is taken is told so, and how to have a free one.
func TestAddressTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var out, errs buffer
	code := run(context.Background(), []string{"mock", "--listen", l.Addr().String(), "--for", "1ms"}, os.Stdin, &out, &errs)
	if said := errs.String(); code != 2 || !strings.Contains(said, "\n  hint: ") || runtime.GOOS != "windows" && !strings.Contains(said, l.Addr().String()+" is taken") {
		t.Errorf("code %d: %s", code, said)
	}
}

// Ensure every way in which an address is wrong has words and a hint.
func TestListenFailures(t *testing.T) {
	system := func(no syscall.Errno) error {
		return fmt.Errorf("listening: %w", &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", no)})
	}
	for _, c := range []struct {
		addr string
		err  error
		says string
		hint string
	}{
		{"8080", errors.New("x"), `--listen: "8080" is not host:port`, "write for example --listen 127.0.0.1:1"},
		{"127.0.0.1:http", errors.New("x"), `"http" is not a port from 0 to 65535`, "0 takes a free one"},
		{"127.0.0.1:80", system(syscall.EACCES), "port 80 is not for everyone's use", "name a port from 1024"},
		{"127.0.0.1:8080", system(syscall.EADDRINUSE), "127.0.0.1:8080 is taken", "--listen 127.0.0.1:0"},
		{"192.0.2.1:8080", system(syscall.EADDRNOTAVAIL), "192.0.2.1 is not an address of this machine", "127.0.0.1:1"},
		{"nowhere.invalid:1", &net.DNSError{Err: "no such host"}, `no address is known of "nowhere.invalid"`, "127.0.0.1:1"},
		{"127.0.0.1:1", system(syscall.EMFILE), "--listen: listening: ", "127.0.0.1:1"},
	} {
		err := listenFailure("listen", c.addr, "127.0.0.1:1", c.err)
		if hints := hintsOf(err); !strings.Contains(err.Error(), c.says) || len(hints) != 1 || !strings.Contains(hints[0], c.hint) || codeOf(err) != 2 {
			t.Errorf("%s: %v, hints %q", c.addr, err, hints)
		}
	}
}
