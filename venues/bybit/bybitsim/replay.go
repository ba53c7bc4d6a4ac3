package bybitsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
)

// ReplayOptions say how a recording is played.
type ReplayOptions struct {
	// Speed is how many times faster than recorded; default 1.
	Speed int
}

// replay is a recording that is being played.
type replay struct {
	sim   *Sim
	path  string
	speed int
	first time.Duration
	// books are the recorded books by symbol; topics all recorded topics of
	// their symbols.
	books    map[string]*replayBook
	topics   map[string]*recordedTopic
	mirrored map[string]time.Time
}

// recordedTopic is what a new listener of a recorded topic must know.
type recordedTopic struct {
	fields map[string]string
	last   []byte
}

// mirrorEvery is how often the recorded book is put behind the matching engine.
const mirrorEvery = 250 * time.Millisecond

// ErrServing reports a recording that comes too late.
var ErrServing = errors.New("a recording must be given before Serve")

// Replay plays a recording as the public streams of those listed symbols whose
// book it contains, from the moment of Serve on. Recorded topics carry the
// recorded bytes; who subscribes in the middle begins with a snapshot of the
// recorded state under its recorded update id. Other topics and REST follow the
// recorded book, and orders match against it.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	if s.Endpoints() != (Endpoints{}) {
		return ErrServing
	}
	r := &replay{
		sim: s, path: path, speed: max(1, options.Speed), books: map[string]*replayBook{},
		topics: map[string]*recordedTopic{}, mirrored: map[string]time.Time{},
	}
	if err := r.survey(); err != nil {
		return err
	}
	for symbol, book := range r.books {
		if err := s.exchange.Pause(symbol, true); err != nil {
			return fmt.Errorf("replay %s: %w", symbol, err)
		}
		if err := s.exchange.MovePrice(symbol, book.Best(simcore.Buy)); err != nil {
			return fmt.Errorf("replay %s: %w", symbol, err)
		}
		r.mirror(symbol)
	}
	s.streams.setReplay(r)
	return nil
}

// survey reads the whole recording once: its topics, and the first snapshot of
// each book.
func (r *replay) survey() error {
	names := map[string]bool{}
	err := recording.Each(r.path, parseFrame, func(f frame) bool {
		if r.first == 0 {
			r.first = f.at
		}
		names[f.topic] = true
		if r.sim.listings[f.symbol()] != nil && isBook(f.topic) && f.whole && r.books[f.symbol()] == nil {
			book := newReplayBook(r.sim.exchange, f.topic, r.sim.listings[f.symbol()])
			book.apply(f)
			r.books[f.symbol()] = book
		}
		return true
	})
	if err != nil {
		return err
	}
	for name := range names {
		if f := (frame{topic: name}); r.books[f.symbol()] != nil && (!isBook(name) || r.books[f.symbol()].topic == name) {
			r.topics[name] = &recordedTopic{}
		}
	}
	if len(r.books) == 0 {
		return fmt.Errorf("recording %s has no book of a listed symbol", r.path)
	}
	return nil
}

func isBook(topic string) bool { return strings.HasPrefix(topic, "orderbook.") }

// play plays the recording until its end or until the server closes.
func (r *replay) play() {
	started := r.sim.clock.Base()
	err := recording.Each(r.path, parseFrame, func(f frame) bool {
		due := started.Add((f.at - r.first) / time.Duration(r.speed))
		if !r.sim.server.Wait(due.Sub(r.sim.clock.Base())) {
			return false
		}
		if r.topics[f.topic] != nil {
			r.step(f)
		}
		return true
	})
	if err != nil {
		r.sim.log.Error("recording cannot be played on", zap.Error(err))
	}
}

// step plays one message: to the listeners first, then to the exchange.
func (r *replay) step(f frame) {
	r.sim.streams.replayed(r, f)
	switch symbol := f.symbol(); {
	case strings.HasPrefix(f.topic, "publicTrade."):
		r.print(symbol, f.data)
	case isBook(f.topic):
		if base := r.sim.clock.Base(); base.Sub(r.mirrored[symbol]) >= mirrorEvery {
			r.mirrored[symbol] = base
			r.mirror(symbol)
		}
	}
}

// print tells the exchange of recorded trades.
func (r *replay) print(symbol string, data []byte) {
	var trades []tradeBody
	if json.Unmarshal(data, &trades) != nil {
		return
	}
	for _, t := range trades {
		price, badPrice := venues.ParseDecimal(t.Price)
		qty, badQty := venues.ParseDecimal(t.Volume)
		if badPrice != nil || badQty != nil {
			continue
		}
		if err := r.sim.exchange.Print(symbol, sides[t.Side], price, qty); err != nil {
			r.sim.log.Debug("recorded trade is off the grid", zap.String("symbol", symbol), zap.Error(err))
		}
	}
}

// mirror puts the recorded book behind the matching engine.
func (r *replay) mirror(symbol string) {
	bids, asks := r.sim.streams.recordedLevels(r.books[symbol])
	if err := recording.Mirror(r.sim.exchange, symbol, bids, asks); err != nil {
		r.sim.log.Error("recorded market", zap.String("symbol", symbol), zap.Error(err))
	}
}
