package okx

import (
	"context"
	"errors"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const (
	pendingPath = "/api/v5/trade/orders-pending"
	// ordersPage is the maximum number of rows of one answer; pendingPagesMax covers the
	// 4000 orders that an account may have open.
	ordersPage      = 100
	pendingPagesMax = 50
)

// Order returns one order. A stop that has triggered has the state of the order that it
// has become.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	k, err := a.c.instrument(ctx, ref.Symbol)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	lookups := []func(context.Context, *instrument, venues.OrderRef) (venues.ExecutionReport, error){a.queryOrder, a.searchOrders}
	stops := []func(context.Context, *instrument, venues.OrderRef) (venues.ExecutionReport, error){a.queryAlgo, a.searchAlgos}
	switch {
	case ref.Type.IsStop():
		// An adopted stop may be known by the id of the order that it has become.
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

// queryOrder reads an order by its id.
func (a *Account) queryOrder(ctx context.Context, k *instrument, ref venues.OrderRef) (venues.ExecutionReport, error) {
	p := restclient.Params{{"instId", k.VenueSymbol}}
	if name := orderNameOf(k, ref); name.ClOrdID != "" {
		p = p.With("clOrdId", name.ClOrdID)
	} else {
		p = p.With("ordId", name.OrdID)
	}
	r := a.signedRead(orderPath, p, orderLimit)
	r.limit.scope = k.VenueSymbol
	var rows []orderRecord
	err := a.c.call(ctx, r, &rows)
	switch {
	case rejection.Is(err, codeInstrumentUnknown): // for a delisted instrument only the history has orders
		return venues.ExecutionReport{}, orderNotFound()
	case err != nil:
		return venues.ExecutionReport{}, err
	case len(rows) == 0:
		return venues.ExecutionReport{}, orderNotFound()
	}
	report, err := rows[0].report(k)
	if err != nil {
		return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, orderPath, err)
	}
	return report, nil
}

func orderNotFound() error {
	return venues.Errorf(venues.CodeNotFound, "the venue does not return the order")
}

// OpenOrders returns open orders and untriggered stops.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	var reports []venues.ExecutionReport
	err := eachRecord(ctx, a, a.signedRead(pendingPath, nil, 60), pendingPagesMax, func(row *orderRecord) (id string, err error) {
		reports, err = a.appendReport(ctx, reports, pendingPath, row.InstID, row.report)
		return row.OrdID, err
	})
	if err != nil {
		return nil, err
	}
	for _, kinds := range pendingAlgoKinds {
		p := restclient.Params{{"ordType", kinds}}
		err := eachRecord(ctx, a, a.signedRead(algoPendingPath, p, algoLimit), pendingPagesMax, func(row *algoRecord) (id string, err error) {
			reports, err = a.appendReport(ctx, reports, algoPendingPath, row.InstID, row.report)
			return row.AlgoID, err
		})
		if err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// appendReport appends the report of a record in the answer of path, unless its instrument
// is not supported.
func (a *Account) appendReport(
	ctx context.Context, reports []venues.ExecutionReport, path, instID string, convert func(*instrument) (venues.ExecutionReport, error),
) ([]venues.ExecutionReport, error) {
	k, err := a.c.byVenueSymbol(ctx, instID)
	if err == nil && k == nil {
		return reports, nil
	}
	var report venues.ExecutionReport
	if err == nil {
		report, err = convert(k)
	}
	if err != nil {
		return reports, unreadableRow(path, err)
	}
	return append(reports, report), nil
}

// unreadableRow returns the error for a row in the answer of path that cannot be converted.
// An error of another call, which reads the instruments, is returned unchanged.
func unreadableRow(path string, err error) error {
	if _, ok := errors.AsType[*venues.Error](err); ok {
		return err
	}
	return restclient.Unreadable(http.MethodGet, path, err)
}
