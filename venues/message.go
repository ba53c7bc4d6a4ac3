package venues

import "time"

// MessageType of a message on a stream topic.
type MessageType string

// Message types. Stale says that a book is not trustworthy until the next
// snapshot.
const (
	MessageSnapshot MessageType = "snapshot"
	MessageDelta    MessageType = "delta"
	MessageStale    MessageType = "stale"
	MessageUpdate   MessageType = "update"
)

// MessageHead is what every message of a topic begins with.
type MessageHead struct {
	Topic string
	Type  MessageType
	Seq   uint64
	// Time is when the message was made here; VenueTime is the venue's clock,
	// zero if it did not tell.
	Time      time.Time
	VenueTime time.Time
}

// BookMessage is a view of a book, or what changed in it. Levels are best
// first; they are only valid during the call they are passed to.
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

// OrdersMessage, PositionsMessage and AccountMessage carry the REST records: a
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

// FrameSink takes the frames of one topic, in order. It is called by the owner
// of the topic and must neither block nor change a frame.
type FrameSink interface {
	Deliver(Frame)
}

// Subscription is a sink's place on a topic. The first frame is a snapshot where
// the topic has one (book, kline, orders, positions, account).
type Subscription interface {
	// Resync asks for one more snapshot frame, delivered in order to this sink
	// alone and marked Snapshot; its Seq is that of the newest frame, so it
	// replaces all before it.
	Resync()
	// Close ends the deliveries; one may still be under way.
	Close()
}
