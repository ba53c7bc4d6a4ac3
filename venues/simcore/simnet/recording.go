package simnet

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
)

// Recording is a file of a venue's public messages, played as its market.
type Recording[Frame any] struct {
	Path  string
	Parse func(line []byte) (Frame, bool)
	// At returns when a message was recorded; only differences matter.
	At func(Frame) time.Duration
	// Speed is how many times faster than recorded it is played; default 1.
	Speed int
}

// Each calls visit for all messages, without delay, until visit returns false.
func (r Recording[Frame]) Each(visit func(Frame) bool) error {
	return recording.Each(r.Path, r.Parse, visit)
}

// PlayOn prepares the recording now and plays it from Serve on: step is called for
// every message when it is due, until the recording ends or the venue closes. The
// error is that of prepare, or [ErrServing].
func (r Recording[Frame]) PlayOn(v *Venue, prepare func() error, step func(Frame)) error {
	return v.useRecording(prepare, func() { r.play(v, step) })
}

func (r Recording[Frame]) play(v *Venue, step func(Frame)) {
	started, begun, first := v.Clock.Base(), false, time.Duration(0)
	err := r.Each(func(f Frame) bool {
		at := r.At(f)
		if !begun {
			begun, first = true, at
		}
		due := started.Add((at - first) / time.Duration(max(1, r.Speed)))
		if !v.Server.Wait(due.Sub(v.Clock.Base())) {
			return false
		}
		step(f)
		return true
	})
	if err != nil {
		v.Log.Error("recording cannot be read further", zap.Error(err))
	}
}

// PrintRecorded prints a recorded trade of a book's symbol on the exchange.
func (v *Venue) PrintRecorded(book *recording.Book, taker simcore.Side, price, qty string) {
	if err := book.Print(taker, price, qty); err != nil {
		v.Log.Debug("recorded trade is off the grid", zap.String("symbol", book.Symbol()), zap.Error(err))
	}
}

// MirrorRecorded puts a recorded book behind the matching engine, at most once in
// an interval of the base clock.
func (v *Venue) MirrorRecorded(book *recording.Book, interval time.Duration) {
	if err := book.MirrorPaced(v.Clock.Base(), interval); err != nil {
		v.Log.Error("recorded book cannot be mirrored", zap.String("symbol", book.Symbol()), zap.Error(err))
	}
}
