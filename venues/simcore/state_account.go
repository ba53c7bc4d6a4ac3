package simcore

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"
)

// Kinds of the entries of accounts.
const (
	kindAccount      = "account"
	kindChange       = "change"
	kindAccountOrder = "order"
	kindWaitingOrder = "conditional"
)

type storedAccount struct {
	ID          string          `json:"id"`
	Credentials Credentials     `json:"credentials"`
	Permissions Permissions     `json:"permissions"`
	Mode        PositionMode    `json:"mode"`
	Wallet      decimal.Decimal `json:"wallet"`
	FeeMaker    decimal.Decimal `json:"feeMaker"`
	FeeTaker    decimal.Decimal `json:"feeTaker"`
	UpdatedAt   time.Time       `json:"updatedAt"`
	Warned      bool            `json:"warned,omitempty"`
	Holdings    []storedHolding `json:"holdings,omitempty"`
}

type storedHolding struct {
	Symbol    string            `json:"symbol"`
	Leverage  int               `json:"leverage"`
	Isolated  bool              `json:"isolated,omitempty"`
	Positions [3]storedPosition `json:"positions"`
}

type storedPosition struct {
	Lots      int64           `json:"lots"`
	Cost      decimal.Decimal `json:"cost"`
	Realized  decimal.Decimal `json:"realized"`
	Isolated  decimal.Decimal `json:"isolated"`
	OpenedAt  time.Time       `json:"openedAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
}

// storedChange is a change of a wallet with its fill, if it is that of a trade.
type storedChange struct {
	Account string       `json:"account"`
	Change  WalletChange `json:"change"`
}

// storedOrder is an order, Extra its Detail.
type storedOrder struct {
	Order
	Ticks  int64           `json:"ticks"`
	Lots   int64           `json:"lots"`
	Filled int64           `json:"filled"`
	Quote  decimal.Decimal `json:"quote"`
	Queued int64           `json:"queued"`
	Extra  json.RawMessage `json:"extra,omitempty"`
}

// storedConditional is a conditional order without the order that it placed, Extra its
// Detail.
type storedConditional struct {
	Conditional
	FireAt    time.Time       `json:"fireAt"`
	Activated bool            `json:"activated,omitempty"`
	Extreme   decimal.Decimal `json:"extreme"`
	Extra     json.RawMessage `json:"extra,omitempty"`
}

func (k *stateKeeper) touchAccount(a *account) {
	if k != nil {
		k.accounts.add(a)
	}
}

func (k *stateKeeper) touchOrder(o *Order) {
	if k != nil {
		k.orders.add(o)
	}
}

func (k *stateKeeper) touchConditional(c *Conditional) {
	if k != nil {
		k.conditionals.add(c)
	}
}

func (k *stateKeeper) addChange(a *account, change WalletChange) {
	if k != nil {
		k.accounts.add(a)
		k.changes = append(k.changes, storedChange{a.id, change})
	}
}

// touchHistory marks all orders and changes of an account.
func (k *stateKeeper) touchHistory(a *account) {
	for _, change := range a.changes {
		k.changes = append(k.changes, storedChange{a.id, change})
	}
	for _, c := range a.conditionals.history {
		k.conditionals.add(c)
	}
	for _, o := range a.history {
		k.orders.add(o)
	}
}

// saveAccounts puts the accounts before what belongs to them, and the markets of orders
// with them: no order may be restored to a market that is older.
func (k *stateKeeper) saveAccounts(x *Exchange, put func(kind string, value any)) {
	for _, a := range k.accounts.list {
		put(kindAccount, a.stored())
	}
	for _, change := range k.changes {
		put(kindChange, change)
	}
	for _, c := range k.conditionals.list {
		k.symbols.add(x.symbols[c.Request.Symbol])
		put(kindWaitingOrder, c.stored())
	}
	for _, o := range k.orders.list {
		k.symbols.add(x.symbols[o.Symbol])
		put(kindAccountOrder, o.stored())
	}
	k.accounts, k.conditionals, k.orders, k.changes = touched[*account]{}, touched[*Conditional]{}, touched[*Order]{}, nil
}

func (a *account) stored() storedAccount {
	s := storedAccount{
		ID: a.id, Credentials: a.credentials, Permissions: a.permissions, Mode: a.mode, Wallet: a.wallet,
		FeeMaker: a.feeMaker, FeeTaker: a.feeTaker, UpdatedAt: a.updatedAt, Warned: a.warned,
	}
	a.each(func(h *holding) {
		one := storedHolding{Symbol: h.Symbol, Leverage: h.leverage, Isolated: h.isolated}
		for i := range h.positions {
			p := &h.positions[i]
			one.Positions[i] = storedPosition{p.lots, p.cost, p.realized, p.isolated, p.openedAt, p.updatedAt}
		}
		s.Holdings = append(s.Holdings, one)
	})
	return s
}

func (o *Order) stored() storedOrder {
	s := storedOrder{Order: *o, Ticks: o.ticks, Lots: o.lots, Filled: o.filledLots, Quote: o.quote, Queued: o.queued, Extra: encodeDetail(o.Detail)}
	s.Order.Detail = nil
	return s
}

func (c *Conditional) stored() storedConditional {
	s := storedConditional{Conditional: *c, FireAt: c.fireAt, Activated: c.activated, Extreme: c.extreme, Extra: encodeDetail(c.Request.Detail)}
	s.Request.Detail, s.Order = nil, nil
	return s
}

// encodeDetail returns nil without a detail. One that cannot be encoded is a bug, which
// the encoder of the entry reports.
func encodeDetail(detail any) json.RawMessage {
	if detail == nil {
		return nil
	}
	encoded, err := json.Marshal(detail)
	if err != nil {
		return json.RawMessage("invalid: " + err.Error())
	}
	return encoded
}
