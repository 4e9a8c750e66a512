package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// TraceSession maps a session or agent, as a trace names it, to a profile.
type TraceSession struct {
	// Match is a session's whole name (Mooncake, BurstGPT), or in an events log an agent's
	// number, or a range of them: "0-49".
	Match   string
	Profile int
}

// sessionMap says which profile a row's session asks for. Of a name only its 64-bit hash is held.
type sessionMap struct {
	names  map[uint64]int
	ranges []sessionRange
}

// sessionRange is a range of agents' numbers, both ends included.
type sessionRange struct {
	from, to uint64
	profile  int
}

// newSessionMap compiles what a trace of the format maps.
func newSessionMap(list []TraceSession, format TraceFormat) (sessionMap, error) {
	m := sessionMap{names: map[uint64]int{}}
	for _, s := range list {
		if format != FormatEvents {
			// The name as it stands in a CSV file, or as a number or a text in JSON.
			for _, form := range []string{s.Match, strconv.Quote(s.Match)} {
				if _, twice := m.names[hashName([]byte(form))]; !twice {
					m.names[hashName([]byte(form))] = s.Profile
				}
			}
			continue
		}
		from, to, err := ParseAgents(s.Match)
		if err != nil {
			return m, err
		}
		m.ranges = append(m.ranges, sessionRange{from, to, s.Profile})
	}
	return m, nil
}

// ParseAgents reads what an events log's TraceSession matches: "7", or "0-49".
func ParseAgents(match string) (from, to uint64, err error) {
	low, high, ranged := strings.Cut(match, "-")
	if from, err = strconv.ParseUint(low, 10, 63); err == nil && !ranged {
		return from, from, nil
	}
	if err == nil {
		to, err = strconv.ParseUint(high, 10, 63)
	}
	if err != nil || to < from {
		return 0, 0, fmt.Errorf("%q is neither an agent's number nor a range of them such as 0-49", match)
	}
	return from, to, nil
}

// of returns the profile that a row's session is mapped to.
func (m *sessionMap) of(row *TraceRow) (profile int, ok bool) {
	if !row.HasSession {
		return 0, false
	}
	if profile, ok = m.names[row.Session]; ok {
		return profile, true
	}
	for _, r := range m.ranges {
		if row.Session >= r.from && row.Session <= r.to {
			return r.profile, true
		}
	}
	return 0, false
}
