package bybitsim

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"venuegate/venues/simcore/simnet"
)

// ReplayOptions configure how a recording is played.
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
	books  map[string]*replayBook
	topics map[string]*recordedTopic
}

// recordedTopic is the state of a recorded topic that a new listener receives.
type recordedTopic struct {
	fields map[string]string
	last   []byte
}

// mirrorInterval is how often the recorded book is put behind the matching engine.
const mirrorInterval = 250 * time.Millisecond

// Replay plays a recording as the public streams of those listed symbols whose
// book it contains, from Serve on. Recorded topics carry the recorded bytes; a
// subscriber in mid-stream first receives a snapshot of the recorded state under its
// recorded update id. Other topics and REST follow the recorded book, and orders
// match against it.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*replayBook{}, topics: map[string]*recordedTopic{},
	}
	return r.PlayOn(s.Venue, func() error {
		if err := r.prepare(); err != nil {
			return err
		}
		s.streams.setReplay(r)
		return nil
	}, r.step)
}

// prepare reads the recording and moves the markets to its beginning.
func (r *replay) prepare() error {
	if err := r.survey(); err != nil {
		return err
	}
	for _, book := range r.books {
		if err := book.Start(); err != nil {
			return err
		}
	}
	return nil
}

// survey reads the whole recording once, for its topics and the first snapshot of
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

// step plays one message of a recorded topic, first to the listeners, then to the
// exchange.
func (r *replay) step(f frame) {
	if r.topics[f.topic] == nil {
		return
	}
	r.sim.streams.replayed(r, f)
	switch symbol := f.symbol(); {
	case strings.HasPrefix(f.topic, "publicTrade."):
		r.print(symbol, f.data)
	case isBook(f.topic):
		r.sim.MirrorRecorded(r.books[symbol].Book, mirrorInterval)
	}
}

// print prints recorded trades on the exchange.
func (r *replay) print(symbol string, data []byte) {
	var trades []tradeBody
	if json.Unmarshal(data, &trades) != nil {
		return
	}
	for _, t := range trades {
		r.sim.PrintRecorded(r.books[symbol].Book, sides[t.Side], t.Price, t.Volume)
	}
}
