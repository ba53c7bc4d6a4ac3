// Package deadline compares due times. The zero time means that nothing is due.
package deadline

import "time"

// Passed reports whether due is not zero and now is at or after it.
func Passed(due, now time.Time) bool { return !due.IsZero() && !now.Before(due) }

// Earlier returns the earlier of two due times, or the other one if one is zero.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// Earliest returns the earliest of due times that are not zero; zero if all are.
func Earliest(due ...time.Time) time.Time {
	var first time.Time
	for _, d := range due {
		first = Earlier(first, d)
	}
	return first
}

// Later returns the later of two times. A zero time is the earliest one.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
