package account

import (
	"cmp"
	"time"
)

// ProtectionPolicy says what happens when a fill cannot be protected. The zero
// value is the default.
type ProtectionPolicy struct {
	// AlarmAfter is how long a fill may be without live protection before it is
	// an alarm; 0 is DefaultAlarmAfter.
	AlarmAfter time.Duration
	// CloseAfter is when a position that cannot be protected is closed instead,
	// from the fill on; 0 is DefaultCloseAfter.
	CloseAfter time.Duration
	// KeepOpen leaves such a position open: protection is tried again for as long
	// as it takes, and the alarm repeats every CloseAfter.
	KeepOpen bool
}

// Defaults of ProtectionPolicy.
const (
	DefaultAlarmAfter = 5 * time.Second
	DefaultCloseAfter = 10 * time.Second
)

func (p ProtectionPolicy) orDefault() ProtectionPolicy {
	p.AlarmAfter = cmp.Or(p.AlarmAfter, DefaultAlarmAfter)
	p.CloseAfter = cmp.Or(p.CloseAfter, DefaultCloseAfter)
	return p
}
