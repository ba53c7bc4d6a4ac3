package delivery

import (
	"fmt"
	"time"
)

const (
	// RetryAfterMax bounds how long a receiver may put the next attempt off by
	// Retry-After.
	RetryAfterMax = 2 * time.Hour
	// restMin is the shortest rest of a queue whose other end has a limit that is
	// reached.
	restMin = time.Second
	// throttledMax is how long after it was queued a delivery can wait for such a
	// limit without spending attempts.
	throttledMax = 24 * time.Hour
)

// Bounds of a configured schedule.
const (
	AttemptsMax = 20
	DelayMax    = 7 * 24 * time.Hour
)

// Schedule says how often a delivery is tried, and how long after the end of each
// failed attempt the next one begins. The last delay serves all that follow.
type Schedule struct {
	Attempts int
	Delays   []time.Duration
}

// ScheduleDefault is five attempts: at once, then 10 s, 1 min, 5 min and 30 min
// after the end of the one before (decisions 6). The fifth delay is for a sixth
// attempt, should one be configured.
func ScheduleDefault() Schedule {
	return Schedule{Attempts: 5, Delays: []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}}
}

// ScheduleFault is what is wrong with a configured schedule.
type ScheduleFault struct {
	Field   string // attempts or delays
	Problem string
}

// Faults lists what is wrong with a configured schedule.
func (s Schedule) Faults() (faults []ScheduleFault) {
	if s.Attempts < 1 || s.Attempts > AttemptsMax {
		faults = append(faults, ScheduleFault{"attempts", fmt.Sprintf("must be 1 to %d", AttemptsMax)})
	}
	if s.Attempts > 1 && len(s.Delays) == 0 {
		faults = append(faults, ScheduleFault{"delays", fmt.Sprintf("must be given for %d attempts", s.Attempts)})
	}
	for i, d := range s.Delays {
		if d <= 0 || d > DelayMax {
			faults = append(faults, ScheduleFault{"delays", fmt.Sprintf("entry %d must be above 0 and at most %v, not %v", i+1, DelayMax, d)})
		}
	}
	return faults
}

// next is the moment of the attempt after failed ones, or false if there is none.
func (s Schedule) next(failed int, ended time.Time, retryAfter time.Duration) (time.Time, bool) {
	if failed >= s.Attempts {
		return time.Time{}, false
	}
	delay := s.Delays[min(failed, len(s.Delays))-1]
	return wholeMilliseconds(ended.Add(max(delay, min(retryAfter, RetryAfterMax)))), true
}

// wholeMilliseconds is a moment as it is stored, and never early.
func wholeMilliseconds(at time.Time) time.Time {
	if whole := at.Truncate(time.Millisecond); whole.Before(at) {
		return whole.Add(time.Millisecond)
	}
	return at
}
