package session

import (
	"sync/atomic"
	"time"

	"venuegate/venues"
)

// Acknowledged is when the last change of an order began that the venue took, in unix
// nanoseconds; 0 if the private stream need not tell of any. It is safe for concurrent
// use.
type Acknowledged struct{ began atomic.Int64 }

// Note notes a change that began then, unless it failed, and hands on what came of it.
func (a *Acknowledged) Note(began time.Time, report venues.ExecutionReport, err error) (venues.ExecutionReport, error) {
	if err == nil {
		a.began.Store(began.UnixNano())
	}
	return report, err
}
