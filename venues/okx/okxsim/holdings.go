package okxsim

import (
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// holdingKey identifies a position.
type holdingKey struct {
	account, symbol string
	side            simcore.PositionSide
}

// earnings are the costs and profits of a position since it was opened.
type earnings struct {
	qty, pnl, fee, funding decimal.Decimal
	// penalty is the cost of partial liquidations, below zero.
	penalty decimal.Decimal
	tradeID int64
}

// holdings records the earnings of positions, which the exchange does not.
type holdings struct {
	mu    sync.Mutex
	byKey map[holdingKey]*earnings
}

// realized returns the total of the earnings.
func (e earnings) realized() decimal.Decimal {
	return e.pnl.Add(e.fee).Add(e.funding).Add(e.penalty)
}

func newHoldings() *holdings { return &holdings{byKey: map[holdingKey]*earnings{}} }

func (h *holdings) record(event *simcore.OrderEvent) {
	if event.Fill == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	o, f := &event.Order, event.Fill
	e := h.entry(holdingKey{o.Account, o.Symbol, o.PosSide})
	now := event.Position.Qty
	if e.qty.IsZero() || now.Sign()*e.qty.Sign() < 0 {
		*e = earnings{}
	}
	e.qty, e.tradeID = now, f.TradeID
	e.pnl, e.fee = e.pnl.Add(f.RealizedPnL), e.fee.Sub(f.Fee)
	if o.Liquidation {
		e.penalty = e.penalty.Sub(f.Quote.Mul(o.Instrument().LiquidationFee))
	}
}

func (h *holdings) recordFunding(event *simcore.AccountEvent) {
	if event.Reason != simcore.AccountFunding || len(event.Positions) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.entry(holdingKey{event.Account, event.Symbol, event.Positions[0].Side})
	e.funding = e.funding.Add(event.Change)
}

func (h *holdings) entry(key holdingKey) *earnings {
	e, ok := h.byKey[key]
	if !ok {
		e = &earnings{}
		h.byKey[key] = e
	}
	return e
}

func (h *holdings) of(account, symbol string, side simcore.PositionSide) earnings {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e, ok := h.byKey[holdingKey{account, symbol, side}]; ok {
		return *e
	}
	return earnings{}
}
