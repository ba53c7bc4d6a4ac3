package simcore

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// liquidationPrefix begins the client order id of a liquidation order.
const liquidationPrefix = "autoclose-"

// checkMargins liquidates the accounts whose equity is below the required margin. It
// reports whether there were any.
func (x *Exchange) checkMargins() bool {
	due := false
	for _, name := range x.names {
		due = due || x.symbols[name].marginsDue
		x.symbols[name].marginsDue = false
	}
	if !due {
		return false
	}
	found := false
	for _, id := range x.ids {
		a := x.accounts[id]
		found = x.liquidateIsolated(a) || found
		s := a.sums()
		equity := a.wallet.Sub(s.isolated).Add(s.crossPnL)
		if s.crossRequired.IsPositive() && equity.LessThanOrEqual(s.crossRequired) {
			x.liquidateCross(a, equity)
			found = true
			continue
		}
		x.warn(a, s, equity)
	}
	return found
}

// marginCallRatio is the ratio of the required margin to the equity at which a margin
// call is sent.
var marginCallRatio = decimal.New(8, -1)

func (x *Exchange) warn(a *account, s sums, equity decimal.Decimal) {
	near := s.crossRequired.IsPositive() && s.crossRequired.GreaterThanOrEqual(equity.Mul(marginCallRatio))
	if near == a.warned {
		return
	}
	a.warned = near
	x.state.touchAccount(a)
	if !near {
		return
	}
	call := MarginCallEvent{Account: a.id, Balance: a.balance(), Equity: equity, Required: s.crossRequired}
	a.each(func(h *holding) {
		for i := range h.positions {
			if !h.isolated && h.positions[i].lots != 0 {
				call.Positions = append(call.Positions, a.positionView(h, h.positions[i].side, s))
			}
		}
	})
	x.emit(call)
}

func (x *Exchange) liquidateCross(a *account, equity decimal.Decimal) {
	x.cancelOpen(a, "", EndLiquidation)
	positions := a.crossPositions()
	if x.reduceByTiers(a, equity, positions) {
		return
	}
	for _, one := range positions {
		x.liquidate(a, one, abs(one.position.lots))
	}
	x.coverDeficit(a)
}

func (x *Exchange) liquidateIsolated(a *account) bool {
	found := false
	a.each(func(h *holding) {
		for i := range h.positions {
			p := &h.positions[i]
			if !h.isolated || p.lots == 0 {
				continue
			}
			equity := p.isolated.Add(h.unrealized(p.side))
			if equity.GreaterThan(a.requiredMargin(h, p.side)) {
				continue
			}
			x.cancelOpen(a, h.Symbol, EndLiquidation)
			found = true
			if one := (backedPosition{h, p}); !x.reduceByTiers(a, equity, []backedPosition{one}) {
				x.liquidate(a, one, abs(p.lots))
			}
		}
	})
	if found {
		x.coverDeficit(a)
	}
	return found
}

// liquidate closes lots of a position at the mark price against the insurance fund
// and charges the liquidation fee.
func (x *Exchange) liquidate(a *account, one backedPosition, lots int64) {
	h, p := one.holding, one.position
	side := Side(-sign(p.lots))
	ticks := max(1, h.prices.floor(h.mark))
	now := x.clock.Now()
	in := &intent{
		OrderRequest: &OrderRequest{
			ClientID: liquidationPrefix + strconv.FormatInt(now.UnixMilli(), 10),
			Side:     side, PosSide: p.side, Type: Limit, TimeInForce: IOC, ReduceOnly: true,
		},
		account: a, symbol: h.symbol, holding: h, ticks: ticks, lots: lots, now: now,
	}
	o := x.newOrder(in)
	o.Liquidation, o.Partial = true, lots < abs(p.lots)
	x.accept(in, o)
	fee := h.quote(ticks, lots).Mul(h.LiquidationFee).Truncate(moneyDigits)
	change := h.positionChange(CauseLiquidationFee, p)
	change.Amount = fee.Neg()
	x.changeWallet(a, change)
	trade := x.newTrade(h.symbol, ticks, lots, side)
	trade.Insurance = true
	x.publish(h.symbol, trade)
	x.fill(h.symbol, a, o, trade, ticks, lots, false)
}

// coverDeficit pays a negative wallet from the insurance fund.
func (x *Exchange) coverDeficit(a *account) {
	if !a.wallet.IsNegative() {
		return
	}
	deficit := a.wallet.Neg()
	id := x.changeWallet(a, WalletChange{Cause: CauseInsurance, Amount: deficit})
	x.emit(AccountEvent{Account: a.id, Reason: AccountInsurance, Change: deficit, ChangeID: id, Balance: a.balance()})
}
