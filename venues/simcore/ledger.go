package simcore

import (
	"strconv"
	"sync"
	"time"
)

// LedgerOrder is what the venue knows to be true about one order.
type LedgerOrder struct {
	// VenueOrderID is empty for an order that was refused.
	VenueOrderID  string `json:"venueOrderId"`
	ClientOrderID string `json:"clientOrderId"`
	Account       string `json:"account"`
	// Symbol is in the venue's spelling.
	Symbol string `json:"symbol"`
	Side   string `json:"side"`
	// Type is limit, market, stop_limit, stop_market, trailing_stop.
	Type string `json:"type"`
	// Kind is order, or conditional for an order that waits for its trigger.
	Kind string `json:"kind"`
	// ParentID is the conditional order that this one came from. Both carry the
	// same client order id.
	ParentID string `json:"parentId,omitempty"`
	// Qty and FilledQty are in the venue's units, BaseQty in base coin.
	Qty       string `json:"qty"`
	BaseQty   string `json:"baseQty"`
	FilledQty string `json:"filledQty"`
	Price     string `json:"price"`
	// Status is new, partially_filled, filled, cancelled, expired, refused; for
	// conditionals waiting, triggering, triggered, finished, cancelled,
	// rejected, expired.
	Status     string       `json:"status"`
	AcceptedAt string       `json:"acceptedAt"`
	UpdatedAt  string       `json:"updatedAt"`
	Refusal    string       `json:"refusal,omitempty"`
	Fills      []LedgerFill `json:"fills,omitempty"`
}

// LedgerFill is one execution of a ledger order.
type LedgerFill struct {
	TradeID string `json:"tradeId"`
	Price   string `json:"price"`
	Qty     string `json:"qty"`
	Fee     string `json:"fee"`
	Maker   bool   `json:"maker"`
	Time    string `json:"time"`
}

// ledgerOrdersMax bounds the ledger's memory; the oldest rows go first. The
// file keeps them all.
const ledgerOrdersMax = 1_000_000

// Ledger records every order that the venue accepted or refused. Safe for
// concurrent use.
type Ledger struct {
	mu      sync.Mutex
	orders  []*LedgerOrder
	byID    map[string]*LedgerOrder
	formats func(int64) string
	file    *ledgerFile
}

// NewLedger makes a ledger in memory.
func NewLedger() *Ledger {
	return &Ledger{byID: map[string]*LedgerOrder{}, formats: func(id int64) string { return strconv.FormatInt(id, 10) }}
}

// FormatIDs sets how the venue spells its order ids. It must be called before
// the first order.
func (l *Ledger) FormatIDs(format func(int64) string) { l.formats = format }

// Orders is a copy of all rows, oldest first.
func (l *Ledger) Orders() []LedgerOrder {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := make([]LedgerOrder, len(l.orders))
	for i, row := range l.orders {
		rows[i] = *row
		rows[i].Fills = append([]LedgerFill(nil), row.Fills...)
	}
	return rows
}

// Refuse records an order that the venue did not take, in the venue's words.
func (l *Ledger) Refuse(row LedgerOrder, at time.Time) {
	row.Status, row.AcceptedAt, row.UpdatedAt = "refused", ledgerTime(at), ledgerTime(at)
	if row.Kind == "" {
		row.Kind = kindOrder
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(&row)
}

const (
	kindOrder       = "order"
	kindConditional = "conditional"
)

func (l *Ledger) accepted(o Order) {
	row := &LedgerOrder{
		VenueOrderID: l.formats(o.ID), ClientOrderID: o.ClientID, Account: o.Account, Symbol: o.Symbol,
		Side: o.Side.String(), Type: o.Type.String(), Kind: kindOrder,
		AcceptedAt: ledgerTime(o.CreatedAt),
	}
	if o.Parent != 0 {
		row.ParentID = l.formats(o.Parent)
	}
	row.show(o)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(row)
}

func (row *LedgerOrder) show(o Order) {
	row.Qty, row.BaseQty = o.Qty().String(), o.BaseQty().String()
	row.FilledQty, row.Price = o.FilledQty().String(), o.Price().String()
	row.Status, row.UpdatedAt = o.Status.String(), ledgerTime(o.UpdatedAt)
}

func (l *Ledger) updated(o Order, fill *Fill) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row, ok := l.byID[kindOrder+l.formats(o.ID)]
	if !ok {
		return
	}
	row.show(o)
	if fill != nil {
		row.Fills = append(row.Fills, LedgerFill{
			TradeID: strconv.FormatInt(fill.TradeID, 10), Price: fill.Price.String(), Qty: fill.Qty.String(),
			Fee: fill.Fee.String(), Maker: fill.Maker, Time: ledgerTime(fill.Time),
		})
	}
	l.write(row)
}

func (l *Ledger) acceptedConditional(c Conditional, t *terms) {
	r := &c.Request
	row := &LedgerOrder{
		VenueOrderID: l.formats(c.ID), ClientOrderID: r.ClientID, Account: r.Account, Symbol: r.Symbol,
		Side: r.Side.String(), Type: conditionalType(r), Kind: kindConditional,
		Qty: r.Qty.String(), BaseQty: r.Qty.Mul(t.ContractSize).String(), FilledQty: "0",
		Price: r.Price.String(), Status: c.Status.String(),
		AcceptedAt: ledgerTime(c.CreatedAt), UpdatedAt: ledgerTime(c.UpdatedAt),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(row)
}

func (l *Ledger) updatedConditional(c Conditional) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row, ok := l.byID[kindConditional+l.formats(c.ID)]; ok {
		row.Status, row.UpdatedAt = c.Status.String(), ledgerTime(c.UpdatedAt)
		row.Refusal = string(c.Rejected)
		l.write(row)
	}
}

func conditionalType(r *ConditionalRequest) string {
	switch {
	case r.CallbackRate.IsPositive():
		return "trailing_stop"
	case r.Type == Market:
		return "stop_market"
	default:
		return "stop_limit"
	}
}

func (l *Ledger) add(row *LedgerOrder) {
	l.orders = append(l.orders, row)
	if row.VenueOrderID != "" {
		l.byID[row.Kind+row.VenueOrderID] = row
	}
	if len(l.orders) > ledgerOrdersMax+ledgerOrdersMax/10 {
		l.forget(len(l.orders) - ledgerOrdersMax)
	}
	l.write(row)
}

func (l *Ledger) forget(n int) {
	for _, row := range l.orders[:n] {
		delete(l.byID, row.Kind+row.VenueOrderID)
	}
	l.orders = append([]*LedgerOrder(nil), l.orders[n:]...)
}

func ledgerTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
