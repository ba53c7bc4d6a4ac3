package okx

import (
	"encoding/json"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
)

// Decoders returns decoders that share a parser.
func (c streams) Decoders() func(venues.FeedTopic, string) feed.Decoder {
	shared := new(bookDecoder)
	return func(topic venues.FeedTopic, text string) feed.Decoder {
		var name topicArg
		if err := json.Unmarshal([]byte(text), &name); err != nil {
			panic("okx: topic: " + err.Error()) // it was made by TopicName
		}
		return &streamDecoder{c: c.Connector, shared: shared, topic: topic, instID: name.InstID}
	}
}

// streamDecoder decodes the messages of one topic.
type streamDecoder struct {
	c      *Connector
	shared *bookDecoder
	topic  venues.FeedTopic
	instID string
	// synced: the snapshot of the book was received. Updates before it belong to an
	// earlier subscription.
	synced bool
}

// Restart discards updates until the next snapshot.
func (d *streamDecoder) Restart() { d.synced = false }

// Decode decodes a message and passes its content to the stream.
func (d *streamDecoder) Decode(message []byte, received time.Time, to *feed.Stream) error {
	k := d.c.instruments.Load().byVenueSymbol(d.instID)
	if k == nil {
		return payload.ErrNoInstrument
	}
	parser := &d.shared.parser
	switch d.topic.Kind {
	case venues.FeedBook:
		return d.book(message, k, received, to)
	case venues.FeedTrades:
		trades, ids, err := decodeTrades(parser, message, k)
		for n, trade := range trades {
			to.Trade(trade, ids[n])
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, message, k, d.topic.Timeframe)
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

// book passes an update to the stream, unless it precedes the snapshot. Such an update does
// not count as activity: if the snapshot was lost, the topic becomes silent and is
// subscribed again.
func (d *streamDecoder) book(message []byte, k *instrument, received time.Time, to *feed.Stream) error {
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
