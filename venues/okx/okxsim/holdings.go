package okxsim

import (
	"slices"
	"sync"
	"time"

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
	// penalty is the cost of liquidations, below zero.
	penalty decimal.Decimal
	tradeID int64

	// opened and closed are the contracts, openValue and closeValue their values.
	opened, closed        decimal.Decimal
	openValue, closeValue decimal.Decimal
	maxQty                decimal.Decimal
	short, isolated       bool
	leverage              int
	openedAt, updatedAt   time.Time
	// closeType is the venue's number of the last close, trigger the mark price of a
	// liquidation.
	closeType string
	trigger   decimal.Decimal
}

// Types of closes.
const (
	closedInPart        = "1"
	closedInFull        = "2"
	closedByLiquidation = "3"
	liquidatedInPart    = "4"
)

// realized returns the total of the earnings.
func (e earnings) realized() decimal.Decimal {
	return e.pnl.Add(e.fee).Add(e.funding).Add(e.penalty)
}

// open adds the opening part of a fill. A flat position begins again.
func (e *earnings) open(event *simcore.OrderEvent, contracts decimal.Decimal) {
	f := event.Fill
	if e.qty.IsZero() {
		*e = earnings{short: f.Side == simcore.Sell, openedAt: f.Time}
	}
	e.qty = e.qty.Add(contracts.Mul(decimal.NewFromInt(int64(f.Side))))
	e.opened, e.openValue = e.opened.Add(contracts), e.openValue.Add(shareOf(f.Quote, contracts, f.Qty))
	e.maxQty = decimal.Max(e.maxQty, e.qty.Abs())
	e.add(event, contracts)
}

// close adds the closing part of a fill.
func (e *earnings) close(event *simcore.OrderEvent, contracts decimal.Decimal) {
	o, f := &event.Order, event.Fill
	e.qty = e.qty.Add(contracts.Mul(decimal.NewFromInt(int64(f.Side))))
	e.closed, e.closeValue = e.closed.Add(contracts), e.closeValue.Add(shareOf(f.Quote, contracts, f.Qty))
	e.pnl = e.pnl.Add(f.RealizedPnL)
	e.trigger = decimal.Zero
	if o.Liquidation {
		e.penalty = e.penalty.Sub(f.Quote.Mul(o.Instrument().LiquidationFee))
		e.trigger = event.Position.MarkPrice
	}
	switch {
	case o.Liquidation && !e.qty.IsZero():
		e.closeType = liquidatedInPart
	case o.Liquidation:
		e.closeType = closedByLiquidation
	case e.qty.IsZero():
		e.closeType = closedInFull
	default:
		e.closeType = closedInPart
	}
	e.add(event, contracts)
}

func (e *earnings) add(event *simcore.OrderEvent, contracts decimal.Decimal) {
	f := event.Fill
	e.fee = e.fee.Sub(shareOf(f.Fee, contracts, f.Qty))
	e.tradeID, e.updatedAt = f.TradeID, f.Time
	e.leverage, e.isolated = event.Position.Leverage, event.Position.Isolated
}

// shareOf returns amount times part over whole.
func shareOf(amount, part, whole decimal.Decimal) decimal.Decimal {
	if part.Equal(whole) {
		return amount
	}
	return amount.Mul(part).DivRound(whole, ratioDigits)
}

// endedMax bounds how many ended positions of an account are kept; the oldest are
// dropped first.
const endedMax = 10_000

// endedPosition is a position that has been closed, in part or in full.
type endedPosition struct {
	holdingKey
	earnings
}

// holdings records the earnings of positions, which the exchange does not.
type holdings struct {
	mu    sync.Mutex
	byKey map[holdingKey]*earnings
	// ended are the positions of an account that were closed in full, oldest first.
	ended map[string][]endedPosition
	// unsaved and unsavedEnded are collected only where the state is kept.
	keepsState   bool
	unsaved      map[holdingKey]bool
	unsavedEnded []endedPosition
}

func newHoldings(keepsState bool) *holdings {
	return &holdings{
		byKey: map[holdingKey]*earnings{}, ended: map[string][]endedPosition{}, keepsState: keepsState, unsaved: map[holdingKey]bool{},
	}
}

// record adds a fill. One that goes through zero closes a position and opens another.
func (h *holdings) record(event *simcore.OrderEvent) {
	if event.Fill == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	o, f := &event.Order, event.Fill
	key := holdingKey{o.Account, o.Symbol, o.PosSide}
	e, closing := h.entry(key), decimal.Zero
	h.touch(key)
	if e.qty.Sign() == -int(f.Side) {
		closing = decimal.Min(e.qty.Abs(), f.Qty)
		e.close(event, closing)
		if e.qty.IsZero() {
			h.end(endedPosition{key, *e})
			if h.keepsState {
				h.unsavedEnded = append(h.unsavedEnded, endedPosition{key, *e})
			}
		}
	}
	if opening := f.Qty.Sub(closing); opening.IsPositive() {
		e.open(event, opening)
	}
}

func (h *holdings) end(p endedPosition) {
	list := h.ended[p.account]
	if len(list) >= 2*endedMax {
		list = append([]endedPosition(nil), list[len(list)-endedMax:]...)
	}
	h.ended[p.account] = append(list, p)
}

// closedOf returns the positions of an account that were closed in full or in part, the
// latest change first.
func (h *holdings) closedOf(account string) []endedPosition {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := slices.Clone(h.ended[account])
	slices.Reverse(found)
	for key, e := range h.byKey {
		if key.account == account && !e.qty.IsZero() && e.closed.IsPositive() {
			found = append(found, endedPosition{key, *e})
		}
	}
	slices.SortStableFunc(found, func(a, b endedPosition) int { return b.updatedAt.Compare(a.updatedAt) })
	return found
}

func (h *holdings) recordFunding(event *simcore.AccountEvent) {
	if event.Reason != simcore.AccountFunding {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := holdingKey{event.Account, event.Symbol, event.Funded.Side}
	e := h.entry(key)
	e.funding = e.funding.Add(event.Change)
	h.touch(key)
}

// touch marks a position whose earnings changed. The lock is held.
func (h *holdings) touch(key holdingKey) {
	if h.keepsState {
		h.unsaved[key] = true
	}
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
