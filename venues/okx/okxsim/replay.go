package okxsim

import (
	"encoding/json"
	"errors"
	"fmt"
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

// ErrServing reports a recording that comes too late.
var ErrServing = errors.New("a recording must be given before Serve")

// replay is a recording that is being played.
type replay struct {
	sim   *Sim
	path  string
	speed int
	first time.Duration
	books map[string]*replayBook // by the recorded instrument
}

type replayBook struct {
	recorded
	*recording.Book
}

// Replay plays a recording as the market of those listed swaps whose book it
// contains, from the moment of Serve on. A pair of the spot market is played as
// its swap, with sizes cut to whole lots.
//
// The exchange follows the recorded book and prints the recorded trades: streams
// and REST tell of them in the simulator's own messages and numbers, because
// recordings of the venue may be older than its numbering. Orders match against
// the recorded book.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	if s.Endpoints() != (Endpoints{}) {
		return ErrServing
	}
	r := &replay{sim: s, path: path, speed: max(1, options.Speed), books: map[string]*replayBook{}}
	if err := r.survey(); err != nil {
		return err
	}
	for _, book := range r.books {
		name := book.listing.Canonical
		err := errors.Join(s.exchange.Pause(name, true), s.exchange.MovePrice(name, book.Best(simcore.Buy)), book.Mirror())
		if err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
	}
	s.replay = r
	return nil
}

// survey reads the whole recording once, for the first snapshot of each book.
func (r *replay) survey() error {
	played := map[string]bool{}
	err := recording.Each(r.path, parseFrame, func(f frame) bool {
		if r.first == 0 {
			r.first = f.at
		}
		as, listed := r.sim.recordedAs(f.instID)
		if listed && f.channel == channelBooks && f.whole && !played[as.listing.Symbol] {
			book := &replayBook{as, recording.NewBook(r.sim.exchange, as.listing.Symbol)}
			book.apply(r.sim.exchange, f)
			r.books[f.instID], played[as.listing.Symbol] = book, true
		}
		return true
	})
	if err == nil && len(r.books) == 0 {
		err = fmt.Errorf("recording %s has no book of a listed instrument", r.path)
	}
	return err
}

// apply takes a recorded message of the book.
func (b *replayBook) apply(x *simcore.Exchange, f frame) {
	var rows []struct{ Bids, Asks [][]string }
	if json.Unmarshal(f.data, &rows) != nil {
		return
	}
	if f.whole {
		b.Clear()
	}
	for _, row := range rows {
		b.Put(b.changes(x, simcore.Buy, row.Bids))
		b.Put(b.changes(x, simcore.Sell, row.Asks))
	}
}

// play plays the recording until its end or until the server closes.
func (r *replay) play() {
	started := r.sim.clock.Base()
	err := recording.Each(r.path, parseFrame, func(f frame) bool {
		due := started.Add((f.at - r.first) / time.Duration(r.speed))
		if !r.sim.server.Wait(due.Sub(r.sim.clock.Base())) {
			return false
		}
		if book := r.books[f.instID]; book != nil {
			r.step(book, f)
		}
		return true
	})
	if err != nil {
		r.sim.log.Error("recording cannot be played on", zap.Error(err))
	}
}

func (r *replay) step(book *replayBook, f frame) {
	if f.channel == channelTrades {
		r.print(book, f.data)
		return
	}
	book.apply(r.sim.exchange, f)
	if err := book.Mirror(); err != nil {
		r.sim.log.Error("book of the recording", zap.String("symbol", book.listing.Symbol), zap.Error(err))
	}
}

// print tells the exchange of recorded trades.
func (r *replay) print(book *replayBook, data []byte) {
	var trades []struct {
		Price string `json:"px"`
		Size  string `json:"sz"`
		Side  string `json:"side"`
	}
	if json.Unmarshal(data, &trades) != nil {
		return
	}
	for _, t := range trades {
		price, badPrice := venues.ParseDecimal(t.Price)
		qty, badQty := venues.ParseDecimal(t.Size)
		side, known := sides[t.Side]
		if badPrice != nil || badQty != nil || !known {
			continue
		}
		if err := r.sim.exchange.Print(book.listing.Symbol, side, price, book.contracts(qty)); err != nil {
			r.sim.log.Debug("recorded trade is off the grid", zap.String("symbol", book.listing.Symbol), zap.Error(err))
		}
	}
}
