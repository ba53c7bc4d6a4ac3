package bybit

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
)

// Decoders share a parser.
func (c streams) Decoders() func(venues.FeedChannel, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(channel venues.FeedChannel, topic string) feed.Decoder {
		return &streamDecoder{
			c: c.Connector, shared: shared, channel: channel, topic: topic, venueSymbol: c.venueSymbol(channel.Symbol),
		}
	}
}

// streamDecoder reads the messages of one stream.
type streamDecoder struct {
	c                  *Connector
	shared             *bookDecoder
	channel            venues.FeedChannel
	topic, venueSymbol string
	// scale of the instrument in that catalogue.
	scale     venues.Scale
	catalogue *venues.InstrumentSet
}

// Restart changes nothing: a snapshot says by itself that a book begins.
func (*streamDecoder) Restart() {}

// Decode reads a message and tells what it says.
func (d *streamDecoder) Decode(message []byte, received time.Time, to *feed.Stream) error {
	parser, symbol := &d.shared.parser, d.channel.Symbol
	switch d.channel.Kind {
	case venues.FeedBook:
		return d.book(message, received, to)
	case venues.FeedTrades:
		trades, err := decodeTrades(parser, message, d.topic, symbol, d.venueSymbol)
		for n := range trades {
			to.Trade(trades[n], 0) // their ids have no order
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, message, d.topic, d.channel)
		for n := range candles {
			to.Candle(candles[n])
		}
		return err
	default:
		mark, told, err := decodeMark(parser, message, d.topic, symbol, d.venueSymbol)
		if err == nil && told {
			to.Mark(mark)
		}
		return err
	}
}

func (d *streamDecoder) book(message []byte, received time.Time, to *feed.Stream) error {
	if err := d.refreshScale(); err != nil {
		return err
	}
	update, err := d.shared.decode(message, d.topic, d.channel.Symbol, d.venueSymbol, d.scale, received)
	if err == nil {
		to.Book(update)
	}
	return err
}

// refreshScale takes the scale from the catalogue whenever that is a new one.
func (d *streamDecoder) refreshScale() error {
	newest := d.c.catalogue.Load()
	if newest != nil && newest == d.catalogue {
		return nil
	}
	i, err := d.c.instrument(d.channel.Symbol)
	if err != nil {
		return err
	}
	d.scale, d.catalogue = i.Scale(), newest
	return nil
}
