// Package redistest starts Redis servers for tests: each with a directory and a port of its own on loopback, as a child of
// the test, and gone with it.
//
// Start here: [Start]. Without a redis-server the test is skipped, or fails where SIMLOAD_REQUIRE is set.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// Server is a Redis server that can be stopped, killed and started again.
type Server struct {
	tb   testing.TB
	dir  string
	port int
	args []string
	cmd  *exec.Cmd
	out  *os.File
}

// Start returns a running server, with more arguments of redis-server's.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("SIMLOAD_REQUIRE") != "" {
			tb.Fatal("redis-server is not installed, and SIMLOAD_REQUIRE is set")
		}
		tb.Skip("redis-server is not installed")
	}
	logging.Disable() // servers come and go here
	s := &Server{tb: tb, dir: tb.TempDir(), args: args}
	var err error
	if s.out, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		s.Kill()
		_ = s.out.Close()
	})
	for range 5 { // the port may be taken between the two
		s.port = freePort(tb)
		if s.begin() == nil {
			return s
		}
	}
	log, _ := os.ReadFile(s.out.Name())
	tb.Fatalf("redis-server does not start: %s", log)
	return nil
}

func freePort(tb testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// begin starts the process and waits until it answers, or has ended.
func (s *Server) begin() error {
	plain := fmt.Sprint(s.port)
	if strings.Contains(strings.Join(s.args, " "), "--tls-port") {
		plain = "0"
	}
	args := []string{"--bind", "127.0.0.1", "--port", plain, "--dir", s.dir, "--save", "", "--appendonly", "no", "--unixsocket", s.Socket(), "--daemonize", "no"}
	for _, a := range s.args {
		args = append(args, strings.ReplaceAll(a, "{port}", fmt.Sprint(s.port)))
	}
	s.cmd = exec.Command("redis-server", args...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.SysProcAttr = deathSignal()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	cmd := s.cmd
	go func() { ended <- cmd.Wait() }()
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket(), MaxRetries: -1, DisableIdentity: true})
	defer func() { _ = c.Close() }()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-ended:
			return fmt.Errorf("it ended: %v", err)
		default:
		}
		err := c.Ping(context.Background()).Err()
		if err == nil || strings.Contains(err.Error(), "NOAUTH") {
			return nil
		}
	}
	return fmt.Errorf("it does not answer")
}

// Addr is the server's host and port.
func (s *Server) Addr() string { return fmt.Sprint("127.0.0.1:", s.port) }

// URL is the server's URL.
func (s *Server) URL() string { return "redis://" + s.Addr() }

// Socket is the server's Unix socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, "s") }

// Kill ends the process at once.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		s.cmd = nil
	}
}

// Again starts the server anew after Kill, on the same port, with nothing in it.
func (s *Server) Again() {
	s.tb.Helper()
	var err error
	for range 50 {
		if err = s.begin(); err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.tb.Fatalf("redis-server does not start again: %v", err)
}
