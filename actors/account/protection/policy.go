package protection

import (
	"cmp"
	"time"
)

// Policy configures what happens when a fill cannot be protected. The zero value is
// the default.
type Policy struct {
	// AlarmAfter is how long a fill may be without live protection before an alarm
	// is raised; 0 is DefaultAlarmAfter.
	AlarmAfter time.Duration
	// CloseAfter is how long after the fill a position that cannot be protected is
	// closed instead; 0 is DefaultCloseAfter.
	CloseAfter time.Duration
	// KeepOpen leaves such a position open: protection is retried without a limit,
	// and the alarm is repeated every CloseAfter.
	KeepOpen bool
}

// Defaults of Policy.
const (
	DefaultAlarmAfter = 5 * time.Second
	DefaultCloseAfter = 10 * time.Second
)

// OrDefault returns the policy with defaults in place of zero durations.
func (p Policy) OrDefault() Policy {
	p.AlarmAfter = cmp.Or(p.AlarmAfter, DefaultAlarmAfter)
	p.CloseAfter = cmp.Or(p.CloseAfter, DefaultCloseAfter)
	return p
}
