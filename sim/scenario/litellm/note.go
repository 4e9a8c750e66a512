package litellm

import (
	"cmp"
	"fmt"
	"slices"
)

// Note says what became of a setting that is not simply taken over.
type Note struct {
	Line int // in the configuration, from 1
	Path string
	Text string
}

// String returns "line 12: router_settings.retry_policy: ...".
func (n Note) String() string { return fmt.Sprintf("line %d: %s: %s", n.Line, n.Path, n.Text) }

// Error is what is wrong with a configuration. No text of the file is in it.
type Error struct {
	File         string
	Line, Column int // from 1; 0: the file as a whole
	Path         string
	Problem      string // what was found
	Allowed      string
	Hint         string
}

// Error returns "file:line:column: path: problem (allowed: ...)" and the hint on a line of its own.
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	}
	s += ": "
	if e.Path != "" {
		s += e.Path + ": "
	}
	s += e.Problem
	if e.Allowed != "" {
		s += " (allowed: " + e.Allowed + ")"
	}
	if e.Hint != "" {
		s += "\nhint: " + e.Hint
	}
	return s
}

// note notes something about a setting; nothing within secrets.
func (c *config) note(v value, format string, args ...any) {
	if c.quiet {
		return
	}
	c.notes = append(c.notes, Note{Line: max(v.line(), 1), Path: v.path, Text: fmt.Sprintf(format, args...)})
}

// sortedNotes returns the notes in the order of the file, each once.
func (c *config) sortedNotes() []Note {
	slices.SortStableFunc(c.notes, func(a, b Note) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.Path, b.Path)) })
	c.notes = slices.Compact(c.notes)
	return c.notes
}
