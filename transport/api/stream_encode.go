package api

import (
	"strconv"
	"time"

	"venuegate/venues"
)

// MessageGap is the type of a stream message that stands for trades which a
// slow reader, or the service itself, did not get: trades have no snapshot to
// start from again.
const MessageGap venues.MessageType = "gap"

// StreamEncoder writes the messages of the stream's channels. Every method
// appends one JSON object to dst and returns the extended slice, like append;
// the market ones allocate nothing themselves. The zero value is ready, and any
// number of goroutines may use it.
//
// Every message begins with `channel` and `type`; see StreamMessageType.
type StreamEncoder struct{}

// AppendBook appends a snapshot or delta of a book, best levels first. A stale
// message has no data.
func (StreamEncoder) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	dst = appendHead(dst, &m.MessageHead)
	if m.Type != venues.MessageStale {
		dst = append(dst, `,"data":{"bids":`...)
		dst = appendLevels(dst, m.Bids, m.Scale)
		dst = append(dst, `,"asks":`...)
		dst = appendLevels(dst, m.Asks, m.Scale)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendTrade appends one public trade; `ts` inside data is the venue's time of
// it.
func (StreamEncoder) AppendTrade(dst []byte, m *venues.TradeMessage) []byte {
	dst = appendHead(dst, &m.MessageHead)
	dst = append(dst, `,"data":{"id":`...)
	dst = quote(dst, m.ID)
	dst = append(dst, `,"price":`...)
	dst = AppendDecimal(dst, m.Price)
	dst = append(dst, `,"qty":`...)
	dst = AppendDecimal(dst, m.Qty)
	dst = append(dst, `,"side":"`...)
	dst = append(dst, m.Side...)
	dst = append(dst, `","ts":`...)
	dst = venues.AppendTime(dst, m.Trade.VenueTime)
	return append(dst, "}}"...)
}

// AppendCandle appends one state of a candle.
func (StreamEncoder) AppendCandle(dst []byte, m *venues.CandleMessage) []byte {
	dst = appendHead(dst, &m.MessageHead)
	dst = append(dst, `,"data":{"start":`...)
	dst = venues.AppendTime(dst, m.Start)
	dst = append(dst, `,"end":`...)
	dst = venues.AppendTime(dst, m.End)
	dst = append(dst, `,"open":`...)
	dst = AppendDecimal(dst, m.Open)
	dst = append(dst, `,"high":`...)
	dst = AppendDecimal(dst, m.High)
	dst = append(dst, `,"low":`...)
	dst = AppendDecimal(dst, m.Low)
	dst = append(dst, `,"close":`...)
	dst = AppendDecimal(dst, m.Close)
	dst = append(dst, `,"volume":`...)
	dst = AppendDecimal(dst, m.Volume)
	dst = append(dst, `,"turnover":`...)
	dst = AppendDecimal(dst, m.Turnover)
	if m.Closed {
		return append(dst, `,"closed":true}}`...)
	}
	return append(dst, `,"closed":false}}`...)
}

// AppendGap appends the message that stands for missed trades. seq is that of
// the newest one missed, so that the next trade follows it; missed zero means
// that their number is not known.
func (StreamEncoder) AppendGap(dst []byte, topic string, seq, missed uint64, at time.Time) []byte {
	dst = appendHead(dst, &venues.MessageHead{Topic: topic, Type: MessageGap, Seq: seq, Time: at})
	dst = append(dst, `,"missed":`...)
	if missed == 0 {
		return append(dst, "null}"...)
	}
	return append(strconv.AppendUint(dst, missed, 10), '}')
}

// StreamMessageType reads the type of an encoded message of a topic without
// decoding it; empty if the bytes do not begin as every message does.
func StreamMessageType(message []byte, topic string) venues.MessageType {
	const before, between = `{"channel":"`, `","type":"`
	start := len(before) + len(topic) + len(between)
	if len(message) <= start || string(message[start-len(between):start]) != between {
		return ""
	}
	rest := message[start:]
	for i, c := range rest {
		if c == '"' {
			return venues.MessageType(rest[:i])
		}
	}
	return ""
}

// appendHead begins a message; the object stays open. Topic names hold nothing
// that JSON escapes (venues.NormalizeSymbol refuses it).
func appendHead(dst []byte, h *venues.MessageHead) []byte {
	dst = append(dst, `{"channel":"`...)
	dst = append(dst, h.Topic...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, h.Type...)
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendUint(dst, h.Seq, 10)
	dst = append(dst, `,"ts":`...)
	dst = venues.AppendTime(dst, h.Time)
	dst = append(dst, `,"venueTs":`...)
	return venues.AppendTime(dst, h.VenueTime)
}

func appendLevels(dst []byte, levels []venues.Level, scale venues.Scale) []byte {
	dst = append(dst, '[')
	for i := range levels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[', '"')
		dst = venues.AppendFixed(dst, levels[i].Price, scale.PriceDecimals)
		dst = append(dst, '"', ',', '"')
		dst = venues.AppendFixed(dst, levels[i].Qty, scale.QtyDecimals)
		dst = append(dst, '"', ']')
	}
	return append(dst, ']')
}
