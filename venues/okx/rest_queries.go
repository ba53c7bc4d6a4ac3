package okx

import (
	"context"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const (
	pendingPath = "/api/v5/trade/orders-pending"
	// ordersPage is the most rows of one answer; pendingPagesMax covers the 4000
	// orders that an account may have open.
	ordersPage      = 100
	pendingPagesMax = 50
)

// Order finds one order. A stop that has triggered is told with the state of the
// order that it became.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	k, err := a.c.instrument(ctx, ref.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	lookups := []func(context.Context, *contract, venues.OrderRef) (venues.ExecutionReport, error){a.queryOrder, a.searchOrders}
	stops := []func(context.Context, *contract, venues.OrderRef) (venues.ExecutionReport, error){a.queryAlgo, a.searchAlgos}
	switch {
	case ref.Type.IsStop():
		// An adopted stop may be known by the id of the order that it became.
		lookups = append(stops, a.queryOrder)
	case ref.Type == "":
		lookups = append(lookups, stops...)
	}
	var report venues.ExecutionReport
	for _, lookup := range lookups {
		if report, err = lookup(ctx, k, ref); !isNotFound(err) {
			return report, err
		}
	}
	return report, err
}

// queryOrder asks for an order by its name.
func (a *Account) queryOrder(ctx context.Context, k *contract, ref venues.OrderRef) (venues.ExecutionReport, error) {
	p := restclient.Params{{"instId", k.VenueSymbol}}
	if name := nameOf(k, ref); name.ClOrdID != "" {
		p = p.With("clOrdId", name.ClOrdID)
	} else {
		p = p.With("ordId", name.OrdID)
	}
	var rows []orderRecord
	err := a.c.call(ctx, a.perInstrument(orderPath, p, orderLimit, k), &rows)
	switch {
	case refusal.Is(err, codeInstrumentUnknown): // what is off the list is shown by its history alone
		return venues.ExecutionReport{}, notShown()
	case err != nil:
		return venues.ExecutionReport{}, err
	case len(rows) == 0:
		return venues.ExecutionReport{}, notShown()
	}
	report, err := rows[0].report(k)
	if err != nil {
		return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, orderPath, err)
	}
	return report, nil
}

func (a *Account) perInstrument(path string, p restclient.Params, limit int, k *contract) request {
	r := a.reading(path, p, limit)
	r.limit.scope = k.VenueSymbol
	return r
}

func notShown() error {
	return venues.Errorf(venues.CodeNotFound, "the venue does not show the order")
}

// OpenOrders lists what is open in both services of the venue.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	var reports []venues.ExecutionReport
	err := eachPage(pendingPagesMax, func(after string) (last string, more bool, err error) {
		var rows []orderRecord
		if err := a.get(ctx, pendingPath, pageAfter(restclient.Params{}, after), 60, &rows); err != nil {
			return "", false, err
		}
		for n := range rows {
			if reports, err = a.addOrder(ctx, reports, &rows[n]); err != nil {
				return "", false, restclient.Unreadable(http.MethodGet, pendingPath, err)
			}
			last = rows[n].OrdID
		}
		return last, len(rows) == ordersPage, nil
	})
	if err != nil {
		return nil, err
	}
	return a.addAlgos(ctx, reports)
}

func (a *Account) addOrder(ctx context.Context, reports []venues.ExecutionReport, row *orderRecord) ([]venues.ExecutionReport, error) {
	k, err := a.c.named(ctx, row.InstID)
	if err != nil || k == nil {
		return reports, err
	}
	report, err := row.report(k)
	if err != nil {
		return reports, err
	}
	return append(reports, report), nil
}
