package simcore

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// PositionMode is the choice of an account between one position per symbol and
// a long and a short one.
type PositionMode uint8

// Position modes.
const (
	OneWay PositionMode = iota
	Hedge
)

func (m PositionMode) String() string {
	if m == Hedge {
		return "hedge"
	}
	return "one_way"
}

// Permissions of an account's key.
type Permissions struct {
	Read     bool `json:"read"`
	Trade    bool `json:"trade"`
	Withdraw bool `json:"withdraw"`
}

// Limits of the history per account; the oldest closed entries are dropped first.
const (
	closedOrdersMax = 50_000
	fillsMax        = 100_000
	changesMax      = 100_000
)

// account is the engine's record of a customer.
type account struct {
	id          string
	rules       *Options
	credentials Credentials
	permissions Permissions
	mode        PositionMode
	wallet      decimal.Decimal
	feeMaker    decimal.Decimal
	feeTaker    decimal.Decimal
	updatedAt   time.Time
	// warned is set once a margin call was sent, until the margin has recovered.
	warned bool

	holdings map[string]*holding
	symbols  []string

	open         map[int64]*Order
	orders       map[int64]*Order
	byClientID   map[string]*Order
	history      []*Order
	fills        []Fill
	changes      []WalletChange
	conditionals conditionalSet
}

func (a *account) holding(s *symbol) *holding {
	if h, ok := a.holdings[s.Symbol]; ok {
		return h
	}
	h := newHolding(a, s)
	a.holdings[s.Symbol] = h
	at, _ := slices.BinarySearch(a.symbols, s.Symbol)
	a.symbols = slices.Insert(a.symbols, at, s.Symbol)
	return h
}

// each calls visit for the holdings in the order of their symbols.
func (a *account) each(visit func(*holding)) {
	for _, name := range a.symbols {
		visit(a.holdings[name])
	}
}

func (a *account) addOrder(o *Order) {
	a.orders[o.ID] = o
	a.open[o.ID] = o
	if o.ClientID != "" {
		a.byClientID[o.ClientID] = o
	}
	a.history = append(a.history, o)
	if len(a.history) > 2*closedOrdersMax {
		a.purgeClosed(len(a.history) - closedOrdersMax)
	}
}

// purgeClosed removes the closed orders among the oldest n.
func (a *account) purgeClosed(n int) {
	kept := make([]*Order, 0, len(a.history))
	for i, o := range a.history {
		if i >= n || o.Status.Open() {
			kept = append(kept, o)
			continue
		}
		delete(a.orders, o.ID)
		if a.byClientID[o.ClientID] == o {
			delete(a.byClientID, o.ClientID)
		}
	}
	a.history = kept
}

func (a *account) addFill(f Fill) {
	a.fills = appendBounded(a.fills, f, fillsMax)
}

func appendBounded[T any](list []T, item T, limit int) []T {
	if len(list) >= 2*limit {
		list = append(list[:0:0], list[len(list)-limit:]...)
	}
	return append(list, item)
}

// sums are the totals of an account at the current mark prices.
type sums struct {
	isolated       decimal.Decimal
	crossPnL       decimal.Decimal
	isolatedPnL    decimal.Decimal
	initial        decimal.Decimal
	positionMargin decimal.Decimal
	maintenance    decimal.Decimal
	// crossRequired is the equity that the cross positions require.
	crossRequired decimal.Decimal
	// used is the margin taken from the available balance: that of positions and
	// orders in cross margin, but of the orders alone in isolated margin.
	used decimal.Decimal
}

func (a *account) sums() sums {
	var s sums
	a.each(func(h *holding) {
		for side := range h.positions {
			p := &h.positions[side]
			initial := h.initialMargin(p.side)
			held := h.positionMargin(p.side)
			maint := h.maintenanceMargin(p.side)
			pnl := h.unrealized(p.side)
			s.initial = s.initial.Add(initial)
			s.positionMargin = s.positionMargin.Add(held)
			s.maintenance = s.maintenance.Add(maint)
			if h.isolated {
				s.isolated = s.isolated.Add(p.isolated)
				s.isolatedPnL = s.isolatedPnL.Add(pnl)
				s.used = s.used.Add(initial.Sub(held))
			} else {
				s.crossPnL = s.crossPnL.Add(pnl)
				s.crossRequired = s.crossRequired.Add(a.requiredMargin(h, p.side))
				s.used = s.used.Add(initial)
			}
		}
	})
	return s
}

// closeFeeRate returns the fee rate that is added to the maintenance margin rate, or
// zero where the venue does not include the closing fee.
func (a *account) closeFeeRate() decimal.Decimal {
	if a.rules.LiquidationIncludesFee {
		return a.feeTaker
	}
	return decimal.Zero
}

// requiredMargin returns the equity below which a position is liquidated: its
// maintenance margin and, where the venue includes it, the fee of closing at the mark
// price.
func (a *account) requiredMargin(h *holding, side PositionSide) decimal.Decimal {
	maintenance, fee := h.maintenanceMargin(side), a.closeFeeRate()
	if fee.IsZero() {
		return maintenance
	}
	return maintenance.Add(h.notional(h.mark, abs(h.position(side).lots)).Mul(fee))
}

// available returns the balance that new positions and orders may use. It can be
// negative.
func (a *account) available(s sums) decimal.Decimal {
	return a.wallet.Sub(s.isolated).Add(s.crossPnL).Sub(s.used)
}
