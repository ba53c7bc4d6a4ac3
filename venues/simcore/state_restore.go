package simcore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// restoration restores an exchange from the entries of a state file.
type restoration struct {
	exchange *Exchange
	part     StatePart
	// found is set by the first entry.
	found   bool
	markets map[string]storedMarket
	bars    map[string]*candleStore
}

// load restores one entry. Orders and markets are put into the books by finish.
func (r *restoration) load(e stateEntry) error {
	if !r.found {
		r.found, r.bars = true, map[string]*candleStore{}
	}
	var err error
	switch e.Kind {
	case kindCounters:
		err = decodeInto(e.Value, func(c *counters) error { r.exchange.setCounters(*c); return nil })
	case kindAccount:
		err = decodeInto(e.Value, r.account)
	case kindChange:
		err = decodeInto(e.Value, r.change)
	case kindWaitingOrder:
		err = decodeInto(e.Value, r.conditional)
	case kindAccountOrder:
		err = decodeInto(e.Value, r.order)
	case kindBar:
		err = decodeInto(e.Value, r.bar)
	case kindFunding:
		err = decodeInto(e.Value, r.funding)
	case kindMarket:
		err = decodeInto(e.Value, r.market)
	default:
		var known bool
		if known, err = r.part.Load(e.Kind, e.Value); err == nil && !known {
			err = errors.New("unknown kind")
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Kind, err)
	}
	return nil
}

func decodeInto[T any](value json.RawMessage, restore func(*T) error) error {
	var decoded T
	if err := json.Unmarshal(value, &decoded); err != nil {
		return err
	}
	return restore(&decoded)
}

func (r *restoration) listed(name string) (*symbol, error) {
	if s, rejection := r.exchange.symbol(name); rejection == nil {
		return s, nil
	}
	return nil, fmt.Errorf("%s is not listed", name)
}

func (r *restoration) owner(id string) (*account, error) {
	if a, rejection := r.exchange.account(id); rejection == nil {
		return a, nil
	}
	return nil, fmt.Errorf("there is no account %s", id)
}

func (r *restoration) account(stored *storedAccount) error {
	x := r.exchange
	a := x.accounts[stored.ID]
	if a == nil {
		a = x.addAccount(stored.ID)
	}
	delete(x.byKey, a.credentials.APIKey)
	a.credentials, a.permissions, a.mode, a.wallet = stored.Credentials, stored.Permissions, stored.Mode, stored.Wallet
	a.feeMaker, a.feeTaker, a.updatedAt, a.warned = stored.FeeMaker, stored.FeeTaker, stored.UpdatedAt, stored.Warned
	x.byKey[a.credentials.APIKey] = a
	for i := range stored.Holdings {
		held := &stored.Holdings[i]
		s, err := r.listed(held.Symbol)
		if err != nil {
			return err
		}
		h := a.holding(s)
		h.leverage, h.isolated = held.Leverage, held.Isolated
		for side, p := range held.Positions {
			h.positions[side] = position{PositionSide(side), p.Lots, p.Cost, p.Realized, p.Isolated, p.OpenedAt, p.UpdatedAt}
		}
	}
	return nil
}

func (r *restoration) change(stored *storedChange) error {
	a, err := r.owner(stored.Account)
	if err != nil {
		return err
	}
	a.changes = appendBounded(a.changes, stored.Change, changesMax)
	if stored.Change.Fill != nil {
		a.addFill(*stored.Change.Fill)
	}
	return nil
}

func (r *restoration) order(stored *storedOrder) error {
	a, err := r.owner(stored.Account)
	if err != nil {
		return err
	}
	s, err := r.listed(stored.Symbol)
	if err != nil {
		return err
	}
	o := stored.Order
	o.terms, o.ticks, o.lots, o.filledLots = s.terms, stored.Ticks, stored.Lots, stored.Filled
	o.quote, o.queued = stored.Quote, stored.Queued
	if o.Detail, err = r.detail(stored.Extra); err != nil {
		return err
	}
	if c := a.conditionals.byID[o.Parent]; c != nil && o.Parent != 0 {
		// Both have one detail, of which that of the order is the newer.
		c.Request.Detail = o.Detail
	}
	if known := a.orders[o.ID]; known != nil {
		*known = o
		return nil
	}
	a.addOrder(&o)
	return nil
}

func (r *restoration) conditional(stored *storedConditional) error {
	a, err := r.owner(stored.Request.Account)
	if err != nil {
		return err
	}
	if _, err := r.listed(stored.Request.Symbol); err != nil {
		return err
	}
	c := stored.Conditional
	c.fireAt, c.activated, c.extreme = stored.FireAt, stored.Activated, stored.Extreme
	if c.Request.Detail, err = r.detail(stored.Extra); err != nil {
		return err
	}
	if o := a.orders[c.OrderID]; o != nil && o.Parent == c.ID {
		c.Request.Detail = o.Detail
	}
	if known := a.conditionals.byID[c.ID]; known != nil {
		*known = c
		return nil
	}
	a.conditionals.add(&c)
	return nil
}

func (r *restoration) detail(encoded json.RawMessage) (any, error) {
	if len(encoded) == 0 || bytes.Equal(encoded, []byte("null")) {
		return nil, nil //nolint:nilnil // an order need not have one
	}
	return r.part.Detail(encoded)
}

func (r *restoration) bar(stored *storedBar) error {
	if _, err := r.listed(stored.Symbol); err != nil {
		return err
	}
	if stored.Series < 0 || stored.Series >= len(storedSeries) {
		return fmt.Errorf("unknown series %d", stored.Series)
	}
	store := r.bars[stored.Symbol]
	if store == nil {
		store = &candleStore{series: storedSeries}
		r.bars[stored.Symbol] = store
	}
	into := &store.series[stored.Series]
	into.bars = appendBounded(into.bars, stored.Bar.bar(), into.kept)
	return nil
}

func (r *restoration) funding(stored *storedFunding) error {
	s, err := r.listed(stored.Symbol)
	if err == nil {
		s.fundings = appendBounded(s.fundings, stored.Payment, fundingsKept)
	}
	return err
}

func (r *restoration) market(stored *storedMarket) error {
	_, err := r.listed(stored.Symbol)
	r.markets[stored.Symbol] = *stored
	return err
}

// finish opens the markets again and puts the open orders back into the books. A symbol
// that was listed later keeps its new market.
func (r *restoration) finish() {
	x := r.exchange
	if !r.found {
		return
	}
	r.openMarkets()
	r.restOrders()
	r.waitForTriggers()
	for _, name := range x.names {
		x.placeRestoredLadder(x.symbols[name])
		x.flushBook(x.symbols[name])
	}
	r.restoreLedger()
}

func (r *restoration) openMarkets() {
	x := r.exchange
	for _, name := range x.names {
		s := x.symbols[name]
		x.clearHouse(s)
		stored, known := r.markets[name]
		if !known {
			continue
		}
		s.candles.series = storedSeries
		if store := r.bars[name]; store != nil {
			s.candles.series = store.series
		}
		x.restoreMarket(s, &stored)
	}
}

// waitForTriggers adds the conditional orders that are open to their markets, and those
// that have triggered to the due ones.
func (r *restoration) waitForTriggers() {
	x := r.exchange
	for _, id := range x.ids {
		for _, c := range x.accounts[id].conditionals.history {
			switch c.Status {
			case ConditionalWaiting:
				s := x.symbols[c.Request.Symbol]
				s.conditionals = append(s.conditionals, c)
			case ConditionalTriggering:
				x.due = append(x.due, c)
			default: // it has ended
			}
		}
	}
	for _, name := range x.names {
		slices.SortFunc(x.symbols[name].conditionals, func(a, b *Conditional) int { return cmp.Compare(a.ID, b.ID) })
	}
}

// restOrders rests the open orders in their queues, ahead of the house.
func (r *restoration) restOrders() {
	x := r.exchange
	var resting []*Order
	for _, id := range x.ids {
		a := x.accounts[id]
		for orderID, o := range a.open {
			if o.Status.Open() {
				resting = append(resting, o)
			} else {
				delete(a.open, orderID)
			}
		}
	}
	slices.SortFunc(resting, func(a, b *Order) int { return cmp.Or(cmp.Compare(a.queued, b.queued), cmp.Compare(a.ID, b.ID)) })
	for _, o := range resting {
		a, s := x.accounts[o.Account], x.symbols[o.Symbol]
		a.holding(s).open++
		x.enqueue(a, s, o)
	}
}

// restoreLedger adds the orders that the ledger does not have.
func (r *restoration) restoreLedger() {
	x := r.exchange
	type datedRow struct {
		at  time.Time
		id  int64
		row LedgerOrder
	}
	var rows []datedRow
	for _, id := range x.ids {
		a := x.accounts[id]
		fills := map[int64][]LedgerFill{}
		for i := range a.fills {
			fills[a.fills[i].OrderID] = append(fills[a.fills[i].OrderID], ledgerFillOf(&a.fills[i]))
		}
		for _, o := range a.history {
			row := x.ledger.rowOf(*o)
			row.Fills = fills[o.ID]
			rows = append(rows, datedRow{o.CreatedAt, o.ID, row})
		}
		for _, c := range a.conditionals.history {
			rows = append(rows, datedRow{c.CreatedAt, c.ID, x.ledger.rowOfConditional(*c, x.symbols[c.Request.Symbol].terms)})
		}
	}
	slices.SortStableFunc(rows, func(a, b datedRow) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	for i := range rows {
		x.ledger.ledger.addMissing(&rows[i].row)
	}
}
