package server

import (
	"fmt"
	"sync"
)

// warnings passes on what is worth a line, and remembers the last one.
type warnings struct {
	tell func(string)

	mu   sync.Mutex
	text string
}

func (w *warnings) note(format string, v []any) {
	text := fmt.Sprintf(format, v...)
	w.mu.Lock()
	w.text = text
	w.mu.Unlock()
	if w.tell != nil {
		w.tell(text)
	}
}

func (w *warnings) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// Fatalf is what the server says before it gives up, Errorf what went wrong, Warnf what may.
func (w *warnings) Fatalf(format string, v ...any) { w.note(format, v) }
func (w *warnings) Errorf(format string, v ...any) { w.note(format, v) }
func (w *warnings) Warnf(format string, v ...any)  { w.note(format, v) }

// The rest is of no interest.
func (*warnings) Noticef(string, ...any) {}
func (*warnings) Debugf(string, ...any)  {}
func (*warnings) Tracef(string, ...any)  {}
