package binancesim

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// Options of a simulator. Zero values are the defaults that each field names.
type Options struct {
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
	RateLimits      RateLimits
	// ReadLag is how long a new order or fill cannot be queried; default zero.
	ReadLag time.Duration
	// FullAnswers adds avgPrice and cumQuote to the answers of order calls, as
	// the venue did before July 2026.
	FullAnswers bool
	// TriggerDelay between TRIGGERING and the order; default 10 ms, negative
	// for none.
	TriggerDelay time.Duration
	// PingInterval and SessionLifeMax of streams; default 3 min and 24 h.
	PingInterval   time.Duration
	SessionLifeMax time.Duration
	// ListenKeyLife without a renewal; default one hour.
	ListenKeyLife time.Duration
	// EventsRequired makes the private stream silent without an events list.
	EventsRequired bool
}

// Defaults of Options.
const (
	triggerDelayDefault  = 10 * time.Millisecond
	pingIntervalDefault  = 3 * time.Minute
	sessionLifeDefault   = 24 * time.Hour
	listenKeyLifeDefault = time.Hour
	sessionSilenceMax    = 10 * time.Minute
	streamMessagesPerSec = 10
	streamsPerSessionMax = 1024
	pumpInterval         = 50 * time.Millisecond
	retentionUnfilled    = 3 * 24 * time.Hour
	retention            = 90 * 24 * time.Hour
	demoAccountID        = "demo"
	listenKeyLen         = 64
	autoClientIDLen      = 22
	credentialLen        = 64
	queryWindowMax       = 7 * 24 * time.Hour
	tradesReachBack      = 90 * 24 * time.Hour
	goodTillDateLeadMin  = 600 * time.Second
	batchOrdersMax       = 5
	batchCancelsMax      = 10
)

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	pick := func(d *time.Duration, otherwise time.Duration) {
		switch {
		case *d == 0:
			*d = otherwise
		case *d < 0:
			*d = 0
		}
	}
	pick(&o.TriggerDelay, triggerDelayDefault)
	pick(&o.PingInterval, pingIntervalDefault)
	pick(&o.SessionLifeMax, sessionLifeDefault)
	pick(&o.ListenKeyLife, listenKeyLifeDefault)
	o.RateLimits = o.RateLimits.withDefaults()
	return o
}
