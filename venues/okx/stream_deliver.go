package okx

import (
	"encoding/json"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
)

// Decoders share a parser.
func (c streams) Decoders() func(venues.FeedChannel, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(channel venues.FeedChannel, text string) feed.Decoder {
		var name topic
		if err := json.Unmarshal([]byte(text), &name); err != nil {
			panic("okx: topic: " + err.Error()) // it was made here
		}
		return &streamDecoder{c: c.Connector, shared: shared, channel: channel, instID: name.InstID}
	}
}

// streamDecoder reads the messages of one stream.
type streamDecoder struct {
	c       *Connector
	shared  *bookDecoder
	channel venues.FeedChannel
	instID  string
	// synced: the book's snapshot has come; what comes before it is of an older
	// subscription.
	synced bool
}

// Restart waits for another snapshot.
func (d *streamDecoder) Restart() { d.synced = false }

// Decode reads a message and tells what it says.
func (d *streamDecoder) Decode(message []byte, received time.Time, to *feed.Stream) error {
	k := d.c.catalogue.Load().named(d.instID)
	if k == nil {
		return payload.ErrNoInstrument
	}
	parser := &d.shared.parser
	switch d.channel.Kind {
	case venues.FeedBook:
		return d.book(message, k, received, to)
	case venues.FeedTrades:
		trades, ids, err := decodeTrades(parser, message, k)
		for n, trade := range trades {
			to.Trade(trade, ids[n])
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, message, k, d.channel.Timeframe)
		for _, candle := range candles {
			to.Candle(candle)
		}
		return err
	default:
		marks, err := decodeMarks(parser, message, k)
		for _, mark := range marks {
			to.Mark(mark)
		}
		return err
	}
}

// book passes an update on, unless it is of a subscription that is over. Changes
// without a snapshot are no sign of life: if it was lost, the silence brings
// another.
func (d *streamDecoder) book(message []byte, k *contract, received time.Time, to *feed.Stream) error {
	update, err := d.shared.decode(message, k, received)
	if err != nil {
		return err
	}
	d.synced = d.synced || update.Snapshot
	if !d.synced {
		update.Release()
		return feed.ErrStale
	}
	to.Book(update)
	return nil
}
