package api

import (
	"strconv"
	"time"

	"venuegate/venues"
)

// MessageGap is the type of a stream message in the place of trades that a slow
// client, or the service itself, missed: trades have no snapshot to restart from.
const MessageGap venues.MessageType = "gap"

// StreamEncoder encodes the messages of the stream's topics. Every method appends
// one JSON object to dst and returns the extended slice, like append; those of
// market data do not allocate otherwise. The zero value is ready to use, and it is
// safe for concurrent use.
//
// Every message begins with `channel`, the name of its topic, and `type`; see
// StreamMessageType.
type StreamEncoder struct{}

// AppendBook appends a snapshot or delta of an order book, best levels first. A
// stale message has no data.
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

// AppendTrade appends one public trade. `ts` inside data is the venue's time of the
// trade.
func (StreamEncoder) AppendTrade(dst []byte, m *venues.TradeMessage) []byte {
	dst = appendHead(dst, &m.MessageHead)
	dst = append(dst, `,"data":`...)
	return append(AppendTradeRecord(dst, &m.Trade), '}')
}

// AppendTradeRecord appends one public trade as it is on the stream and in GET /v1/trades.
func AppendTradeRecord(dst []byte, t *venues.Trade) []byte {
	dst = append(dst, `{"id":`...)
	dst = quote(dst, t.ID)
	dst = append(dst, `,"price":`...)
	dst = AppendDecimal(dst, t.Price)
	dst = append(dst, `,"qty":`...)
	dst = AppendDecimal(dst, t.Qty)
	dst = append(dst, `,"side":"`...)
	dst = append(dst, t.Side...)
	dst = append(dst, `","ts":`...)
	dst = venues.AppendTime(dst, t.VenueTime)
	return append(dst, '}')
}

// AppendCandle appends one state of a candle.
func (StreamEncoder) AppendCandle(dst []byte, m *venues.CandleMessage) []byte {
	dst = appendHead(dst, &m.MessageHead)
	dst = append(dst, `,"data":`...)
	return append(AppendCandle(dst, &m.Candle), '}')
}

// AppendGap appends a message in the place of missed trades. seq is the sequence
// number of the newest missed trade, so that the next trade continues from it;
// missed is how many there were, zero if that is unknown.
func (StreamEncoder) AppendGap(dst []byte, topic string, seq, missed uint64, at time.Time) []byte {
	dst = appendHead(dst, &venues.MessageHead{Topic: topic, Type: MessageGap, Seq: seq, Time: at})
	dst = append(dst, `,"missed":`...)
	if missed == 0 {
		return append(dst, "null}"...)
	}
	return append(strconv.AppendUint(dst, missed, 10), '}')
}

// StreamMessageType returns the type of an encoded message of a topic without
// decoding it, or "" if the bytes do not begin like a message.
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

// appendHead appends the fields that all messages begin with and leaves the object
// open. Topic names hold nothing that JSON escapes: venues.NormalizeSymbol rejects
// it.
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

// AppendOrders appends a message of the topic orders: the list of open orders in a
// snapshot, one order in an update.
func (StreamEncoder) AppendOrders(dst []byte, m *venues.OrdersMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Orders, AppendOrder)
}

// AppendPositions appends a message of the topic positions. A closed position is
// published once, with quantity zero and a reason.
func (StreamEncoder) AppendPositions(dst []byte, m *venues.PositionsMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Positions, AppendPosition)
}

// AppendAccount appends a message of the topic account.
func (StreamEncoder) AppendAccount(dst []byte, m *venues.AccountMessage) []byte {
	return appendRecords(dst, &m.MessageHead, m.Balances, AppendBalance)
}

// appendRecords appends a message whose `data` is a list in a snapshot and one
// record in an update.
func appendRecords[T any](dst []byte, head *venues.MessageHead, records []T, each func([]byte, *T) []byte) []byte {
	dst = appendHead(dst, head)
	dst = append(dst, `,"data":`...)
	switch {
	case head.Type == venues.MessageSnapshot:
		dst = AppendArray(dst, records, each)
	case len(records) > 0:
		dst = each(dst, &records[0])
	default:
		dst = append(dst, "null"...)
	}
	return append(dst, '}')
}
