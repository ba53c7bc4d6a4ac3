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

// Order finds one order: among the active and newest ones, then in the history,
// which may lag behind.
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
			return venues.ExecutionReport{}, a.c.withoutSymbol(ref.Symbol, err)
		}
		for n := range answer.List {
			row := &answer.List[n]
			if !row.is(ref) {
				continue // the venue did not heed the id
			}
			report, err := row.report()
			if err != nil {
				return report, malformed(request{method: http.MethodGet, path: path}, err)
			}
			return report, nil
		}
	}
	return venues.ExecutionReport{}, venues.Errorf(venues.CodeNotFound, "the venue does not show the order")
}

func (o *orderRecord) is(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.OrderLinkID == ref.ClientOrderID
	}
	return o.OrderID == ref.VenueOrderID
}

// OpenOrders lists what is open in all settlement coins, stops and the venue's
// own protecting orders among them, each once: lists move while they are paged.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	reports := []venues.ExecutionReport{}
	seen := make(map[string]bool)
	for _, coin := range settleCoins {
		r := get(realtimePath, restclient.Params{{"category", category}, {"settleCoin", coin}, {"openOnly", "0"}}, a, restclient.LaneReconcile)
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
