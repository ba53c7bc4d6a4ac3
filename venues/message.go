package venues

import "time"

// MessageType of a message on a stream topic.
type MessageType string

// Message types. Stale means that a book cannot be trusted until the next snapshot.
const (
	MessageSnapshot MessageType = "snapshot"
	MessageDelta    MessageType = "delta"
	MessageStale    MessageType = "stale"
	MessageUpdate   MessageType = "update"
)

// MessageHead is the common part of all messages of a topic.
type MessageHead struct {
	Topic string
	Type  MessageType
	Seq   uint64
	// Time is when the service made the message. VenueTime is by the venue's clock; zero
	// if the venue did not report it.
	Time      time.Time
	VenueTime time.Time
}

// BookMessage is a view of a book, or its changes. Levels are sorted best first and are
// valid only during the call that they are passed to.
type BookMessage struct {
	MessageHead
	Scale Scale
	Bids  []Level
	Asks  []Level
}

// TradeMessage is one public trade.
type TradeMessage struct {
	MessageHead
	Trade
}

// CandleMessage is one state of a candle.
type CandleMessage struct {
	MessageHead
	Candle
}

// OrdersMessage, PositionsMessage and AccountMessage carry the records of the REST API: a
// list in a snapshot, exactly one in an update.
type (
	OrdersMessage struct {
		MessageHead
		Orders []Order
	}
	PositionsMessage struct {
		MessageHead
		Positions []Position
	}
	AccountMessage struct {
		MessageHead
		Balances []Balance
	}
)

// FrameSink receives the frames of one topic, in order. It is called by the owner of the
// topic and must neither block nor change a frame.
type FrameSink interface {
	Deliver(Frame)
}

// Subscription is the subscription of a sink to a topic. The first frame is a snapshot if
// the topic has one (book, kline, orders, positions, account).
type Subscription interface {
	// Resync requests one more snapshot frame, delivered in order to this sink alone and
	// marked Snapshot. Its Seq is that of the newest frame, so it replaces everything
	// before it.
	Resync()
	// Close ends the deliveries. One may still be in progress.
	Close()
}
