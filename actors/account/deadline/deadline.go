// Package deadline compares due times. The zero time never comes: it means that
// nothing is due.
package deadline

import "time"

// Passed reports whether now is at or after a due time.
func Passed(due, now time.Time) bool { return !due.IsZero() && !now.Before(due) }

// Earlier returns the earlier of two due times, of which a zero one never comes.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
