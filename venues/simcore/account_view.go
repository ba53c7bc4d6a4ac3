package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Balance is the balance of an account in its settlement coin.
type Balance struct {
	Wallet      decimal.Decimal
	CrossWallet decimal.Decimal
}

// AccountView is a consistent snapshot of one account.
type AccountView struct {
	ID          string
	Mode        PositionMode
	Permissions Permissions
	FeeMaker    decimal.Decimal
	FeeTaker    decimal.Decimal
	Balance
	UnrealizedPnL      decimal.Decimal
	CrossUnrealizedPnL decimal.Decimal
	// InitialMargin is PositionMargin plus the margin of open orders.
	InitialMargin     decimal.Decimal
	PositionMargin    decimal.Decimal
	MaintenanceMargin decimal.Decimal
	// Available is never negative.
	Available decimal.Decimal
	UpdatedAt time.Time
	// Holdings lists every symbol with a position, an open order or a setting
	// of its own, by symbol.
	Holdings []HoldingView
}

// HoldingView is one symbol of an account.
type HoldingView struct {
	Instrument *Instrument
	Leverage   int
	Isolated   bool
	OpenOrders int
	Mark       decimal.Decimal
	// Positions are the used position sides: one in one-way mode, two in hedge
	// mode, flat ones included.
	Positions []PositionView
}

// PositionView is one position, valued at the mark price.
type PositionView struct {
	Symbol string
	Side   PositionSide
	// Qty is signed: negative is short.
	Qty              decimal.Decimal
	EntryPrice       decimal.Decimal
	BreakEvenPrice   decimal.Decimal
	MarkPrice        decimal.Decimal
	IndexPrice       decimal.Decimal
	LiquidationPrice decimal.Decimal
	// Notional is signed like Qty.
	Notional          decimal.Decimal
	UnrealizedPnL     decimal.Decimal
	RealizedPnL       decimal.Decimal
	InitialMargin     decimal.Decimal
	PositionMargin    decimal.Decimal
	OrderMargin       decimal.Decimal
	MaintenanceMargin decimal.Decimal
	BidNotional       decimal.Decimal
	AskNotional       decimal.Decimal
	Isolated          bool
	IsolatedWallet    decimal.Decimal
	Leverage          int
	OpenedAt          time.Time
	UpdatedAt         time.Time
}

func (a *account) view() AccountView {
	s := a.sums()
	v := AccountView{
		ID: a.id, Mode: a.mode, Permissions: a.permissions,
		FeeMaker: a.feeMaker, FeeTaker: a.feeTaker,
		Balance:            a.balance(),
		UnrealizedPnL:      s.crossPnL.Add(s.isolatedPnL),
		CrossUnrealizedPnL: s.crossPnL,
		InitialMargin:      s.initial,
		PositionMargin:     s.positionMargin,
		MaintenanceMargin:  s.maintenance,
		Available:          decimal.Max(decimal.Zero, a.available(s)),
		UpdatedAt:          a.updatedAt,
	}
	a.each(func(h *holding) { v.Holdings = append(v.Holdings, a.holdingView(h, s)) })
	return v
}

func (a *account) balance() Balance {
	isolated := decimal.Zero
	a.each(func(h *holding) {
		for i := range h.positions {
			isolated = isolated.Add(h.positions[i].isolated)
		}
	})
	return Balance{Wallet: a.wallet, CrossWallet: a.wallet.Sub(isolated)}
}

func (a *account) holdingView(h *holding, s sums) HoldingView {
	v := HoldingView{
		Instrument: h.Instrument, Leverage: h.leverage, Isolated: h.isolated,
		OpenOrders: h.open, Mark: h.mark,
	}
	for _, side := range a.mode.sides() {
		v.Positions = append(v.Positions, a.positionView(h, side, s))
	}
	return v
}

func (m PositionMode) sides() []PositionSide {
	if m == Hedge {
		return []PositionSide{PositionLong, PositionShort}
	}
	return []PositionSide{PositionBoth}
}

func (a *account) positionView(h *holding, side PositionSide, s sums) PositionView {
	p := h.position(side)
	initial, held := h.initialMargin(side), h.positionMargin(side)
	entry := p.entryPrice(h.terms)
	return PositionView{
		Symbol: h.Symbol, Side: side,
		Qty:               h.sizes.value(p.lots),
		EntryPrice:        entry,
		BreakEvenPrice:    breakEven(entry, p.lots, a.feeTaker),
		MarkPrice:         h.mark,
		IndexPrice:        h.index,
		LiquidationPrice:  a.liquidationPrice(h, p, s),
		Notional:          h.notional(h.mark, p.lots),
		UnrealizedPnL:     h.unrealized(side),
		RealizedPnL:       p.realized,
		InitialMargin:     initial,
		PositionMargin:    held,
		OrderMargin:       initial.Sub(held),
		MaintenanceMargin: h.maintenanceMargin(side),
		BidNotional:       h.orders[side][0],
		AskNotional:       h.orders[side][1],
		Isolated:          h.isolated,
		IsolatedWallet:    p.isolated,
		Leverage:          h.leverage,
		OpenedAt:          p.openedAt,
		UpdatedAt:         p.updatedAt,
	}
}

// breakEven returns the price at which closing earns the taker fee of opening.
func breakEven(entry decimal.Decimal, lots int64, fee decimal.Decimal) decimal.Decimal {
	return entry.Add(entry.Mul(fee).Mul(decimal.NewFromInt(sign(lots))))
}

// liquidationPrice returns the mark price of one position at which the equity equals
// the required margin while all other prices stay the same. Zero means none.
func (a *account) liquidationPrice(h *holding, p *position, s sums) decimal.Decimal {
	if p.lots == 0 {
		return decimal.Zero
	}
	qty := h.baseQty(abs(p.lots))
	direction := decimal.NewFromInt(sign(p.lots))
	tier := h.bracket(h.notional(h.mark, abs(p.lots)))
	funds := p.isolated
	if !h.isolated {
		othersPnL := s.crossPnL.Sub(h.unrealized(p.side))
		othersNeed := s.crossRequired.Sub(a.requiredMargin(h, p.side))
		funds = a.wallet.Sub(s.isolated).Add(othersPnL).Sub(othersNeed)
	}
	numerator := funds.Add(tier.MaintenanceCum).Sub(direction.Mul(p.cost)).Sub(h.feeToClose(p.side))
	denominator := qty.Mul(tier.MaintenanceRate.Add(a.closeFeeRate()).Sub(direction))
	price := numerator.DivRound(denominator, moneyDigits)
	return decimal.Max(decimal.Zero, price)
}
