package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// widthDefault is the width of tables where nothing says another; widthFile is
// that of files, which must not depend on a terminal.
const (
	widthDefault = 80
	widthFile    = 120
)

// screen is what simload knows of the terminal it draws on.
type screen struct {
	width       int  // of stdout, in columns
	color       bool // on stdout
	live        bool // stderr is a terminal that can redraw a line
	widthStderr int
}

// newScreen looks at the streams and the environment (COLUMNS, NO_COLOR, TERM).
func newScreen(stdout, stderr io.Writer, getenv func(string) string) screen {
	smart := getenv("TERM") != "dumb"
	s := screen{width: columns(stdout, getenv), widthStderr: columns(stderr, getenv)}
	s.color = isTerminal(stdout) && smart && getenv("NO_COLOR") == ""
	s.live = isTerminal(stderr) && smart
	return s
}

// columns returns the width of a terminal, else COLUMNS, else 80.
func columns(w io.Writer, getenv func(string) string) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return widthDefault
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
