package book

import (
	"venuegate/actors"
	"venuegate/venues"
)

// Messages of a book. Messages of the feed arrive through the inbox instead.
//
//	message         kind      sent by        reply
//	*openTopic      command   Client         when the sink is subscribed
//	*closeTopic     command   subscription   -
//	*resyncTopic    command   subscription   -
//	*watchQuote     command   Client         -
//	*openWatch      command   Client         when the condition is added
//	*closeWatch     command   priceWatch     -
//	*awaitQuote     query     Client         the quote, once there is one
//	*readDepth      query     Client         a snapshot, once the book is live
//	*readTrades     query     Client         the newest trades
//	*changeScale    command   Client         -
//	*inboxReady     event     inbox          -
//	*snapshotCame   result    own fetch
//	*candlesCame    result    own fetch
//	*syncDue        timer
//	*candlesDue     timer
//	*lingerDue      timer
//	*checkDue       timer
//	*checkLed       timer
type (
	openTopic struct {
		actors.Reply[struct{}]
		subscription *subscription
	}
	// closeTopic and resyncTopic are exempt from the mailbox's limit: a subscription
	// has at most one of each pending.
	closeTopic struct {
		actors.Internal
		subscription *subscription
	}
	resyncTopic struct {
		actors.Internal
		subscription *subscription
	}
	// watchQuote is exempt too: it is sent once per watch period.
	watchQuote struct{ actors.Internal }
	awaitQuote struct{ actors.Reply[venues.Quote] }
	openWatch  struct {
		actors.Reply[struct{}]
		watch *priceWatch
	}
	// closeWatch is exempt too: a watch has one.
	closeWatch struct {
		actors.Internal
		watch *priceWatch
	}
	readDepth struct {
		actors.Reply[venues.Frame]
		depth int
	}
	readTrades struct {
		actors.Reply[[]venues.Trade]
		limit int
	}
	changeScale struct {
		actors.Internal
		scale venues.Scale
	}
	inboxReady struct{ actors.Internal }

	snapshotCame struct {
		fetch  fetchSnapshot
		update *venues.BookUpdate
		err    error
	}
	candlesCame struct {
		fetch   fetchCandles
		candles []venues.Candle
		err     error
	}
	syncDue    struct{ generation uint64 }
	candlesDue struct {
		timeframe  venues.Timeframe
		generation uint64
	}
	lingerDue struct{}
	checkDue  struct{}
	checkLed  struct{ generation uint64 }
)
