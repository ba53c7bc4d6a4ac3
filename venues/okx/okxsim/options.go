package okxsim

import (
	"cmp"
	"time"

	"venuegate/venues/simcore/simnet"
)

// Options of a simulator. Zero values are the defaults that each field names.
type Options struct {
	simnet.Setup

	// DemoTrading makes the keys those of the venue's demo environment: requests
	// must have the header x-simulated-trading. Otherwise they must not.
	DemoTrading bool
	RateLimits  RateLimits
	// ReduceOnlyRejects rejects a reduce-only order that is larger than its position;
	// otherwise it is reduced to it. The venue documents both.
	ReduceOnlyRejects bool
	// SnapshotRowsMax is how many rows a page of a snapshot has; default 100. The
	// venue does not document its own.
	SnapshotRowsMax int
	// EngineDelay is how long the engine takes for an acknowledged amendment or
	// cancellation of an order or algo order; default zero, which applies it before
	// the answer.
	EngineDelay time.Duration
	// TriggerDelay between the trigger of an algo order and its order; default
	// 10 ms, negative for none.
	TriggerDelay time.Duration
	// SilenceMax closes a connection without outgoing messages for so long; default
	// 30 s, negative for never.
	SilenceMax time.Duration
	// ConnLifetime is after how long a public or private connection gets the notice
	// that a service upgrade will close it, a minute later; default never.
	ConnLifetime time.Duration
}

// Defaults of Options and limits of the venue.
const (
	triggerDelayDefault = 10 * time.Millisecond
	snapshotRowsDefault = 100
	silenceMaxDefault   = 30 * time.Second
	keyLen              = 36
	secretLen           = 32
	passphraseLen       = 16
	clockSkewMax        = 30 * time.Second
	upgradeNotice       = time.Minute
	retentionUnfilled   = 2 * time.Hour
	retentionHistory    = 7 * 24 * time.Hour
	retentionFills      = 3 * 24 * time.Hour
	retentionArchive    = 90 * 24 * time.Hour
	pageMax             = 100
	batchOrdersMax      = 20
	batchAlgosMax       = 10
	clientIDLenMax      = 32
	openOrdersMax       = 500
	tagLenMax           = 16
)

// limitValueMax is the largest value of a limit order, in USD.
var limitValueMax = dec("20000000")

func (o Options) withDefaults() Options {
	o.TriggerDelay = simnet.OrDefault(o.TriggerDelay, triggerDelayDefault)
	o.SnapshotRowsMax = max(1, cmp.Or(o.SnapshotRowsMax, snapshotRowsDefault))
	o.SilenceMax = simnet.OrDefault(o.SilenceMax, silenceMaxDefault)
	return o
}
