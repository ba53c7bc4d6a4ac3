package simulation_test

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

func (w *world) lastPrice(exchange venues.Venue, symbol string) decimal.Decimal {
	mark, _ := w.venues[exchange].core.Mark(symbol)
	return mark.Mark
}

// checkFlat checks that a flat position has no protecting orders.
func (w *world) checkFlat(customer string, v *venue) {
	if len(v.openPositions(customer)) > 0 {
		return // reported by closePositions
	}
	entries := map[string]bool{}
	for _, r := range w.records(customer) {
		entries[r.OrderID] = r.Status.IsClosed()
	}
	for _, r := range w.records(customer) {
		if r.Exchange != v.exchange || r.EntryOrderID == "" || !entries[r.EntryOrderID] {
			continue
		}
		if t := v.report(customer, r.ClientOrderID); t.Status.IsActive() {
			w.violate("protection", "order %s (%s of %s) is %s and the position is flat", r.OrderID, r.Protects, r.EntryOrderID, t.Status)
		}
	}
}
