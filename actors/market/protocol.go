package market

import (
	"venuegate/actors"
	"venuegate/venues"
)

// Messages of a market connection. All pass the mailbox's limit: their number is
// bounded by that of the channels and the pace of reconnecting.
//
//	message              kind      sent by   reply
//	*subscribeChannels   command   Client    -
//	*dropChannels        command   Client    -
//	*feedInterrupted     event     feed      -
//	*feedResumed         event     feed      -
type (
	subscribeChannels struct {
		actors.Internal
		channels []venues.FeedChannel
	}
	dropChannels struct {
		actors.Internal
		channels []venues.FeedChannel
	}
	feedInterrupted struct {
		actors.Internal
		sink     *sink
		channels []venues.FeedChannel
		cause    error
	}
	feedResumed struct {
		actors.Internal
		sink     *sink
		channels []venues.FeedChannel
	}
)
