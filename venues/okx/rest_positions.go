package okx

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const positionsPath = "/api/v5/account/positions"

// positionRecord is a row of GET /api/v5/account/positions and of the stream
// channel of that name.
type positionRecord struct {
	InstID         string         `json:"instId"`
	PosSide        string         `json:"posSide"`
	Pos            payload.Number `json:"pos"`
	AvgPx          payload.Number `json:"avgPx"`
	MarkPx         payload.Number `json:"markPx"`
	LiqPx          payload.Number `json:"liqPx"`
	Upl            payload.Number `json:"upl"`
	Lever          payload.Number `json:"lever"`
	MgnMode        string         `json:"mgnMode"`
	CTime          moment         `json:"cTime"`
	UTime          moment         `json:"uTime"`
	CloseOrderAlgo []struct {
		SlTriggerPx   payload.Number `json:"slTriggerPx"`
		TpTriggerPx   payload.Number `json:"tpTriggerPx"`
		CloseFraction string         `json:"closeFraction"`
	} `json:"closeOrderAlgo"`
}

// Positions lists open positions.
func (a *Account) Positions(ctx context.Context) ([]venues.Position, error) {
	mode, err := a.knownMode(ctx)
	if err != nil {
		return nil, err
	}
	var rows []positionRecord
	if err := a.get(ctx, positionsPath, nil, 10, &rows); err != nil {
		return nil, err
	}
	positions := make([]venues.Position, 0, len(rows))
	for n := range rows {
		k, err := a.c.named(ctx, rows[n].InstID)
		if err != nil {
			return nil, restclient.Unreadable(http.MethodGet, positionsPath, err)
		}
		if k == nil {
			continue
		}
		p, _, err := rows[n].position(k)
		if err != nil {
			return nil, restclient.Unreadable(http.MethodGet, positionsPath, err)
		}
		if p.Qty.IsPositive() {
			p.AccountType = mode.AccountType
			positions = append(positions, p)
		}
	}
	a.positions.replace(positions)
	return positions, nil
}

// position reads a row. A closed one has Qty zero, and its Side means nothing in
// one-way mode.
func (r *positionRecord) position(k *contract) (venues.Position, positionBook, error) {
	book, err := parsePositionBook(r.PosSide)
	if err == nil && r.PosSide == "" { // long or short: without a side the amount says neither
		err = payload.Missing("posSide")
	}
	if err != nil {
		return venues.Position{}, book, err
	}
	mode, err := parseMarginMode(r.MgnMode)
	if err != nil {
		return venues.Position{}, book, err
	}
	if !r.Pos.Valid {
		return venues.Position{}, book, payload.Missing("pos")
	}
	p := venues.Position{
		Exchange: venues.OKX, Symbol: k.Symbol, Side: book.sideOf(r.Pos.Decimal), Qty: k.base(r.Pos.Decimal.Abs()),
		EntryPrice: r.AvgPx.Positive(), MarkPrice: r.MarkPx.Positive(), LiquidationPrice: r.LiqPx.Positive(),
		UnrealizedPnl: r.Upl.Optional, Leverage: r.Lever.Positive(), MarginMode: mode,
		OpenedAt: venues.At(r.CTime.Time), UpdatedAt: venues.At(r.UTime.Time),
	}
	for _, stop := range r.CloseOrderAlgo {
		if stop.CloseFraction == "1" {
			p.StopLoss, p.TakeProfit = stop.SlTriggerPx.Positive(), stop.TpTriggerPx.Positive()
		}
	}
	return p, book, nil
}

// positionMemory remembers what is open: the venue reports a closed one-way
// position without saying which side it was, and orders go to the margin mode of
// the position that they work on. It is safe for concurrent use.
type positionMemory struct {
	mu   sync.Mutex
	open map[string]venues.Position // by venues.Position.Key
}

// replace adopts the complete list of open positions and returns, closed, those
// that were open before and are not in it.
func (m *positionMemory) replace(positions []venues.Position) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.open
	m.open = make(map[string]venues.Position, len(positions))
	for _, p := range positions {
		m.open[p.Key()] = p
	}
	var gone []venues.Position
	for key, p := range before {
		if _, still := m.open[key]; !still {
			gone = append(gone, closed(p, venues.Time{}))
		}
	}
	slices.SortFunc(gone, func(a, b venues.Position) int { return compareKeys(&a, &b) })
	return gone
}

// compareKeys puts positions in order.
func compareKeys(a, b *venues.Position) int { return strings.Compare(a.Key(), b.Key()) }

// update adopts the new state of one position and returns what to tell: itself,
// and in one-way mode the side that is over. If that side is not known, both may
// have been.
func (m *positionMemory) update(p venues.Position, book positionBook) []venues.Position {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == nil {
		m.open = make(map[string]venues.Position)
	}
	sides := []venues.PositionSide{p.Side}
	if book == bookNet {
		sides = []venues.PositionSide{venues.Long, venues.Short}
	}
	var tell []venues.Position
	unknown := p.Qty.IsZero() && !m.anyOpen(p, sides)
	for _, side := range sides {
		ended := p
		ended.Side = side
		_, known := m.open[ended.Key()]
		if side == p.Side && p.Qty.IsPositive() || !known && !unknown {
			continue
		}
		delete(m.open, ended.Key())
		tell = append(tell, closed(ended, p.UpdatedAt))
	}
	if p.Qty.IsPositive() {
		m.open[p.Key()] = p
		tell = append(tell, p)
	}
	return tell
}

func (m *positionMemory) anyOpen(p venues.Position, sides []venues.PositionSide) bool {
	for _, side := range sides {
		p.Side = side
		if _, open := m.open[p.Key()]; open {
			return true
		}
	}
	return false
}

// closed is the last word on a position.
func closed(p venues.Position, at venues.Time) venues.Position {
	return venues.Position{
		Exchange: p.Exchange, Symbol: p.Symbol, Side: p.Side, Qty: decimal.Zero,
		AccountType: p.AccountType, MarginMode: p.MarginMode, UpdatedAt: at,
	}
}

// marginMode is the mode of an instrument's open position, cross where there is
// none: isolated margin is honoured, never begun.
func (m *positionMemory) marginMode(symbol string) venues.MarginMode {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.open {
		if p.Symbol == symbol && p.MarginMode == venues.MarginIsolated {
			return venues.MarginIsolated
		}
	}
	return venues.MarginCross
}

// read says whether the positions have ever been read.
func (m *positionMemory) read() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open != nil
}

// tradeMode is the margin mode for an order or for leverage of an instrument. The
// positions are read if they never were.
func (a *Account) tradeMode(ctx context.Context, symbol string) (venues.MarginMode, error) {
	if !a.positions.read() {
		if _, err := a.Positions(ctx); err != nil {
			return "", err
		}
	}
	return a.positions.marginMode(symbol), nil
}
