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
	"venuegate/venues/simcore/simnet"
)

// ReplayOptions say how a recording is played.
type ReplayOptions struct {
	// Speed is how many times faster than recorded; default 1.
	Speed int
}

// replay is a recording that is being played.
type replay struct {
	simnet.Recording[frame]

	sim *Sim
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

// Replay plays a recording as the public streams of those listed symbols whose
// book it contains, from the moment of Serve on. Recorded topics carry the
// recorded bytes; who subscribes in the middle begins with a snapshot of the
// recorded state under its recorded update id. Other topics and REST follow the
// recorded book, and orders match against it.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*replayBook{}, topics: map[string]*recordedTopic{}, mirrored: map[string]time.Time{},
	}
	return s.Rehearse(func() (func(), error) {
		if err := r.prepare(); err != nil {
			return nil, err
		}
		s.streams.setReplay(r)
		return func() { r.Play(s.Venue, r.step) }, nil
	})
}

// prepare reads the recording and puts the markets where it begins.
func (r *replay) prepare() error {
	if err := r.survey(); err != nil {
		return err
	}
	for symbol, book := range r.books {
		err := errors.Join(r.sim.Exchange().Pause(symbol, true), r.sim.Exchange().MovePrice(symbol, book.Best(simcore.Buy)))
		if err != nil {
			return fmt.Errorf("replay %s: %w", symbol, err)
		}
		r.mirror(symbol)
	}
	return nil
}

// survey reads the whole recording once: its topics, and the first snapshot of
// each book.
func (r *replay) survey() error {
	names := map[string]bool{}
	err := r.Each(func(f frame) bool {
		names[f.topic] = true
		if r.sim.listings[f.symbol()] != nil && isBook(f.topic) && f.whole && r.books[f.symbol()] == nil {
			book := newReplayBook(r.sim.Exchange(), f.topic, r.sim.listings[f.symbol()])
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
		return fmt.Errorf("recording %s has no book of a listed symbol", r.Path)
	}
	return nil
}

func isBook(topic string) bool { return strings.HasPrefix(topic, "orderbook.") }

// step plays one message of a recorded topic: to the listeners first, then to
// the exchange.
func (r *replay) step(f frame) {
	if r.topics[f.topic] == nil {
		return
	}
	r.sim.streams.replayed(r, f)
	switch symbol := f.symbol(); {
	case strings.HasPrefix(f.topic, "publicTrade."):
		r.print(symbol, f.data)
	case isBook(f.topic):
		if base := r.sim.Clock.Base(); base.Sub(r.mirrored[symbol]) >= mirrorEvery {
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
		if err := r.sim.Exchange().Print(symbol, sides[t.Side], price, qty); err != nil {
			r.sim.Log.Debug("recorded trade is off the grid", zap.String("symbol", symbol), zap.Error(err))
		}
	}
}

// mirror puts the recorded book behind the matching engine.
func (r *replay) mirror(symbol string) {
	bids, asks := r.sim.streams.recordedLevels(r.books[symbol])
	if err := recording.Mirror(r.sim.Exchange(), symbol, bids, asks); err != nil {
		r.sim.Log.Error("recorded market", zap.String("symbol", symbol), zap.Error(err))
	}
}
