package bybitsim

import (
	"cmp"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore/simnet"
)

// Options of a simulator. Zero values are the defaults that each field names.
type Options struct {
	simnet.Setup

	RateLimits RateLimits
	// PushDelay delays private messages; default zero, which sends them when the
	// order is done and mostly before the acknowledgement.
	PushDelay time.Duration
	// AckDelay delays the answer to an executed order call.
	AckDelay time.Duration
	// EngineDelay is how long the engine takes for an amendment or a cancellation
	// that was acknowledged; default zero, which does it before the answer.
	EngineDelay time.Duration
	// ReadLag is how long queries lag behind new executions; default zero.
	ReadLag time.Duration
	// TriggerDelay between Triggered and the order; default zero.
	TriggerDelay time.Duration
	// SessionSilenceMax ends a stream without messages of the client; default 10 min.
	SessionSilenceMax time.Duration
	// DemoTrading rejects what the venue's demo environment does not offer.
	DemoTrading bool
}

// Defaults and fixed limits.
const (
	silenceMaxDefault    = 10 * time.Minute
	streamMessagesPerSec = 100
	topicsPerSessionMax  = 2000
	topicBytesMax        = 21_000
	apiKeyLen            = 18
	apiSecretLen         = 36
	openOrdersMax        = 500
	conditionalsMax      = 10
	recentClosedMax      = 500
	executionsMax        = 100_000
	linkIDLenMax         = 36
	queryWindowMax       = 7 * 24 * time.Hour
	unfilledRetention    = 24 * time.Hour
	filledRetention      = 2 * 365 * 24 * time.Hour
)

// Fees of every account: those of the venue's lowest tier.
var (
	feeMaker = decimal.New(2, -4)
	feeTaker = decimal.New(55, -5)
)

func (o Options) withDefaults() Options {
	o.SessionSilenceMax = cmp.Or(o.SessionSilenceMax, silenceMaxDefault)
	o.RateLimits = o.RateLimits.withDefaults()
	return o
}
