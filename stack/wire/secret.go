package wire

import (
	"fmt"
	"log/slog"
)

// bare is a Request that is printed as any struct is.
type bare Request

// veiled is the request without its secret. That there is one stays visible.
func (r Request) veiled() bare {
	if r.Secret != "" {
		r.Secret = "(secret)"
	}
	return bare(r)
}

// Format prints the request as fmt prints any struct, with every verb, but for the secret. Package fmt calls
// it for a Request, a pointer to one, and one in an exported field; it cannot call it in an unexported one.
func (r Request) Format(s fmt.State, verb rune) {
	fmt.Fprintf(s, fmt.FormatString(s, verb), r.veiled())
}

// String is the request with the names of its fields, and without its secret.
func (r Request) String() string { return fmt.Sprintf("%+v", r.veiled()) }

// LogValue is the text of String.
func (r Request) LogValue() slog.Value { return slog.StringValue(r.String()) }
