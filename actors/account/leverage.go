package account

import (
	"context"

	"venuegate/actors"
	"venuegate/venues"
)

type leverageDone struct {
	to     actors.Reply[venues.LeverageChange]
	change venues.LeverageChange
	err    error
}

// changeLeverage asks the venue. It is an operation of its own and never the
// side effect of an order; nothing about it needs to be remembered.
func (a *account) changeLeverage(ctx *actors.Context, in changeLeverage) {
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		change, err := a.deps.Venue.SetLeverage(c, in.cmd.Symbol, in.cmd.Leverage)
		return leverageDone{in.Reply, change, err}
	}, leverageDone{to: in.Reply, err: errPoolFull})
}

func (a *account) leverageChanged(in leverageDone) {
	a.state.balancesMoved() // margin is computed anew
	if in.err != nil {
		in.to.Reject(in.err)
		return
	}
	in.to.Send(in.change)
}
