package bybit

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/feed"
)

// Decoders returns decoders that share a parser.
func (c streams) Decoders() func(venues.FeedTopic, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(topic venues.FeedTopic, name string) feed.Decoder {
		return &streamDecoder{
			c: c.Connector, shared: shared, topic: topic, name: name, venueSymbol: c.venueSymbol(topic.Symbol),
		}
	}
}

// streamDecoder decodes the messages of one topic.
type streamDecoder struct {
	c                 *Connector
	shared            *bookDecoder
	topic             venues.FeedTopic
	name, venueSymbol string
	scale             connector.ScaleCache
}

// Restart does nothing: a snapshot is the complete book.
func (*streamDecoder) Restart() {}

// Decode decodes a message and passes its content to the stream.
func (d *streamDecoder) Decode(message []byte, received time.Time, to *feed.Stream) error {
	parser, symbol := &d.shared.parser, d.topic.Symbol
	switch d.topic.Kind {
	case venues.FeedBook:
		return d.book(message, received, to)
	case venues.FeedTrades:
		trades, err := decodeTrades(parser, message, d.name, symbol, d.venueSymbol)
		for n := range trades {
			to.Trade(trades[n], 0) // their ids are not ordered
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, message, d.name, d.topic)
		for n := range candles {
			to.Candle(candles[n])
		}
		return err
	default:
		mark, changed, err := decodeMark(parser, message, d.name, symbol, d.venueSymbol)
		if err == nil && changed {
			to.Mark(mark)
		}
		return err
	}
}

func (d *streamDecoder) book(message []byte, received time.Time, to *feed.Stream) error {
	scale, err := d.scale.Scale(&d.c.instruments, d.topic.Symbol)
	if err != nil {
		return err
	}
	update, err := d.shared.decode(message, d.name, d.topic.Symbol, d.venueSymbol, scale, received)
	if err == nil {
		to.Book(update)
	}
	return err
}
