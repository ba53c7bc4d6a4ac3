package bybit

import (
	"context"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

const (
	realtimePath = "/v5/order/realtime"
	historyPath  = "/v5/order/history"
	ordersPage   = 50
)

// Order returns one order: from the active and newest ones, else from the history, which
// may lag behind.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	p := restclient.Params{{"category", category}, {"symbol", a.c.venueSymbol(ref.Symbol)}}
	if link, id := idsOf(ref); link != "" {
		p = p.With("orderLinkId", link)
	} else {
		p = p.With("orderId", id)
	}
	for _, path := range []string{realtimePath, historyPath} {
		var answer page[orderRecord]
		if err := a.get(ctx, path, p, &answer); err != nil {
			return venues.ExecutionReport{}, a.c.explainUnlisted(ref.Symbol, err)
		}
		for n := range answer.List {
			row := &answer.List[n]
			if !row.matches(ref) {
				continue // the venue ignored the id
			}
			report, err := row.report()
			if err != nil {
				return report, restclient.Unreadable(http.MethodGet, path, err)
			}
			return report, nil
		}
	}
	return venues.ExecutionReport{}, venues.Errorf(venues.CodeNotFound, "the venue does not return the order")
}

// matches reports whether a record is the order of a reference.
func (o *orderRecord) matches(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.OrderLinkID == ref.ClientOrderID
	}
	return o.OrderID == ref.VenueOrderID
}

// OpenOrders returns the open orders of all settlement coins, including stops and the
// venue's own protecting orders, each once: lists change while they are paged.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	reports := []venues.ExecutionReport{}
	seen := make(map[string]bool)
	for _, coin := range settleCoins {
		r := get(realtimePath, restclient.Params{{"category", category}, {"settleCoin", coin}, {"openOnly", "0"}}, a, restclient.PriorityReconcile)
		rows, err := pages[orderRecord](ctx, a.c, r, ordersPage)
		if err != nil {
			return nil, err
		}
		for n := range rows {
			report, err := rows[n].report()
			if err != nil {
				return nil, malformed(r, err)
			}
			if !seen[report.VenueOrderID] {
				seen[report.VenueOrderID] = true
				reports = append(reports, report)
			}
		}
	}
	return reports, nil
}
