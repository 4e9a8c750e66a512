package scenario

import (
	"regexp"
	"time"
)

// Instant is a date and time with its zone, kept as it was written.
type Instant string

const instantPattern = `^(20[0-9]{2}|2100)-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$`

var instantText = regexp.MustCompile(instantPattern)

func (v *Instant) decode(d *decoder, n *node, _ rules) {
	_, err := time.Parse(time.RFC3339Nano, n.text)
	if n.kind != scalarNode || !instantText.MatchString(n.text) || err != nil {
		d.add(n, problem{
			"not a date and time", n.found(), "a date of the years 2000 to 2100 and a time with its zone, such as 2026-01-05T08:00:00Z",
			"write the date, T, the time, and Z for UTC",
		})
		return
	}
	*v = Instant(n.text)
}

// time returns the instant, the zero time if none was written.
func (v Instant) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(v))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
