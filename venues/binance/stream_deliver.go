package binance

import (
	"bytes"
	"fmt"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// combined is how a message of the combined form begins.
var (
	combinedHead = []byte(`{"stream":"`)
	combinedBody = []byte(`","data":`)
)

// splitCombined cuts a message of the combined form into stream name and data.
func splitCombined(message []byte) (name, data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(message, combinedHead)
	if !ok || len(rest) == 0 || rest[len(rest)-1] != '}' {
		return nil, nil, false
	}
	name, data, ok = bytes.Cut(rest, combinedBody)
	if !ok || len(data) == 0 {
		return nil, nil, false
	}
	return name, data[:len(data)-1], true
}

// Message passes one message to the sink.
func (s *shard) Message(c *wsclient.Conn, message []byte) {
	name, data, ok := splitCombined(message)
	if !ok {
		s.answer(message)
		return
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	received := time.Now()
	one := s.arrived(c, name, received)
	if one == nil {
		return // unsubscribed meanwhile, or broken until the next tick
	}
	if err := s.pass(one, data, received); err != nil {
		s.mu.Lock()
		one.broken, one.interrupted = true, true
		s.mu.Unlock()
		s.feed.c.options.Log.Error("venue stream: undecodable message", zap.String("stream", one.name), zap.Error(err))
		s.feed.sink.Interrupted([]venues.FeedChannel{one.channel}, fmt.Errorf("stream %s: %w", one.name, err))
	}
}

// arrived finds the stream of a message and notes that it lives.
func (s *shard) arrived(c *wsclient.Conn, name []byte, now time.Time) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != c {
		s.tookOver(s.reading != nil)
		s.reading = c
	}
	one := s.streams[string(name)]
	if one == nil || one.broken {
		return nil
	}
	one.heardAt = now
	one.strikes = 0
	return one
}

// tookOver starts the overlap of every stream that was never interrupted: its
// messages go on where the old connection stopped.
func (s *shard) tookOver(renewed bool) {
	for _, one := range s.streams {
		one.overlapping = renewed && !one.interrupted && one.lastSeq > 0
	}
}

// fresh says whether a sequence number is new to a stream; deliver is held.
func (one *stream) fresh(seq uint64) bool {
	if one.overlapping && seq <= one.lastSeq {
		return false
	}
	one.overlapping, one.lastSeq = false, seq
	return true
}

// pass decodes a message and gives it to the sink; deliver is held.
func (s *shard) pass(one *stream, data []byte, received time.Time) error {
	parser := &s.decoder.parser
	switch one.channel.Kind {
	case venues.FeedBook:
		return s.passBook(one, data, received)
	case venues.FeedTrades:
		trade, id, err := decodeAggTrade(parser, data, one.channel.Symbol, one.venueSymbol)
		if err == nil && one.fresh(id) {
			s.feed.sink.Trade(trade)
		}
		return err
	case venues.FeedCandles:
		candle, err := decodeKline(parser, data, one.channel, one.venueSymbol)
		if err == nil {
			s.feed.sink.Candle(candle)
		}
		return err
	default:
		mark, err := decodeMark(parser, data, one.channel.Symbol, one.venueSymbol)
		if err == nil {
			s.feed.sink.Mark(mark)
		}
		return err
	}
}

func (s *shard) passBook(one *stream, data []byte, received time.Time) error {
	if err := s.refreshScale(one); err != nil {
		return err
	}
	update, err := s.decoder.decode(data, one.channel.Symbol, one.venueSymbol, one.scale, received)
	if err != nil {
		return err
	}
	if !one.fresh(update.LastSeq) {
		update.Release()
		return nil
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
