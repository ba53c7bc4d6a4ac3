package account

import (
	"slices"
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/venues"
)

const (
	// fundsMax is the age up to which balances and positions are returned from memory while
	// the private stream reports what changes, fundsFresh while it does not.
	fundsMax   = 10 * time.Second
	fundsFresh = time.Second
	// Readings for callers begin at most once each fundsEvery on average, with bursts of
	// fundsBurst. A reading serves all callers that wait. Clients that keep to the limit of
	// their key trade no more often, and each of their orders may cause a reading.
	fundsEvery = 500 * time.Millisecond
	fundsBurst = 5
	// fundsPause is the shortest time from a reading to one without a caller.
	fundsPause = 3 * time.Second
	// fundsDelay is how long after an event of the private stream the values that it lacks
	// (margin, liquidation price) are read.
	fundsDelay = 300 * time.Millisecond
)

// fundsPart selects balances, positions or both.
type fundsPart uint8

const (
	balancesPart fundsPart = 1 << iota
	positionsPart
	bothParts = balancesPart | positionsPart
)

func (p fundsPart) has(part fundsPart) bool { return p&part != 0 }

// Funds are an account's balances and open positions at one time.
type Funds struct {
	Balances  []venues.Balance
	Positions []venues.Position
	ReadAt    time.Time
}

// funds holds the balances, and the state of the readings of balances and positions.
type funds struct {
	balances []venues.Balance
	// valued are the open positions at the time of the balances, with their mark prices, which
	// may be unknown.
	valued []venues.Position
	// balancesRead and positionsRead are the newest readings.
	balancesRead, positionsRead fundsVersion
	// balancesChanges and positionsChanges count what makes earlier readings outdated: changes
	// of orders, fills and leverage. What only the private stream reports is often included in
	// the last reading, and causes a planned one.
	balancesChanges, positionsChanges uint64

	// reading is set during a reading, which began at beganAt and serves the callers in served.
	reading bool
	beganAt time.Time
	served  []getFunds
	// budgetUsedTo is a token bucket as a time: each reading for callers moves it on by
	// fundsEvery, from now at the earliest. The next one may begin while it is less than
	// fundsBurst readings ahead of now.
	budgetUsedTo time.Time
	// waiting are the callers of the next reading, which begins at waitingDue. A reading for
	// the account itself begins at plannedDue; zero for none.
	waiting    []getFunds
	waitingDue time.Time
	plannedDue time.Time
}

// fundsVersion identifies a reading: when it began, and the changes that were known then.
type fundsVersion struct {
	at      time.Time
	changes uint64
}

// getFunds answers from memory if nothing is known to have changed since it was read, else,
// or if the caller demands it, after a reading that begins now or later.
func (s *state) getFunds(step stepContext, in getFunds) {
	if !in.mustRead && s.isCurrent(step.now, in.part) {
		s.after(replyFunds{to: in.fundsReply, value: s.currentFunds(step)})
		return
	}
	s.funds.waiting = append(s.funds.waiting, in)
	s.awaitFunds(step)
}

// isCurrent reports whether a part of the funds in memory may be returned.
func (s *state) isCurrent(now time.Time, part fundsPart) bool {
	f := &s.funds
	return (!part.has(balancesPart) || s.covers(now, f.balancesRead, f.balancesChanges)) &&
		(!part.has(positionsPart) || (s.covers(now, f.positionsRead, f.positionsChanges) && !s.positions.HasMismatch()))
}

// covers reports whether a reading is recent and no change is known that it may lack. The
// private stream reports changes since it was connected.
func (s *state) covers(now time.Time, read fundsVersion, changes uint64) bool {
	ageMax := fundsFresh
	if s.stream.coversSince(read.at) {
		ageMax = fundsMax
	}
	return !read.at.IsZero() && read.changes == changes && now.Sub(read.at) < ageMax
}

// awaitFunds schedules the reading for which callers wait.
func (s *state) awaitFunds(step stepContext) {
	s.funds.waitingDue = deadline.Later(step.now, s.funds.budgetUsedTo.Add(-(fundsBurst-1)*fundsEvery))
	s.fundsTick(step)
}

// readFunds requests a reading for the account itself.
func (s *state) readFunds(step stepContext) {
	s.funds.plannedDue = step.now
	s.fundsTick(step)
}

// planFunds requests a reading after fundsDelay, so that several changes cause one reading.
func (s *state) planFunds(step stepContext) {
	due := deadline.Later(step.now.Add(fundsDelay), s.funds.beganAt.Add(fundsPause))
	s.funds.plannedDue = deadline.Earlier(s.funds.plannedDue, due)
}

// due returns when fundsTick has something to do; zero for never.
func (f *funds) due() time.Time {
	if f.reading {
		return time.Time{}
	}
	return deadline.Earlier(f.plannedDue, f.waitingDue)
}

// fundsTick starts a reading that is due. It reads what its callers require, and everything if
// it is for the account itself.
func (s *state) fundsTick(step stepContext) {
	f := &s.funds
	if f.reading || !deadline.Passed(f.due(), step.now) {
		return
	}
	call := callFunds{versions: s.fundsVersions()}
	for _, in := range f.waiting {
		call.part |= in.part
	}
	if deadline.Passed(f.plannedDue, step.now) {
		call.part, f.plannedDue = bothParts, time.Time{}
	}
	if len(f.waiting) > 0 {
		f.budgetUsedTo = deadline.Later(f.budgetUsedTo, step.now).Add(fundsEvery)
	}
	f.reading, f.beganAt = true, step.now
	f.served, f.waiting, f.waitingDue = f.waiting, nil, time.Time{}
	s.after(call)
}

// fundsVersions are the numbers of changes that a reading which begins now includes.
type fundsVersions struct{ balances, positions uint64 }

func (s *state) fundsVersions() fundsVersions {
	return fundsVersions{s.funds.balancesChanges, s.funds.positionsChanges}
}

// fundsRead applies the result of a reading and answers its callers. After an error it
// answers all callers.
func (s *state) fundsRead(step stepContext, in fundsDone) {
	f := &s.funds
	f.reading = false
	if in.err == nil {
		s.applyFunds(step, in.funds, in.part, in.versions)
	} else if s.positions.HasPending() { // a close awaits the list
		s.recon.request(step.now.Add(reconcileRetry))
	}
	answered, waiting := f.served, f.waiting
	f.served, f.waiting = nil, nil
	for _, caller := range waiting {
		if in.err != nil || (!caller.mustRead && s.isCurrent(step.now, caller.part)) {
			answered = append(answered, caller)
		} else {
			f.waiting = append(f.waiting, caller)
		}
	}
	for _, caller := range answered {
		s.after(replyFunds{to: caller.fundsReply, value: s.currentFunds(step), err: in.err})
	}
	f.waitingDue = time.Time{}
	if len(f.waiting) > 0 {
		s.awaitFunds(step)
	}
}

// applyFunds applies balances and positions that were read. Balances that are older than the
// known ones are ignored: several readings may be under way, some behind the venue's limits.
func (s *state) applyFunds(step stepContext, read Funds, part fundsPart, versions fundsVersions) {
	if part.has(positionsPart) {
		s.updatePositions(step, read.Positions, read.ReadAt)
		s.funds.positionsRead = fundsVersion{read.ReadAt, versions.positions}
	}
	if part.has(balancesPart) && !read.ReadAt.Before(s.funds.balancesRead.at) {
		s.setBalances(step, read.Balances)
		s.funds.balancesRead = fundsVersion{read.ReadAt, versions.balances}
	}
}

func (s *state) setBalances(step stepContext, balances []venues.Balance) {
	changed := len(balances) != len(s.funds.balances)
	for i := range balances {
		balances[i].Exchange = s.exchange
		changed = changed || !equalBalance(&balances[i], &s.funds.balances[i])
	}
	s.funds.balances = balances
	s.funds.valued = s.positions.Listed()
	for i := range s.funds.valued {
		s.funds.valued[i].MarkPrice = step.liveMark(s.funds.valued[i].Symbol)
	}
	if changed {
		s.after(publishBalances{balances})
	}
}

func equalBalance(a, b *venues.Balance) bool {
	return a.Currency == b.Currency && a.AccountType == b.AccountType && a.Equity.Equal(b.Equity) &&
		a.Available.Equal(b.Available) && a.UsedMargin.Equal(b.UsedMargin) && a.UnrealizedPnl.Equal(b.UnrealizedPnl)
}

// currentFunds returns balances and positions as of now.
func (s *state) currentFunds(step stepContext) Funds {
	return Funds{Balances: s.currentBalances(step), Positions: s.positions.Current(s.forPositions(step), step.liveMark)}
}

// currentBalances returns the balances with the unrealized P&L at the live mark prices: it and
// the equity have changed with the marks since the venue has reported them.
func (s *state) currentBalances(step stepContext) []venues.Balance {
	list := slices.Clone(s.funds.balances)
	for _, p := range s.funds.valued {
		before, now := p.MarkPrice, step.liveMark(p.Symbol)
		currency := step.settlesIn(p.Symbol)
		i := slices.IndexFunc(list, func(b venues.Balance) bool { return b.Currency == currency })
		if i < 0 || !before.Valid || !now.Valid {
			continue
		}
		gain := p.Gain(now.Decimal.Sub(before.Decimal))
		list[i].UnrealizedPnl = list[i].UnrealizedPnl.Add(gain)
		list[i].Equity = list[i].Equity.Add(gain)
	}
	return list
}

// updatePositions replaces the open positions by the venue's list, read at readAt.
func (s *state) updatePositions(step stepContext, list []venues.Position, readAt time.Time) {
	open := s.positions.Update(s.forPositions(step), list, readAt)
	s.protection(step).WithdrawOrphans(open, readAt)
	s.positions.Compare(s.forPositions(step), readAt)
}

// positionReported applies an event of the private stream and schedules a reading of the
// values that only REST returns. Until then the mark price is that of the market.
func (s *state) positionReported(step stepContext, p venues.Position) {
	if p.Qty.IsPositive() && !p.MarkPrice.Valid {
		p.MarkPrice = step.mark(p.Symbol)
	}
	s.positions.Report(s.forPositions(step), p)
	s.planFunds(step)
}

// leverageChanged marks balances and positions in memory as outdated.
func (s *state) leverageChanged(step stepContext) {
	s.funds.balancesChanges++
	s.funds.positionsChanges++
	s.planFunds(step)
}
