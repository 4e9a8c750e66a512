package bus

import (
	"errors"
	"strings"
	"testing"
)

// Ensure what could not be read again is not written, and says how large it may be.
func TestTooLarge(t *testing.T) {
	if err := tooLarge("a trace", unpackedMax); err != nil {
		t.Error(err)
	}
	err := tooLarge("a trace", unpackedMax+1)
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "a trace: too large: 1073741825 bytes (at most 1073741824") {
		t.Error(err)
	}
}
