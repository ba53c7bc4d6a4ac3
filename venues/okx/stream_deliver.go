package okx

import (
	"bytes"
	"fmt"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

// How a push begins, as the venue prints it.
var (
	pushHead   = []byte(`{"arg":{"channel":"`)
	pushMiddle = []byte(`","instId":"`)
	pushTail   = []byte(`"}`)
)

// splitPush finds channel and instrument of a push; false if it is none, or is
// printed in another order.
func splitPush(message []byte) (channel, instID []byte, ok bool) {
	rest, ok := bytes.CutPrefix(message, pushHead)
	if !ok {
		return nil, nil, false
	}
	if channel, rest, ok = bytes.Cut(rest, pushMiddle); !ok {
		return nil, nil, false
	}
	instID, _, ok = bytes.Cut(rest, pushTail)
	return channel, instID, ok
}

// parsePush is the slow twin of splitPush.
func parsePush(message []byte) (channel, instID []byte, ok bool) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil || !o.Has("data") || !o.Has("arg") {
		return nil, nil, false
	}
	arg := payload.Of(o.Value().Get("arg"))
	channel, instID = []byte(arg.OptionalText("channel")), []byte(arg.OptionalText("instId"))
	return channel, instID, arg.Err() == nil
}

// Message passes one message to the sink.
func (s *shard) Message(c *wsclient.Conn, message []byte) {
	channel, instID, ok := splitPush(message)
	if !ok {
		if channel, instID, ok = parsePush(message); !ok {
			s.answer(message)
			return
		}
	}
	s.deliver.Lock()
	defer s.deliver.Unlock()
	received := time.Now()
	one := s.arrived(c, channel, instID, received)
	if one == nil {
		return // unsubscribed meanwhile, or broken
	}
	err := s.pass(one, message, received)
	if err == nil {
		one.faults = 0
		return
	}
	s.fault(one, received)
	s.feed.c.options.Log.Error("venue stream: undecodable message",
		zap.String("channel", one.topic.Channel), zap.String("instrument", one.topic.InstID), zap.Error(err))
	s.feed.sink.Interrupted([]venues.FeedChannel{one.channel}, fmt.Errorf("stream %s %s: %w", one.topic.Channel, one.topic.InstID, err))
}

// fault silences a stream until it is subscribed again: at the next tick, and
// later and later if that does not help.
func (s *shard) fault(one *stream, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.broken, one.interrupted, one.retryAt = true, true, now
	if one.faults > 0 {
		one.retryAt = now.Add(brokenRetry << min(one.faults-1, strikesMax))
	}
	one.faults++
}

// arrived finds the stream of a message, which lives.
func (s *shard) arrived(c *wsclient.Conn, channel, instID []byte, now time.Time) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != c {
		renewed := s.reading != nil
		for _, one := range s.streams {
			one.overlapping = renewed && !one.interrupted && one.lastID > 0
			one.synced = false // the new connection begins with a snapshot
		}
		s.reading = c
	}
	one := s.streams[topic{Channel: string(channel), InstID: string(instID)}]
	if one == nil || one.broken {
		return nil
	}
	if one.channel.Kind != venues.FeedBook { // a book lives once it has its snapshot
		one.lives(now)
	}
	return one
}

// lives notes a sign of life; the shard's lock is held.
func (one *stream) lives(now time.Time) { one.heardAt, one.strikes = now, 0 }

// fresh says whether a trade is new to a stream; deliver is held.
func (one *stream) fresh(id uint64) bool {
	if one.overlapping && id <= one.lastID {
		return false
	}
	one.overlapping, one.lastID = false, id
	return true
}

// pass decodes a message and gives it to the sink; deliver is held.
func (s *shard) pass(one *stream, data []byte, received time.Time) error {
	k := s.feed.c.catalogue.Load().named(one.topic.InstID)
	if k == nil {
		return errNoInstrument
	}
	sink, parser := s.feed.sink, &s.decoder.parser
	switch one.channel.Kind {
	case venues.FeedBook:
		return s.passBook(one, data, k, received)
	case venues.FeedTrades:
		trades, ids, err := decodeTrades(parser, data, k)
		for n, trade := range trades {
			if one.fresh(ids[n]) {
				sink.Trade(trade)
			}
		}
		return err
	case venues.FeedCandles:
		candles, err := decodeCandles(parser, data, k, one.channel.Timeframe)
		for _, candle := range candles {
			sink.Candle(candle)
		}
		return err
	default:
		marks, err := decodeMarks(parser, data, k)
		for _, mark := range marks {
			sink.Mark(mark)
		}
		return err
	}
}

// passBook passes an update on, unless it is of a subscription that is over.
// Changes without a snapshot are no sign of life: if it was lost, the silence
// brings another.
func (s *shard) passBook(one *stream, data []byte, k *contract, received time.Time) error {
	update, err := s.decoder.decode(data, k, received)
	if err != nil {
		return err
	}
	s.mu.Lock()
	one.synced = one.synced || update.Snapshot
	synced := one.synced
	if synced {
		one.lives(received)
	}
	s.mu.Unlock()
	if !synced {
		update.Release()
		return nil
	}
	s.feed.sink.Book(update)
	return nil
}
