package workload

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// TraceFormat is the form of a trace file; see [TraceReader].
type TraceFormat uint8

// Formats of traces.
const (
	FormatAuto     TraceFormat = iota // by the first line, else by the extension
	FormatAzure                       // CSV of Azure's LLM inference traces
	FormatMooncake                    // JSON lines with prefix blocks
	FormatBurstGPT                    // CSV of BurstGPT
	FormatEvents                      // JSON lines of simload's own --events log
	numFormats
)

var formatNames = [numFormats]string{"auto", "azure", "mooncake", "burstgpt", "events"}

// String returns the format's name as scenarios write it.
func (f TraceFormat) String() string {
	if f < numFormats {
		return formatNames[f]
	}
	return "?"
}

// ParseTraceFormat returns the format of a name that String returns. The error lists
// the names.
func ParseTraceFormat(name string) (TraceFormat, error) {
	for f, n := range formatNames {
		if n == name {
			return TraceFormat(f), nil
		}
	}
	return 0, fmt.Errorf("trace format %q: one of %s is expected", name, strings.Join(formatNames[:], ", "))
}

// jsonLines reports whether a file of this format has JSON lines, and no header.
func (f TraceFormat) jsonLines() bool { return f == FormatMooncake || f == FormatEvents }

// detect finds the format by the first line of a file, else by the file's name. What
// looks like nothing known is taken for Azure's CSV, so that the error names columns.
func detect(name string, first []byte) TraceFormat {
	if first[0] == '{' {
		if bytes.Contains(first, []byte(`"intended_s"`)) {
			return FormatEvents
		}
		return FormatMooncake
	}
	header := bytes.ToLower(first)
	if bytes.Contains(header, []byte("request tokens")) || bytes.Contains(header, []byte("response tokens")) {
		return FormatBurstGPT
	}
	switch path.Ext(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")) {
	case ".jsonl", ".ndjson", ".json":
		return FormatMooncake
	}
	return FormatAzure
}

// rowNames keeps one string for each name that rows bear, so that a row costs none. It
// is bounded: names beyond maxNames get a string per row.
type rowNames map[string]string

const maxNames = 4096

// of returns the name that raw stands for. Decode is called once a name.
func (m rowNames) of(raw []byte, decode func([]byte) (string, error)) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	if s, ok := m[string(raw)]; ok {
		return s, nil
	}
	s, err := decode(raw)
	if err == nil && len(m) < maxNames {
		m[string(raw)] = s
	}
	return s, err
}

// hashName returns 64 bits that identify a name: FNV-1a (Fowler, Noll, Vo), mixed.
func hashName(name []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return jitter.Mix(h)
}
