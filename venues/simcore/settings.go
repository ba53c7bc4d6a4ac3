package simcore

import "github.com/shopspring/decimal"

// SetPositionMode switches between one-way and hedge mode. The error is a *Rejection,
// such as ReasonNoChange, ReasonOpenOrders or ReasonOpenPosition.
func (x *Exchange) SetPositionMode(accountID string, mode PositionMode) error {
	x.lockToWrite()
	defer x.unlock()
	a, rejection := x.account(accountID)
	if rejection != nil {
		return rejection
	}
	if a.mode == mode {
		return reject(ReasonNoChange)
	}
	if rejection := a.checkModeChange(); rejection != nil {
		return rejection
	}
	a.mode = mode
	x.state.touchAccount(a)
	x.emit(ConfigEvent{Account: a.id, Mode: mode})
	return nil
}

func (a *account) checkModeChange() *Rejection {
	if len(a.open) > 0 || len(a.conditionals.waiting("")) > 0 {
		return reject(ReasonOpenOrders)
	}
	for _, h := range a.holdings {
		if !h.flat() {
			return reject(ReasonOpenPosition)
		}
	}
	return nil
}

// SetMarginMode switches a symbol between cross and isolated margin. The error is a
// *Rejection, such as ReasonNoChange, ReasonOpenOrders or ReasonOpenPosition.
func (x *Exchange) SetMarginMode(accountID, symbolName string, isolated bool) error {
	x.lockToWrite()
	defer x.unlock()
	a, h, rejection := x.setting(accountID, symbolName)
	switch {
	case rejection != nil:
		return rejection
	case h.isolated == isolated:
		return reject(ReasonNoChange)
	case h.open > 0:
		return reject(ReasonOpenOrders)
	case !h.flat():
		return reject(ReasonOpenPosition)
	}
	h.isolated = isolated
	x.emitConfig(a, h)
	return nil
}

// SetLeverage changes the leverage of a symbol and with it the margin of its position
// and orders. The error is a *Rejection, such as ReasonLeverage,
// ReasonLeverageIsolated, ReasonPositionTooLarge or ReasonInsufficientMargin.
func (x *Exchange) SetLeverage(accountID, symbolName string, leverage int) error {
	x.lockToWrite()
	defer x.unlock()
	a, h, rejection := x.setting(accountID, symbolName)
	switch {
	case rejection != nil:
		return rejection
	case leverage < 1 || leverage > h.LeverageMax():
		return rejectAt(ReasonLeverage, decimal.NewFromInt(int64(h.LeverageMax())))
	case h.isolated && leverage < h.leverage && !h.flat() && !x.options.IsolatedTopUp:
		return reject(ReasonLeverageIsolated)
	}
	if rejection := a.checkLeverage(h, leverage); rejection != nil {
		return rejection
	}
	lowered := leverage < h.leverage
	h.leverage = leverage
	if lowered {
		h.topUp()
	}
	x.emitConfig(a, h)
	return nil
}

// topUp adds to isolated positions the margin that their leverage requires.
func (h *holding) topUp() {
	for i := range h.positions {
		p := &h.positions[i]
		p.isolated = p.isolated.Add(h.marginShortfall(p))
	}
}

// marginShortfall returns the margin that an isolated position is missing.
func (h *holding) marginShortfall(p *position) decimal.Decimal {
	if !h.isolated || p.lots == 0 {
		return decimal.Zero
	}
	return decimal.Max(decimal.Zero, h.positionMargin(p.side).Sub(p.isolated))
}

func (a *account) checkLeverage(h *holding, leverage int) *Rejection {
	held := decimal.Zero
	for i := range h.positions {
		held = held.Add(h.notional(h.mark, abs(h.positions[i].lots)))
	}
	if limit := h.NotionalMax(leverage); held.GreaterThan(limit) {
		return rejectAt(ReasonPositionTooLarge, limit)
	}
	before := h.leverage
	h.leverage = leverage
	free := a.available(a.sums())
	for i := range h.positions {
		free = free.Sub(h.marginShortfall(&h.positions[i]))
	}
	h.leverage = before
	if free.IsNegative() && leverage < before {
		return reject(ReasonInsufficientMargin)
	}
	return nil
}

// AddIsolatedMargin moves margin from the cross wallet to an isolated position, or
// back where the amount is negative. The error is a *Rejection.
func (x *Exchange) AddIsolatedMargin(accountID, symbolName string, side PositionSide, amount decimal.Decimal) error {
	x.lockToWrite()
	defer x.unlock()
	a, h, rejection := x.setting(accountID, symbolName)
	if rejection != nil {
		return rejection
	}
	p := h.position(side)
	switch {
	case p.lots == 0 || !h.isolated:
		return reject(ReasonNoPosition)
	case amount.IsPositive() && amount.GreaterThan(a.available(a.sums())):
		return reject(ReasonInsufficientMargin)
	case amount.IsNegative() && p.isolated.Add(amount).LessThan(h.positionMargin(side)):
		return reject(ReasonInsufficientMargin)
	}
	p.isolated = p.isolated.Add(amount)
	x.state.touchAccount(a)
	x.emit(AccountEvent{
		Account: a.id, Reason: AccountMarginTransfer, Symbol: symbolName, Change: amount, Balance: a.balance(),
		Positions: []PositionView{a.positionView(h, side, a.sums())},
	})
	return nil
}

func (x *Exchange) setting(accountID, symbolName string) (*account, *holding, *Rejection) {
	a, rejection := x.account(accountID)
	if rejection != nil {
		return nil, nil, rejection
	}
	s, rejection := x.symbol(symbolName)
	if rejection != nil {
		return nil, nil, rejection
	}
	return a, a.holding(s), nil
}

func (x *Exchange) emitConfig(a *account, h *holding) {
	x.state.touchAccount(a)
	x.emit(ConfigEvent{
		Account: a.id, Symbol: h.Symbol, Leverage: h.leverage, Isolated: h.isolated, Mode: a.mode,
	})
}
