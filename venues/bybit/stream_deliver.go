package bybit

import (
	"fmt"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Message passes one message to the sink.
func (s *shard) Message(_ *wsclient.Conn, message []byte) {
	topic, ok := topicOf(message)
	if !ok {
		s.answer(message)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	received := time.Now()
	one := s.arrived(topic, received)
	if one == nil {
		return // unsubscribed meanwhile, or broken until the next tick
	}
	if err := s.pass(one, message, received); err != nil {
		s.mu.Lock()
		one.broken, one.interrupted = true, true
		s.mu.Unlock()
		s.feed.c.options.Log.Error("venue stream: undecodable message", zap.String("topic", one.topic), zap.Error(err))
		s.feed.sink.Interrupted([]venues.FeedChannel{one.channel}, fmt.Errorf("topic %s: %w", one.topic, err))
	}
}

// arrived finds the stream of a message and notes that it lives.
func (s *shard) arrived(topic []byte, now time.Time) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.streams[string(topic)]
	if one == nil || one.broken {
		return nil
	}
	one.heardAt = now
	one.strikes = 0
	return one
}

// pass decodes a message and gives it to the sink; deliver is held.
func (s *shard) pass(one *stream, message []byte, received time.Time) error {
	parser, sink := &s.decoder.parser, s.feed.sink
	switch one.channel.Kind {
	case venues.FeedBook:
		return s.passBook(one, message, received)
	case venues.FeedTrades:
		trades, err := decodeTrades(parser, message, one.topic, one.channel.Symbol, one.venueSymbol)
		for n := range trades {
			sink.Trade(trades[n])
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, message, one.topic, one.channel)
		for n := range candles {
			sink.Candle(candles[n])
		}
		return err
	default:
		mark, told, err := decodeMark(parser, message, one.topic, one.channel.Symbol, one.venueSymbol)
		if err == nil && told {
			sink.Mark(mark)
		}
		return err
	}
}

func (s *shard) passBook(one *stream, message []byte, received time.Time) error {
	if err := s.refreshScale(one); err != nil {
		return err
	}
	update, err := s.decoder.decode(message, one.topic, one.channel.Symbol, one.venueSymbol, one.scale, received)
	if err != nil {
		return err
	}
	s.feed.sink.Book(update)
	return nil
}

// refreshScale takes the scale from the catalogue whenever that is a new one.
func (s *shard) refreshScale(one *stream) error {
	newest := s.feed.c.catalogue.Load()
	if newest != nil && newest == one.catalogue {
		return nil
	}
	i, err := s.feed.c.instrument(one.channel.Symbol)
	if err != nil {
		return err
	}
	one.scale, one.catalogue = i.Scale(), newest
	return nil
}
