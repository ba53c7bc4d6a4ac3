package lane

import "venuegate/actors"

// Name is the actor's name under its customer.
const Name = "lanes"

// Child describes the lanes for their supervisor.
func Child() actors.Child {
	return actors.Child{
		Name: Name, MailboxMax: ticketsMax,
		Producer: func() actors.Behaviour { return &behaviour{} },
	}
}

type behaviour struct{ state state }

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
	case leave:
		call(b.state.end(func(t *ticket) bool { return t.holder == in.holder }))
	default:
		ctx.Unhandled(msg)
	}
}

func call(places []*place) {
	for _, p := range places {
		p.Send(struct{}{})
	}
}
