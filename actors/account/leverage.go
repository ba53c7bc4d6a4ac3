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

// changeLeverage sends the change to the venue. Nothing is stored. No other command changes
// leverage.
func (a *account) changeLeverage(ctx *actors.Context, in changeLeverage) {
	a.call(ctx, a.deps.OrderPool, func(c context.Context) any {
		change, err := a.deps.Venue.SetLeverage(c, in.cmd.Symbol, in.cmd.Leverage)
		return leverageDone{in.Reply, change, err}
	}, func() any { return leverageDone{to: in.Reply, err: errPoolFull} })
}

func (a *account) leverageChanged(in leverageDone) {
	a.state.leverageChanged(a.context)
	if in.err != nil {
		in.to.Reject(in.err)
		return
	}
	in.to.Send(in.change)
}
