package market

import (
	"venuegate/actors"
	"venuegate/venues"
)

// Messages of a market connection. None is subject to the mailbox's limit: their number
// is bounded by the number of topics and the rate of reconnects.
//
//	message             kind      sent by   reply
//	*subscribeTopics    command   Client    -
//	*unsubscribeTopics  command   Client    -
//	*feedInterrupted    event     feed      -
//	*feedResumed        event     feed      -
type (
	subscribeTopics struct {
		actors.Internal
		topics []venues.FeedTopic
	}
	unsubscribeTopics struct {
		actors.Internal
		topics []venues.FeedTopic
	}
	feedInterrupted struct {
		actors.Internal
		sink   *sink
		topics []venues.FeedTopic
		cause  error
	}
	feedResumed struct {
		actors.Internal
		sink   *sink
		topics []venues.FeedTopic
	}
)
