package okxsim

import (
	"encoding/json"
	"errors"
	"fmt"

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

	sim   *Sim
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
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*replayBook{},
	}
	return s.Rehearse(func() (func(), error) {
		return func() { r.Play(s.Venue, r.step) }, r.prepare()
	})
}

// prepare reads the recording and puts the markets where it begins.
func (r *replay) prepare() error {
	if err := r.survey(); err != nil {
		return err
	}
	for _, book := range r.books {
		name, x := book.listing.Canonical, r.sim.Exchange()
		if err := errors.Join(x.Pause(name, true), x.MovePrice(name, book.Best(simcore.Buy)), book.Mirror()); err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
	}
	return nil
}

// survey reads the whole recording once, for the first snapshot of each book.
func (r *replay) survey() error {
	played := map[string]bool{}
	err := r.Each(func(f frame) bool {
		as, listed := r.sim.recordedAs(f.instID)
		if listed && f.channel == channelBooks && f.whole && !played[as.listing.Symbol] {
			book := &replayBook{as, recording.NewBook(r.sim.Exchange(), as.listing.Symbol)}
			book.apply(r.sim.Exchange(), f)
			r.books[f.instID], played[as.listing.Symbol] = book, true
		}
		return true
	})
	if err == nil && len(r.books) == 0 {
		err = fmt.Errorf("recording %s has no book of a listed instrument", r.Path)
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

// step plays one message of a recorded market.
func (r *replay) step(f frame) {
	book := r.books[f.instID]
	if book == nil {
		return
	}
	if f.channel == channelTrades {
		r.print(book, f.data)
		return
	}
	book.apply(r.sim.Exchange(), f)
	if err := book.Mirror(); err != nil {
		r.sim.Log.Error("book of the recording", zap.String("symbol", book.listing.Symbol), zap.Error(err))
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
		if err := r.sim.Exchange().Print(book.listing.Symbol, side, price, book.contracts(qty)); err != nil {
			r.sim.Log.Debug("recorded trade is off the grid", zap.String("symbol", book.listing.Symbol), zap.Error(err))
		}
	}
}
