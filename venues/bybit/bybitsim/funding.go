package bybitsim

import "venuegate/venues/simcore"

// funding returns the execution of a funding payment, nil for any other change.
func (u *users) funding(event *simcore.AccountEvent, c *change) *execution {
	if event.Reason != simcore.AccountFunding {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.change(positionKey{event.Account, event.Symbol, event.Funded.Side}).pay(event.Change)
	e := fundingOf(event, c.at, c.seq)
	return &e
}
