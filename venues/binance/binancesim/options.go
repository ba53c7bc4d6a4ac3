package binancesim

import (
	"time"

	"venuegate/venues/simcore/simnet"
)

// Options of a simulator. Zero values are the defaults that each field names.
type Options struct {
	simnet.Setup

	RateLimits RateLimits
	// ReadLag is how long queries lag behind new orders and fills; default zero.
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
	// EventsRequired sends nothing on a private stream without an events list.
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
	retentionUnfilled    = 3 * 24 * time.Hour
	retention            = 90 * 24 * time.Hour
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
	o.TriggerDelay = simnet.OrDefault(o.TriggerDelay, triggerDelayDefault)
	o.PingInterval = simnet.OrDefault(o.PingInterval, pingIntervalDefault)
	o.SessionLifeMax = simnet.OrDefault(o.SessionLifeMax, sessionLifeDefault)
	o.ListenKeyLife = simnet.OrDefault(o.ListenKeyLife, listenKeyLifeDefault)
	o.RateLimits = o.RateLimits.withDefaults()
	return o
}
