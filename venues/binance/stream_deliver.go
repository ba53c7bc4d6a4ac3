package binance

import (
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
)

// Decoders share a parser.
func (c streams) Decoders() func(venues.FeedChannel, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(channel venues.FeedChannel, _ string) feed.Decoder {
		return &streamDecoder{c: c.Connector, shared: shared, channel: channel, venueSymbol: c.venueSymbol(channel.Symbol)}
	}
}

// streamDecoder reads the messages of one stream.
type streamDecoder struct {
	c           *Connector
	shared      *bookDecoder
	channel     venues.FeedChannel
	venueSymbol string
	// scale of the instrument in that catalogue.
	scale     venues.Scale
	catalogue *venues.InstrumentSet
}

// Restart changes nothing: a book goes on wherever its owner's snapshot joins it.
func (*streamDecoder) Restart() {}

// Decode reads a message and tells what it says.
func (d *streamDecoder) Decode(data []byte, received time.Time, to *feed.Stream) error {
	parser, symbol := &d.shared.parser, d.channel.Symbol
	switch d.channel.Kind {
	case venues.FeedBook:
		return d.book(data, received, to)
	case venues.FeedTrades:
		trade, id, err := decodeAggTrade(parser, data, symbol, d.venueSymbol)
		if err == nil {
			to.Trade(trade, id)
		}
		return err
	case venues.FeedCandles:
		candle, err := decodeKline(parser, data, d.channel, d.venueSymbol)
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
	if err := d.refreshScale(); err != nil {
		return err
	}
	update, err := d.shared.decode(data, d.channel.Symbol, d.venueSymbol, d.scale, received)
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
