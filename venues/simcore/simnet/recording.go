package simnet

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore/recording"
)

// Recording is a file of a venue's public messages.
type Recording[Frame any] struct {
	Path  string
	Parse func(line []byte) (Frame, bool)
	// At is when a message was recorded; only differences matter.
	At func(Frame) time.Duration
	// Speed is how many times faster than recorded it is played; default 1.
	Speed int
}

// Each visits all messages at once until visit has enough.
func (r Recording[Frame]) Each(visit func(Frame) bool) error {
	return recording.Each(r.Path, r.Parse, visit)
}

// Play takes a step for every message when it is due, until the recording ends or
// the venue closes.
func (r Recording[Frame]) Play(v *Venue, step func(Frame)) {
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
		v.Log.Error("recording cannot be played on", zap.Error(err))
	}
}
