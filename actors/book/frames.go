package book

import (
	"time"

	"venuegate/venues"
)

// Encoder writes messages of the public stream. The bytes of a message depend on
// nothing but the message. Implementations append to dst and keep nothing.
type Encoder interface {
	AppendBook(dst []byte, m *venues.BookMessage) []byte
	AppendTrade(dst []byte, m *venues.TradeMessage) []byte
	AppendCandle(dst []byte, m *venues.CandleMessage) []byte
}

// press makes frames. Its messages are fields so that handing them to the
// encoder allocates nothing.
type press struct {
	encoder Encoder
	epoch   uint64
	scale   venues.Scale
	count   *counters

	book    venues.BookMessage
	trade   venues.TradeMessage
	candle  venues.CandleMessage
	scratch []byte
	slab    slab
}

// next is the head of the topic's next message.
func (p *press) next(t *topic, kind venues.MessageType, now, venueTime time.Time) venues.MessageHead {
	t.seq++
	return venues.MessageHead{Topic: t.name, Type: kind, Seq: t.seq, Time: now, VenueTime: venueTime}
}

// again is the head of a snapshot that repeats what the topic has been told.
func (p *press) again(t *topic, now, venueTime time.Time) venues.MessageHead {
	return venues.MessageHead{Topic: t.name, Type: venues.MessageSnapshot, Seq: t.seq, Time: now, VenueTime: venueTime}
}

func (p *press) bookFrame(head venues.MessageHead, bids, asks []venues.Level) venues.Frame {
	p.book = venues.BookMessage{MessageHead: head, Scale: p.scale, Bids: bids, Asks: asks}
	p.scratch = p.encoder.AppendBook(p.scratch[:0], &p.book)
	return p.frame(head)
}

func (p *press) tradeFrame(head venues.MessageHead, t venues.Trade) venues.Frame {
	p.trade = venues.TradeMessage{MessageHead: head, Trade: t}
	p.scratch = p.encoder.AppendTrade(p.scratch[:0], &p.trade)
	return p.frame(head)
}

func (p *press) candleFrame(head venues.MessageHead, c venues.Candle) venues.Frame {
	p.candle = venues.CandleMessage{MessageHead: head, Candle: c}
	p.scratch = p.encoder.AppendCandle(p.scratch[:0], &p.candle)
	return p.frame(head)
}

func (p *press) frame(head venues.MessageHead) venues.Frame {
	p.count.frames.Add(1)
	return venues.Frame{
		Topic: head.Topic, Epoch: p.epoch, Seq: head.Seq,
		Snapshot: head.Type == venues.MessageSnapshot,
		Bytes:    p.slab.keep(p.scratch),
	}
}
