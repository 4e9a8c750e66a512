package bus

import (
	"fmt"
	"os"
	"strings"
)

// Source says where a secret is to be read from: an environment variable or a file. The zero value is none. It holds
// names alone, and can be printed.
type Source struct {
	Env  string // name of an environment variable
	File string // path of a file; its content without white space around it
}

// Given reports whether a place is named.
func (s Source) Given() bool { return s != Source{} }

// Read returns the secret, "" if no place is named. The error names the place.
func (s Source) Read() (string, error) {
	var text, place string
	switch {
	case s.File != "":
		data, err := os.ReadFile(s.File)
		if err != nil {
			return "", fmt.Errorf("reading a secret: %w", err)
		}
		text, place = strings.TrimSpace(string(data)), "the file "+s.File
	case s.Env != "":
		text, place = os.Getenv(s.Env), "the environment variable "+s.Env
	default:
		return "", nil
	}
	if text == "" {
		return "", fmt.Errorf("reading a secret: %s is empty", place)
	}
	return text, nil
}

// again reads the secret for a later connection; what cannot be read any more is refused by the server.
func (s Source) again() string {
	text, err := s.Read()
	if err != nil {
		return ""
	}
	return text
}
