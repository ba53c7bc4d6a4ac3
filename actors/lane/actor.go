package lane

import (
	"time"

	"venuegate/actors"
)

// Name is the actor's name under its customer.
const Name = "lanes"

// holdersWaitMax bounds the wait for the holders at the start: one that cannot
// say what it has left must not keep the others for ever.
const holdersWaitMax = 10 * time.Second

// Child describes the lanes for their supervisor. holders are those who may have
// something left from before; see Client.Retain.
func Child(holders ...string) actors.Child {
	return actors.Child{
		Name: Name, MailboxMax: ticketsMax,
		Producer: func() actors.Behaviour { return &behaviour{state: newState(holders)} },
	}
}

type behaviour struct{ state state }

// Started begins the wait for the holders.
func (b *behaviour) Started(ctx *actors.Context) {
	if len(b.state.missing) > 0 {
		ctx.Timers().After("begin", holdersWaitMax, beginDue{})
	}
}

// Receive dispatches.
func (b *behaviour) Receive(ctx *actors.Context, msg any) {
	switch in := msg.(type) {
	case enter:
		calls, taken := b.state.enter(in)
		if !taken {
			in.Reject(actors.ErrBusy)
			return
		}
		call(calls)
	case giveBack:
		call(b.state.end(func(t *ticket) bool { return t.holder == in.holder && t.id == in.id }))
	case retain:
		call(b.state.retain(in.holder, in.ids))
	case beginDue:
		call(b.state.begin())
	default:
		ctx.Unhandled(msg)
	}
}

func call(places []*place) {
	for _, p := range places {
		p.Send(struct{}{})
	}
}
