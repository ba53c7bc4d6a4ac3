package book

import (
	"time"

	"venuegate/venues"
)

// effect is what the state wants done outside itself.
//
//sumtype:decl
type effect interface{ effect() }

type (
	// fetchSnapshot asks for the book by REST; the answer is snapshotCame.
	fetchSnapshot struct {
		generation uint64
		check      bool // to compare with, not to build on
	}
	// fetchCandles asks for the newest candles; the answer is candlesCame.
	fetchCandles struct {
		timeframe  venues.Timeframe
		generation uint64
	}
	// subscribe and unsubscribe tell the market connection what is needed. To
	// subscribe a channel once more begins it anew.
	subscribe   struct{ channel venues.FeedChannel }
	unsubscribe struct{ channel venues.FeedChannel }
	// renewBook begins the book's channel anew.
	renewBook struct{}
	// armSync brings syncDue; it replaces an earlier one.
	armSync struct {
		generation    uint64
		after, jitter time.Duration
	}
	// armCandles brings candlesDue of the timeframe.
	armCandles struct {
		timeframe  venues.Timeframe
		generation uint64
		after      time.Duration
	}
	// armLinger brings lingerDue; it replaces an earlier one.
	armLinger struct{}
	// retire ends the actor: nobody needs it.
	retire struct{}
)

func (fetchSnapshot) effect() {}
func (fetchCandles) effect()  {}
func (subscribe) effect()     {}
func (unsubscribe) effect()   {}
func (renewBook) effect()     {}
func (armSync) effect()       {}
func (armCandles) effect()    {}
func (armLinger) effect()     {}
func (retire) effect()        {}

// delivery is a frame for the subscribers of a topic, or for one of them.
type delivery struct {
	to    *topic
	only  *subscription
	frame venues.Frame
}

// outbox collects what one step of the state came to. It is emptied after each
// step; a step of the feed's messages alone leaves no garbage in it.
type outbox struct {
	effects    []effect
	deliveries []delivery
}

func (o *outbox) emit(e effect) { o.effects = append(o.effects, e) }

func (o *outbox) deliver(d delivery) { o.deliveries = append(o.deliveries, d) }

func (o *outbox) reset() {
	clear(o.effects)
	clear(o.deliveries)
	o.effects, o.deliveries = o.effects[:0], o.deliveries[:0]
}
