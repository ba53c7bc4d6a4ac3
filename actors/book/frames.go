package book

import (
	"time"

	"venuegate/venues"
)

// Encoder encodes messages of the public stream. The bytes depend only on the message.
// Implementations append to dst and retain nothing.
type Encoder interface {
	AppendBook(dst []byte, m *venues.BookMessage) []byte
	AppendTrade(dst []byte, m *venues.TradeMessage) []byte
	AppendCandle(dst []byte, m *venues.CandleMessage) []byte
}

// frameEncoder makes frames. Its messages are fields, so that passing them to the
// encoder allocates nothing.
type frameEncoder struct {
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

// next returns the head of the topic's next message.
func (p *frameEncoder) next(t *topic, kind venues.MessageType, now, venueTime time.Time) venues.MessageHead {
	t.seq++
	return venues.MessageHead{Topic: t.name, Type: kind, Seq: t.seq, Time: now, VenueTime: venueTime}
}

// again returns the head of a snapshot that repeats the published state of the topic.
func (p *frameEncoder) again(t *topic, now, venueTime time.Time) venues.MessageHead {
	return venues.MessageHead{Topic: t.name, Type: venues.MessageSnapshot, Seq: t.seq, Time: now, VenueTime: venueTime}
}

func (p *frameEncoder) bookFrame(head venues.MessageHead, bids, asks []venues.Level) venues.Frame {
	p.book = venues.BookMessage{MessageHead: head, Scale: p.scale, Bids: bids, Asks: asks}
	p.scratch = p.encoder.AppendBook(p.scratch[:0], &p.book)
	return p.frame(head)
}

func (p *frameEncoder) tradeFrame(head venues.MessageHead, t venues.Trade) venues.Frame {
	p.trade = venues.TradeMessage{MessageHead: head, Trade: t}
	p.scratch = p.encoder.AppendTrade(p.scratch[:0], &p.trade)
	return p.frame(head)
}

func (p *frameEncoder) candleFrame(head venues.MessageHead, c venues.Candle) venues.Frame {
	p.candle = venues.CandleMessage{MessageHead: head, Candle: c}
	p.scratch = p.encoder.AppendCandle(p.scratch[:0], &p.candle)
	return p.frame(head)
}

func (p *frameEncoder) frame(head venues.MessageHead) venues.Frame {
	p.count.frames.Add(1)
	return venues.Frame{
		Topic: head.Topic, Epoch: p.epoch, Seq: head.Seq,
		Snapshot: head.Type == venues.MessageSnapshot,
		Bytes:    p.slab.keep(p.scratch),
	}
}

// slabBytes is the size of one slab. Frames share slabs, so that publishing rarely
// allocates; a slab is in use as long as any frame on it.
const slabBytes = 32 << 10

// slab cuts the bytes of frames out of larger pieces.
type slab struct {
	free []byte
}

// keep returns an immutable copy of b.
func (s *slab) keep(b []byte) []byte {
	if len(b) > slabBytes/4 {
		return append(make([]byte, 0, len(b)), b...)
	}
	if len(b) > len(s.free) {
		s.free = make([]byte, slabBytes)
	}
	kept := s.free[:len(b):len(b)]
	s.free = s.free[len(b):]
	copy(kept, b)
	return kept
}
