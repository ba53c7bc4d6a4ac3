package delivery

import (
	"fmt"
	"time"
)

const (
	// RetryAfterMax bounds the delay that a receiver can request by Retry-After.
	RetryAfterMax = 2 * time.Hour
	// throttleMin is the shortest pause after an endpoint has reported a rate limit.
	throttleMin = time.Second
	// throttledMax is the age up to which a delivery can be throttled without its
	// attempts being counted.
	throttledMax = 24 * time.Hour
)

// Bounds of a configured schedule.
const (
	AttemptsMax = 20
	DelayMax    = 7 * 24 * time.Hour
)

// Schedule is the number of attempts of a delivery, and the delays from the end of each
// failed attempt to the next one. The last delay applies to all further attempts.
type Schedule struct {
	Attempts int
	Delays   []time.Duration
}

// ScheduleDefault returns five attempts: immediately, then 10 s, 1 min, 5 min and
// 30 min after the end of the previous one. The fifth delay is for a sixth attempt,
// should one be configured.
func ScheduleDefault() Schedule {
	return Schedule{Attempts: 5, Delays: []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}}
}

// ScheduleError describes an invalid field of a configured schedule.
type ScheduleError struct {
	Field   string // attempts or delays
	Problem string
}

// Errors returns the invalid fields of a configured schedule.
func (s Schedule) Errors() (errs []ScheduleError) {
	if s.Attempts < 1 || s.Attempts > AttemptsMax {
		errs = append(errs, ScheduleError{"attempts", fmt.Sprintf("must be 1 to %d", AttemptsMax)})
	}
	if s.Attempts > 1 && len(s.Delays) == 0 {
		errs = append(errs, ScheduleError{"delays", fmt.Sprintf("must be given for %d attempts", s.Attempts)})
	}
	for i, d := range s.Delays {
		if d <= 0 || d > DelayMax {
			errs = append(errs, ScheduleError{"delays", fmt.Sprintf("entry %d must be greater than 0 and at most %v, not %v", i+1, DelayMax, d)})
		}
	}
	return errs
}

// next returns the time of the attempt after the given number of failed ones, or false
// if there is none.
func (s Schedule) next(failed int, ended time.Time, retryAfter time.Duration) (time.Time, bool) {
	if failed >= s.Attempts {
		return time.Time{}, false
	}
	delay := s.Delays[min(failed, len(s.Delays))-1]
	return wholeMilliseconds(ended.Add(max(delay, min(retryAfter, RetryAfterMax)))), true
}

// wholeMilliseconds rounds up to milliseconds, the precision of stored times.
func wholeMilliseconds(at time.Time) time.Time {
	if whole := at.Truncate(time.Millisecond); whole.Before(at) {
		return whole.Add(time.Millisecond)
	}
	return at
}
