//go:build !unix

package redistest

// Stop skips the test: no process can be made to stand still here.
func (s *Server) Stop() { s.tb.Skip("no process can be stopped on this system") }

// Continue is the end of Stop.
func (s *Server) Continue() {}
