package binance

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/feed"
)

// Decoders returns decoders that share a parser.
func (c streams) Decoders() func(venues.FeedTopic, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(topic venues.FeedTopic, _ string) feed.Decoder {
		return &streamDecoder{c: c.Connector, shared: shared, topic: topic, venueSymbol: c.venueSymbol(topic.Symbol)}
	}
}

// streamDecoder decodes the messages of one topic.
type streamDecoder struct {
	c           *Connector
	shared      *bookDecoder
	topic       venues.FeedTopic
	venueSymbol string
	scale       connector.ScaleCache
}

// Restart does nothing: the owner of the book joins a snapshot to the updates.
func (*streamDecoder) Restart() {}

// Decode decodes a message and passes its content to the stream.
func (d *streamDecoder) Decode(data []byte, received time.Time, to *feed.Stream) error {
	parser, symbol := &d.shared.parser, d.topic.Symbol
	switch d.topic.Kind {
	case venues.FeedBook:
		return d.book(data, received, to)
	case venues.FeedTrades:
		trade, id, err := decodeAggTrade(parser, data, symbol, d.venueSymbol)
		if err == nil {
			to.Trade(trade, id)
		}
		return err
	case venues.FeedCandles:
		candle, err := decodeKline(parser, data, d.topic, d.venueSymbol)
		if err == nil {
			to.Candle(candle)
		}
		return err
	default:
		mark, err := decodeMark(parser, data, symbol, d.venueSymbol)
		if err == nil {
			to.Mark(mark)
		}
		return err
	}
}

func (d *streamDecoder) book(data []byte, received time.Time, to *feed.Stream) error {
	scale, err := d.scale.Scale(&d.c.instruments, d.topic.Symbol)
	if err != nil {
		return err
	}
	update, err := d.shared.decode(data, d.topic.Symbol, d.venueSymbol, scale, received)
	if err == nil {
		to.Book(update)
	}
	return err
}
