package mockupstream

import "time"

// defaultEpoch is the date of instant 0 unless Config says another one: a Monday's first
// minute in California.
var defaultEpoch = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// calendar maps instants to dates: it is the nanoseconds from 1970-01-01T00:00:00Z to instant 0.
type calendar int64

func newCalendar(epoch time.Time) calendar {
	if epoch.IsZero() {
		epoch = defaultEpoch
	}
	return calendar(epoch.UnixNano())
}

// date returns an instant's date, in UTC.
func (c calendar) date(now time.Duration) time.Time {
	return time.Unix(0, int64(c)+int64(now)).UTC()
}

// next returns the first instant after now at which a whole number of periods has gone by
// since 1970: for a minute the next full minute, for 24 h the next midnight, UTC.
func (c calendar) next(now, period time.Duration) time.Duration {
	return now + period - time.Duration((int64(c)+int64(now))%int64(period))
}

// midnight returns the first midnight in California after now.
func (c calendar) midnight(now time.Duration) time.Duration {
	const day, hour = int64(24 * time.Hour), int64(time.Hour)
	utc := int64(c) + int64(now)
	start := (utc+pacific(utc))/day*day + day // next midnight, as a local time
	// Clocks change at 2 o'clock, so the offset of midnight is that of the hour before it.
	return time.Duration(start - pacific(start+7*hour) - int64(c))
}

// pacific returns the offset of Pacific time from UTC, in nanoseconds, at a date given in
// nanoseconds since 1970. The rule is that of the United States since 2007: clocks go
// forward on the second Sunday of March at 2:00 (10:00 UTC), and back on the first
// Sunday of November at 2:00 (9:00 UTC). It does not ask the machine's time-zone data.
func pacific(utc int64) int64 {
	year := time.Unix(0, utc).UTC().Year()
	from := sunday(year, time.March, 8).Add(10 * time.Hour)
	until := sunday(year, time.November, 1).Add(9 * time.Hour)
	if utc >= from.UnixNano() && utc < until.UnixNano() {
		return -7 * int64(time.Hour)
	}
	return -8 * int64(time.Hour)
}

// sunday returns the first Sunday on or after a day.
func sunday(year int, month time.Month, day int) time.Time {
	d := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return d.AddDate(0, 0, (7-int(d.Weekday()))%7)
}

// Date returns the date of an instant, in UTC.
func (p *Provider) Date(now time.Duration) time.Time { return p.clock.date(now) }
