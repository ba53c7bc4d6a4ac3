package simcore

import "time"

// Interval is the length of a candle in the spelling that venues share: "1m", "4h",
// "1d", "1w", "1M".
type Interval string

// Intervals are all intervals, shortest first.
var Intervals = []Interval{
	"1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M",
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

var intervalLengths = map[Interval]time.Duration{
	"1m": time.Minute, "3m": 3 * time.Minute, "5m": 5 * time.Minute, "15m": 15 * time.Minute,
	"30m": 30 * time.Minute, "1h": time.Hour, "2h": 2 * time.Hour, "4h": 4 * time.Hour, "6h": 6 * time.Hour,
	"8h": 8 * time.Hour, "12h": 12 * time.Hour, "1d": day, "3d": 3 * day, "1w": week, "1M": 0,
}

// Valid reports whether the interval is one of [Intervals].
func (i Interval) Valid() bool {
	_, ok := intervalLengths[i]
	return ok
}

// Start returns the beginning of the interval that contains t. Weeks begin on
// Monday, months on the first, all in UTC.
func (i Interval) Start(t time.Time) time.Time {
	t = t.UTC()
	switch i {
	case "1M":
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	case "3d":
		days := t.Unix() / int64(day/time.Second)
		return time.Unix((days-days%3)*int64(day/time.Second), 0).UTC()
	default:
		// The zero time of Truncate is a Monday.
		return t.Truncate(intervalLengths[i])
	}
}

// End returns the first time after the interval that begins at start.
func (i Interval) End(start time.Time) time.Time { return i.Add(start, 1) }

// Add returns the start of the interval that is n intervals after the one that begins at
// start, before it for a negative n.
func (i Interval) Add(start time.Time, n int) time.Time {
	if i == "1M" {
		return start.AddDate(0, n, 0)
	}
	return start.Add(time.Duration(n) * intervalLengths[i])
}

// From returns the start of the first interval that begins at t or later.
func (i Interval) From(t time.Time) time.Time {
	start := i.Start(t)
	if start.Before(t) {
		return i.End(start)
	}
	return start
}

// base returns the index of the stored series from which the interval is merged.
func (i Interval) base() int {
	switch i {
	case "1m", "3m", "5m":
		return 0
	case "15m", "30m":
		return 1
	case "1d", "3d", "1w", "1M":
		return 3
	default:
		return 2
	}
}
