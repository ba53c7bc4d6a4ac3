package simnet

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// Setup is how any simulated venue begins; the options of each embed it. Zero
// values are the defaults that each field names.
type Setup struct {
	// Seed makes market, ids and the demo account's credentials repeatable.
	Seed uint64
	// Quiet leaves the books still: they move only when told to.
	Quiet bool
	// Now is the base clock; default time.Now.
	Now func() time.Time
	// ClockOffset is how far the venue's clock is ahead at the start.
	ClockOffset time.Duration
	// Ledger receives every order; default a ledger in memory. The simulator
	// does not close it.
	Ledger *simcore.Ledger
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

// OrDefault is an option, or its default where it is zero, or zero where it is
// negative.
func OrDefault[N int | time.Duration](option, otherwise N) N {
	if option == 0 {
		return otherwise
	}
	return max(0, option)
}
