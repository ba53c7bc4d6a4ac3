package simcore

import "github.com/shopspring/decimal"

// SetPositionMode switches between one-way and hedge mode. ReasonNoChange,
// ReasonOpenOrders and ReasonOpenPosition refuse.
func (x *Exchange) SetPositionMode(accountID string, mode PositionMode) error {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, refusal := x.account(accountID)
	if refusal != nil {
		return refusal
	}
	if a.mode == mode {
		return refuse(ReasonNoChange)
	}
	if refusal := a.checkModeChange(); refusal != nil {
		return refusal
	}
	a.mode = mode
	x.emit(ConfigEvent{Account: a.id, Mode: mode})
	return nil
}

func (a *account) checkModeChange() *Refusal {
	if len(a.open) > 0 || len(a.conditionals.waiting("")) > 0 {
		return refuse(ReasonOpenOrders)
	}
	for _, h := range a.holdings {
		if !h.flat() {
			return refuse(ReasonOpenPosition)
		}
	}
	return nil
}

// SetMarginMode switches a symbol between cross and isolated margin.
// ReasonNoChange, ReasonOpenOrders and ReasonOpenPosition refuse.
func (x *Exchange) SetMarginMode(accountID, symbolName string, isolated bool) error {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, h, refusal := x.setting(accountID, symbolName)
	switch {
	case refusal != nil:
		return refusal
	case h.isolated == isolated:
		return refuse(ReasonNoChange)
	case h.open > 0:
		return refuse(ReasonOpenOrders)
	case !h.flat():
		return refuse(ReasonOpenPosition)
	}
	h.isolated = isolated
	x.emitConfig(a, h)
	return nil
}

// SetLeverage changes the leverage of a symbol and with it the margin of what
// is open. ReasonLeverage, ReasonLeverageIsolated, ReasonPositionTooLarge and
// ReasonInsufficientMargin refuse.
func (x *Exchange) SetLeverage(accountID, symbolName string, leverage int) error {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, h, refusal := x.setting(accountID, symbolName)
	switch {
	case refusal != nil:
		return refusal
	case leverage < 1 || leverage > h.LeverageMax():
		return refuseAt(ReasonLeverage, decimal.NewFromInt(int64(h.LeverageMax())))
	case h.isolated && leverage < h.leverage && !h.flat() && !x.options.IsolatedTopUp:
		return refuse(ReasonLeverageIsolated)
	}
	if refusal := a.checkLeverage(h, leverage); refusal != nil {
		return refusal
	}
	lowered := leverage < h.leverage
	h.leverage = leverage
	if lowered {
		h.topUp()
	}
	x.emitConfig(a, h)
	return nil
}

// topUp gives isolated positions the margin that their leverage asks for.
func (h *holding) topUp() {
	for i := range h.positions {
		p := &h.positions[i]
		p.isolated = p.isolated.Add(h.lacks(p))
	}
}

// lacks is the margin that an isolated position has not.
func (h *holding) lacks(p *position) decimal.Decimal {
	if !h.isolated || p.lots == 0 {
		return decimal.Zero
	}
	return decimal.Max(decimal.Zero, h.positionMargin(p.side).Sub(p.isolated))
}

func (a *account) checkLeverage(h *holding, leverage int) *Refusal {
	held := decimal.Zero
	for i := range h.positions {
		held = held.Add(h.notional(h.mark, abs(h.positions[i].lots)))
	}
	if limit := h.NotionalMax(leverage); held.GreaterThan(limit) {
		return refuseAt(ReasonPositionTooLarge, limit)
	}
	before := h.leverage
	h.leverage = leverage
	free := a.available(a.sums())
	for i := range h.positions {
		free = free.Sub(h.lacks(&h.positions[i]))
	}
	h.leverage = before
	if free.IsNegative() && leverage < before {
		return refuse(ReasonInsufficientMargin)
	}
	return nil
}

// AddIsolatedMargin moves margin between the cross wallet and an isolated
// position; a negative amount takes it out.
func (x *Exchange) AddIsolatedMargin(accountID, symbolName string, side PositionSide, amount decimal.Decimal) error {
	x.lockToWrite()
	defer x.mu.Unlock()
	a, h, refusal := x.setting(accountID, symbolName)
	if refusal != nil {
		return refusal
	}
	p := h.position(side)
	switch {
	case p.lots == 0 || !h.isolated:
		return refuse(ReasonNoPosition)
	case amount.IsPositive() && amount.GreaterThan(a.available(a.sums())):
		return refuse(ReasonInsufficientMargin)
	case amount.IsNegative() && p.isolated.Add(amount).LessThan(h.positionMargin(side)):
		return refuse(ReasonInsufficientMargin)
	}
	p.isolated = p.isolated.Add(amount)
	x.emit(AccountEvent{
		Account: a.id, Reason: AccountMarginTransfer, Symbol: symbolName, Change: amount, Balance: a.balance(),
		Positions: []PositionView{a.positionView(h, side, a.sums())},
	})
	return nil
}

func (x *Exchange) setting(accountID, symbolName string) (*account, *holding, *Refusal) {
	a, refusal := x.account(accountID)
	if refusal != nil {
		return nil, nil, refusal
	}
	s, refusal := x.symbol(symbolName)
	if refusal != nil {
		return nil, nil, refusal
	}
	return a, a.holding(s), nil
}

func (x *Exchange) emitConfig(a *account, h *holding) {
	x.emit(ConfigEvent{
		Account: a.id, Symbol: h.Symbol, Leverage: h.leverage, Isolated: h.isolated, Mode: a.mode,
	})
}
