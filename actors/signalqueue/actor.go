// Package signalqueue is the actor that keeps the signals of one customer in order:
// signals for the same account and symbol are carried out one after the other, in
// the order in which they were received, whichever channel they came through.
//
// A channel enters a slot for each signal. The slot is granted when every earlier
// slot that overlaps with it has been released. A slot for all symbols, or for all
// accounts, overlaps with each of them.
//
//	slot 1  binance BTCUSDT    granted
//	slot 2  binance ETHUSDT    granted
//	slot 3  binance *          waits for 1 and 2
//	slot 4  binance BTCUSDT    waits for 1 and 3
//	slot 5  okx     BTCUSDT    granted
//
// A channel that restarts calls Client.Retain with the ids of the slots that it still
// needs, and the others are released. When the service starts, nothing is granted until
// each channel has called Retain, so that signals from before the start are not
// overtaken by new ones of another channel.
package signalqueue

import (
	"time"

	"venuegate/actors"
)

// Name is the actor's name under its customer.
const Name = "signalqueue"

// channelsWaitMax bounds the wait for Retain at the start: a channel that cannot load
// its signals must not block the others forever.
const channelsWaitMax = 10 * time.Second

// Child returns the specification of the actor. channels are the ids of the channels
// that may have signals left from before the start; see Client.Retain.
func Child(channels ...string) actors.Child {
	return actors.Child{
		Name: Name, MailboxMax: slotsMax,
		Producer: func() actors.Behaviour { return &behaviour{state: newState(channels)} },
	}
}

type behaviour struct{ state state }

// Started starts the timer that bounds the wait for Retain.
func (b *behaviour) Started(ctx *actors.Context) {
	if len(b.state.missing) > 0 {
		ctx.Timers().After("start", channelsWaitMax, startDue{})
	}
}

// Receive handles one message.
func (b *behaviour) Receive(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case enter:
		granted, ok := b.state.enter(in)
		if !ok {
			in.Reject(actors.ErrBusy)
			return
		}
		notify(granted)
	case release:
		notify(b.state.release(func(s *slot) bool { return s.channel == in.channel && s.id == in.id }))
	case retain:
		notify(b.state.retain(in.channel, in.ids))
	case startDue:
		notify(b.state.start())
	default:
		ctx.Unhandled(msg)
	}
}

// notify answers the callers of granted entries.
func notify(granted []*entry) {
	for _, e := range granted {
		e.Send(struct{}{})
	}
}
