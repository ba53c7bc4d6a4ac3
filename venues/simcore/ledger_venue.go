package simcore

import (
	"cmp"
	"strconv"
	"time"
)

// VenueLedger is the part of a ledger that records the orders of one exchange.
type VenueLedger struct {
	ledger *Ledger
	venue  string
	format func(int64) string
}

const (
	kindOrder       = "order"
	kindConditional = "conditional"
)

// Orders returns a copy of the venue's rows, oldest first.
func (v *VenueLedger) Orders() []LedgerOrder {
	return v.ledger.rows(func(row *LedgerOrder) bool { return row.Venue == v.venue })
}

// Reject records an order that the venue rejected, with the venue's own error text.
// It sets venue, status and times of the row.
func (v *VenueLedger) Reject(row LedgerOrder, at time.Time) {
	row.Venue, row.Status, row.Kind = v.venue, "refused", cmp.Or(row.Kind, kindOrder)
	row.AcceptedAt, row.UpdatedAt = ledgerTime(at), ledgerTime(at)
	v.ledger.add(&row)
}

func (v *VenueLedger) key(kind string, id int64) ledgerKey {
	return ledgerKey{venue: v.venue, kind: kind, id: v.format(id)}
}

func (v *VenueLedger) accepted(o Order) {
	row := v.rowOf(o)
	v.ledger.add(&row)
}

func (v *VenueLedger) rowOf(o Order) LedgerOrder {
	row := LedgerOrder{
		Venue: v.venue, VenueOrderID: v.format(o.ID), ClientOrderID: o.ClientID, Account: o.Account, Symbol: o.Symbol,
		Side: o.Side.String(), Type: o.Type.String(), Kind: kindOrder, AcceptedAt: ledgerTime(o.CreatedAt),
	}
	if o.Parent != 0 {
		row.ParentID = v.format(o.Parent)
	}
	row.setState(o)
	return row
}

func (row *LedgerOrder) setState(o Order) {
	row.Qty, row.BaseQty = o.Qty().String(), o.BaseQty().String()
	row.FilledQty, row.Price = o.FilledQty().String(), o.Price().String()
	row.Status, row.UpdatedAt = o.Status.String(), ledgerTime(o.UpdatedAt)
}

func (v *VenueLedger) updated(o Order, fill *Fill) {
	v.ledger.change(v.key(kindOrder, o.ID), func(row *LedgerOrder) {
		row.setState(o)
		if fill != nil {
			row.Fills = append(row.Fills, ledgerFillOf(fill))
		}
	})
}

func ledgerFillOf(fill *Fill) LedgerFill {
	return LedgerFill{
		TradeID: strconv.FormatInt(fill.TradeID, 10), Price: fill.Price.String(), Qty: fill.Qty.String(),
		Fee: fill.Fee.String(), Maker: fill.Maker, Time: ledgerTime(fill.Time),
	}
}

func (v *VenueLedger) acceptedConditional(c Conditional, t *terms) {
	row := v.rowOfConditional(c, t)
	v.ledger.add(&row)
}

func (v *VenueLedger) rowOfConditional(c Conditional, t *terms) LedgerOrder {
	r := &c.Request
	return LedgerOrder{
		Venue: v.venue, VenueOrderID: v.format(c.ID), ClientOrderID: r.ClientID, Account: r.Account, Symbol: r.Symbol,
		Side: r.Side.String(), Type: conditionalType(r), Kind: kindConditional,
		Qty: r.Qty.String(), BaseQty: r.Qty.Mul(t.ContractSize).String(), FilledQty: "0",
		Price: r.Price.String(), Status: c.Status.String(),
		AcceptedAt: ledgerTime(c.CreatedAt), UpdatedAt: ledgerTime(c.UpdatedAt), Rejection: string(c.Rejected),
	}
}

func (v *VenueLedger) updatedConditional(c Conditional) {
	v.ledger.change(v.key(kindConditional, c.ID), func(row *LedgerOrder) {
		row.Status, row.UpdatedAt = c.Status.String(), ledgerTime(c.UpdatedAt)
		row.Rejection = string(c.Rejected)
	})
}

func (v *VenueLedger) amendedConditional(c Conditional, t *terms) {
	r := &c.Request
	v.ledger.change(v.key(kindConditional, c.ID), func(row *LedgerOrder) {
		row.Qty, row.BaseQty, row.Price = r.Qty.String(), r.Qty.Mul(t.ContractSize).String(), r.Price.String()
		row.UpdatedAt = ledgerTime(c.UpdatedAt)
	})
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

func ledgerTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
