package account

import (
	"maps"
	"slices"
	"sort"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

const (
	// fundsFresh is how old balances and positions may be when they are read.
	// Younger ones are served from memory, so that many readers cost the venue
	// one request.
	fundsFresh = time.Second
	// fundsSettle is how long after an event of the private stream the rest of
	// the record (margin, liquidation price) is read again.
	fundsSettle = 300 * time.Millisecond
)

// Funds are an account's balances and open positions at one moment.
type Funds struct {
	Balances  []venues.Balance
	Positions []venues.Position
	ReadAt    time.Time
	// closable are the positions as a closing order must see them: where the
	// executions know more than the venue's list, as they say.
	closable []venues.Position
}

type fundsReply = actors.Reply[Funds]

// funds is what is known of balances and positions.
type funds struct {
	balances  []venues.Balance
	positions map[string]venues.Position
	// closedAt is when the stream told the end of a position, until a later
	// reading has agreed.
	closedAt map[string]time.Time
	// asOf is when what is known of each position was so at the earliest.
	asOf   map[string]time.Time
	readAt time.Time
	// provedAt is when the newest reading that succeeded began.
	provedAt time.Time
	// reading is under way; planned will begin after fundsSettle; again says
	// that something moved meanwhile.
	reading bool
	planned bool
	again   bool
	waiters []fundsReply
}

func (s *state) getFunds(m moment, in getFunds) {
	if !s.funds.readAt.IsZero() && m.now.Sub(s.funds.readAt) < fundsFresh {
		s.after(replyFunds{to: in.fundsReply, funds: s.currentFunds()})
		return
	}
	s.funds.waiters = append(s.funds.waiters, in.fundsReply)
	s.readFunds()
}

// readFunds reads balances and positions once for all who want them.
func (s *state) readFunds() {
	s.funds.planned = false
	if s.funds.reading {
		s.funds.again = true
		return
	}
	s.funds.reading = true
	s.after(callFunds{})
}

// planFunds reads them soon, together with what else moves until then.
func (s *state) planFunds() {
	if !s.funds.planned {
		s.funds.planned = true
		s.after(planFunds{})
	}
}

func (s *state) currentFunds() Funds {
	return Funds{Balances: s.funds.balances, Positions: s.positions(), ReadAt: s.funds.readAt, closable: s.closable()}
}

func (s *state) positions() []venues.Position { return inKeyOrder(s.funds.positions) }

func inKeyOrder(positions map[string]venues.Position) []venues.Position {
	list := slices.Collect(maps.Values(positions))
	sort.Slice(list, func(i, j int) bool { return list[i].Key() < list[j].Key() })
	return list
}

// closable is the venue's list with what the executions have told since: it may
// lack a position for positionLag after the fill that opened it.
func (s *state) closable() []venues.Position {
	known := maps.Clone(s.funds.positions)
	for _, b := range s.ledger.books {
		for _, side := range []venues.PositionSide{venues.Long, venues.Short} {
			p := venues.Position{Exchange: s.exchange, Symbol: b.symbol, Side: side}
			key := p.Key()
			listed, is := s.funds.positions[key]
			told := s.funds.asOf[key]
			if !is {
				told = s.funds.provedAt.Add(-positionLag)
			}
			if !b.heardAt.After(told) {
				continue
			}
			if is {
				p = listed
			}
			if p.Qty = openQty(b.now.of(side)); p.Qty.IsPositive() {
				known[key] = p
			} else {
				delete(known, key)
			}
		}
	}
	return inKeyOrder(known)
}

// fundsRead takes balances and positions read by REST.
func (s *state) fundsRead(m moment, in fundsDone) {
	s.funds.reading = false
	if in.err == nil {
		s.takeBalances(in.funds.Balances)
		s.takePositions(m, in.funds.Positions, in.funds.ReadAt)
		s.funds.readAt = in.funds.ReadAt
	} else if len(s.ledger.waiting) > 0 { // ends wait for what it would have told
		s.recon.due = earlier(s.recon.due, m.now.Add(reconcileRetry))
	}
	for _, waiter := range s.funds.waiters {
		s.after(replyFunds{to: waiter, funds: s.currentFunds(), err: in.err})
	}
	s.funds.waiters = nil
	if s.funds.again {
		s.funds.again = false
		s.planFunds()
	}
}

func (s *state) takeBalances(balances []venues.Balance) {
	changed := len(balances) != len(s.funds.balances)
	for i := range balances {
		balances[i].Exchange = s.exchange
		changed = changed || !equalBalance(&balances[i], &s.funds.balances[i])
	}
	s.funds.balances = balances
	if changed {
		s.after(publishBalances{balances})
	}
}

func equalBalance(a, b *venues.Balance) bool {
	return a.Currency == b.Currency && a.AccountType == b.AccountType && a.Equity.Equal(b.Equity) &&
		a.Available.Equal(b.Available) && a.UsedMargin.Equal(b.UsedMargin) && a.UnrealizedPnl.Equal(b.UnrealizedPnl)
}

// takePositions replaces the open positions; one that is gone was closed. A
// reading that began before the stream's last word knows less than it.
func (s *state) takePositions(m moment, list []venues.Position, readAt time.Time) {
	s.funds.provedAt = readAt
	open := make(map[string]bool, len(list))
	for _, p := range list {
		open[p.Key()] = true
		if closedAt, closed := s.funds.closedAt[p.Key()]; closed && !closedAt.Before(readAt) {
			continue
		}
		if before, known := s.funds.positions[p.Key()]; !known || before.UpdatedAt.Before(readAt) {
			s.takePosition(m, p)
			s.funds.asOf[p.Key()] = readAt
		}
	}
	for _, p := range s.positions() {
		if !open[p.Key()] && p.UpdatedAt.Before(readAt) {
			s.closePosition(m, p, readAt.Add(-positionLag))
		}
	}
	maps.DeleteFunc(s.funds.closedAt, func(_ string, closedAt time.Time) bool { return closedAt.Before(readAt) })
	s.withdrawOrphans(m, open, readAt)
	s.doubtPositions(m, readAt)
}

func (s *state) takePosition(m moment, p venues.Position) {
	p.Exchange = s.exchange
	before, known := s.funds.positions[p.Key()]
	switch {
	case known:
		p.OpenedAt = before.OpenedAt
	case s.ready:
		p.OpenedAt = venues.At(m.now) // one that was there before us has no known beginning
	}
	p = s.withStops(p)
	p.UpdatedAt = venues.At(m.now)
	s.funds.positions[p.Key()] = p
	s.book(p.Symbol).list(p.Side, p.Qty)
	if b := s.ledger.waiting[p.Symbol]; b != nil {
		s.touchBook(b) // it may have turned round
	}
	if !known || !equalPosition(&before, &p) {
		s.after(publishPosition{p})
	}
}

func equalPosition(a, b *venues.Position) bool {
	return a.Qty.Equal(b.Qty) && venues.EqualOptional(a.EntryPrice, b.EntryPrice) &&
		venues.EqualOptional(a.MarkPrice, b.MarkPrice) && venues.EqualOptional(a.UnrealizedPnl, b.UnrealizedPnl) &&
		venues.EqualOptional(a.LiquidationPrice, b.LiquidationPrice) && venues.EqualOptional(a.Leverage, b.Leverage) &&
		venues.EqualOptional(a.StopLoss, b.StopLoss) && venues.EqualOptional(a.TakeProfit, b.TakeProfit)
}

// closePosition takes the end of a position, which is told once its executions
// agree. It was flat at flatAt.
func (s *state) closePosition(m moment, p venues.Position, flatAt time.Time) {
	s.positionEnded(m, s.dropPosition(m, p, flatAt))
}

// dropPosition takes a closed position off the list.
func (s *state) dropPosition(m moment, p venues.Position, flatAt time.Time) venues.Position {
	delete(s.funds.positions, p.Key())
	delete(s.funds.asOf, p.Key())
	p.Qty = p.Qty.Sub(p.Qty)
	p.UnrealizedPnl, p.LiquidationPrice = venues.Optional{}, venues.Optional{}
	p.StopLoss, p.TakeProfit = venues.Optional{}, venues.Optional{}
	p.UpdatedAt = venues.At(m.now)
	s.positionGone(m, &p, flatAt)
	return p
}

// position takes an event of the private stream. It lacks what only REST tells,
// so a reading follows; the mark price is that of the market until then.
func (s *state) position(m moment, p venues.Position) {
	if !p.Qty.IsPositive() {
		s.funds.closedAt[p.Key()] = m.now
		if before, known := s.funds.positions[p.Key()]; known {
			flatAt := p.UpdatedAt.Time
			if flatAt.IsZero() {
				flatAt = m.now
			}
			s.closePosition(m, before, flatAt)
		}
	} else {
		delete(s.funds.closedAt, p.Key())
		before := s.funds.positions[p.Key()]
		if !p.MarkPrice.Valid {
			p.MarkPrice = m.mark(p.Symbol)
		}
		s.takePosition(m, merge(before, p))
		s.funds.asOf[p.Key()] = m.now
	}
	s.balancesMoved()
}

// merge keeps what the newer record does not tell.
func merge(before, p venues.Position) venues.Position {
	keep := func(newer *venues.Optional, older venues.Optional) {
		if !newer.Valid {
			*newer = older
		}
	}
	keep(&p.EntryPrice, before.EntryPrice)
	keep(&p.MarkPrice, before.MarkPrice)
	keep(&p.LiquidationPrice, before.LiquidationPrice)
	keep(&p.UnrealizedPnl, before.UnrealizedPnl)
	keep(&p.Leverage, before.Leverage)
	keep(&p.StopLoss, before.StopLoss)
	keep(&p.TakeProfit, before.TakeProfit)
	if p.AccountType == "" {
		p.AccountType = before.AccountType
	}
	if p.MarginMode == "" {
		p.MarginMode = before.MarginMode
	}
	return p
}

// balancesMoved makes the next read ask the venue, and reads soon for the
// stream.
func (s *state) balancesMoved() {
	s.funds.readAt = time.Time{}
	s.planFunds()
}
