package api_test

import (
	"strconv"
	"testing"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

func BenchmarkDecodePlaceOrder(b *testing.B) {
	body := []byte(limitOrder)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := api.DecodePlaceOrder(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeStreamRequest(b *testing.B) {
	message := []byte(`{"op":"subscribe","channels":["orders","book:okx:BTCUSDT:5"],"id":1}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := api.DecodeStreamRequest(message); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBookFrame compares the encoder with a plain hand-written append of the
// same frame, including its timestamps. The encoder must not be slower.
func BenchmarkBookFrame(b *testing.B) {
	m := depth20()
	buffer := make([]byte, 0, 4096)
	b.Run("encoder", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buffer = api.StreamEncoder{}.AppendBook(buffer[:0], m)
		}
		b.SetBytes(int64(len(buffer)))
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buffer = appendBookByHand(buffer[:0], m)
		}
		b.SetBytes(int64(len(buffer)))
	})
}

func BenchmarkTradeFrame(b *testing.B) {
	m := sampleTrade()
	buffer := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buffer = api.StreamEncoder{}.AppendTrade(buffer[:0], m)
	}
}

func BenchmarkCandleFrame(b *testing.B) {
	m := sampleCandle()
	buffer := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buffer = api.StreamEncoder{}.AppendCandle(buffer[:0], m)
	}
}

// depth20 returns a book of 20 levels a side with the digits of a liquid contract.
func depth20() *venues.BookMessage {
	m := &venues.BookMessage{
		MessageHead: venues.MessageHead{
			Topic: "book:binance:BTCUSDT:20", Type: venues.MessageDelta, Seq: 81234567,
			Time: timestamp, VenueTime: timestamp.Add(-3 * time.Millisecond),
		},
		Scale: venues.Scale{PriceDecimals: 2, QtyDecimals: 3},
	}
	for i := range int64(20) {
		m.Bids = append(m.Bids, venues.Level{Price: 6123450 - 10*i, Qty: 1 + 7919*i})
		m.Asks = append(m.Asks, venues.Level{Price: 6123460 + 10*i, Qty: 13 + 6007*i})
	}
	return m
}

func appendBookByHand(dst []byte, m *venues.BookMessage) []byte {
	dst = append(dst, `{"channel":"`...)
	dst = append(dst, m.Topic...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, m.Type...)
	dst = append(dst, `","seq":`...)
	dst = strconv.AppendUint(dst, m.Seq, 10)
	dst = append(dst, `,"ts":"`...)
	dst = m.Time.UTC().AppendFormat(dst, venues.TimeFormat)
	dst = append(dst, `","venueTs":"`...)
	dst = m.VenueTime.UTC().AppendFormat(dst, venues.TimeFormat)
	dst = append(dst, `","data":{"bids":[`...)
	dst = appendLevelsByHand(dst, m.Bids, m.Scale)
	dst = append(dst, `],"asks":[`...)
	dst = appendLevelsByHand(dst, m.Asks, m.Scale)
	return append(dst, `]}}`...)
}

func appendLevelsByHand(dst []byte, levels []venues.Level, scale venues.Scale) []byte {
	for i, l := range levels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `["`...)
		dst = appendScaledByHand(dst, l.Price, scale.PriceDecimals)
		dst = append(dst, `","`...)
		dst = appendScaledByHand(dst, l.Qty, scale.QtyDecimals)
		dst = append(dst, `"]`...)
	}
	return dst
}

// appendScaledByHand is the obvious digit loop.
func appendScaledByHand(dst []byte, n int64, decimals int) []byte {
	for decimals > 0 && n%10 == 0 {
		n /= 10
		decimals--
	}
	var digits [24]byte
	i := len(digits)
	for k := 0; n > 0 || k <= decimals; k++ {
		if k == decimals && decimals > 0 {
			i--
			digits[i] = '.'
		}
		i--
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, digits[i:]...)
}
