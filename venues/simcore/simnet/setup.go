package simnet

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// Setup are the options that all simulated venues have. Zero values mean the default
// of each field.
type Setup struct {
	// Seed determines market, ids and the demo account's credentials.
	Seed uint64
	// Quiet disables the order flow: the books move only by script and by orders.
	Quiet bool
	// Pace is how many markets there are and how fast they move.
	Pace Pace
	// Now is the base clock; default time.Now.
	Now func() time.Time
	// ClockOffset is how far the venue's clock is ahead at the start.
	ClockOffset time.Duration
	// Ledger receives every order; default a ledger in memory. The simulator
	// does not close it.
	Ledger *simcore.Ledger
	// StateDir is the directory of the venue's state file, NAME.state, which the venue
	// restores and keeps; default none. Only one process may use it.
	StateDir string
	// Logger; default none.
	Logger *zap.Logger
	// DemoCredentials replace those that the seed gives the demo account.
	DemoCredentials *simcore.Credentials
}

func (s Setup) logger() *zap.Logger {
	if s.Logger == nil {
		return zap.NewNop()
	}
	return s.Logger
}

func (s Setup) clock() *simcore.Clock {
	clock := simcore.NewClock(s.Now)
	clock.SetOffset(s.ClockOffset)
	return clock
}

// OrDefault returns an option, its default where it is zero, and zero where it is
// negative.
func OrDefault[N int | time.Duration](option, otherwise N) N {
	if option == 0 {
		return otherwise
	}
	return max(0, option)
}
