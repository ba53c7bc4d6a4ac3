package okxsim

import (
	"encoding/json"
	"fmt"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
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

	sim   *Sim
	books map[string]*recording.Book // by the recorded instrument
}

// Replay plays a recording as the market of those listed swaps whose book it
// contains, from Serve on. A pair of the spot market is played as its swap, with
// sizes truncated to whole lots.
//
// The exchange follows the recorded book and prints the recorded trades. Streams and
// REST publish them in the simulator's own messages and numbers, because recordings
// of the venue may be older than its numbering. Orders match against the recorded
// book.
func (s *Sim) Replay(path string, options ReplayOptions) error {
	r := &replay{
		Recording: simnet.Recording[frame]{Path: path, Parse: parseFrame, At: frame.time, Speed: options.Speed},
		sim:       s, books: map[string]*recording.Book{},
	}
	return r.PlayOn(s.Venue, r.prepare, r.step)
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

// survey reads the whole recording once, for the first snapshot of each book.
func (r *replay) survey() error {
	played := map[string]bool{}
	err := r.Each(func(f frame) bool {
		l, convert := r.sim.recordedAs(f.instID)
		if l != nil && f.channel == channelBooks && f.whole && !played[l.Symbol] {
			book := recording.NewBook(r.sim.Exchange(), l.Symbol)
			book.Convert = convert
			applyRecorded(book, f)
			r.books[f.instID], played[l.Symbol] = book, true
		}
		return true
	})
	if err == nil && len(r.books) == 0 {
		err = fmt.Errorf("recording %s has no book of a listed instrument", r.Path)
	}
	return err
}

// applyRecorded applies a recorded message to the book.
func applyRecorded(book *recording.Book, f frame) {
	var sides []struct{ Bids, Asks [][2]string }
	if json.Unmarshal(f.data, &sides) != nil {
		return
	}
	if f.whole {
		book.Clear()
	}
	for _, rows := range sides {
		book.Put(book.Changes(simcore.Buy, rows.Bids))
		book.Put(book.Changes(simcore.Sell, rows.Asks))
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
	applyRecorded(book, f)
	r.sim.MirrorRecorded(book, 0)
}

// print prints recorded trades on the exchange.
func (r *replay) print(book *recording.Book, data []byte) {
	var trades []struct {
		Price string `json:"px"`
		Size  string `json:"sz"`
		Side  string `json:"side"`
	}
	if json.Unmarshal(data, &trades) != nil {
		return
	}
	for _, t := range trades {
		if side, known := sides[t.Side]; known {
			r.sim.PrintRecorded(book, side, t.Price, t.Size)
		}
	}
}
