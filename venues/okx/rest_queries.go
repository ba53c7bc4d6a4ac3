package okx

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues"
)

const (
	pendingPath = "/api/v5/trade/orders-pending"
	historyPath = "/api/v5/trade/orders-history"
	// ordersPage is the most rows of one answer; pendingPagesMax covers the 4000
	// orders that an account may have open, historyPagesMax how far an order that
	// the venue does not find by its name is looked for.
	ordersPage      = 100
	pendingPagesMax = 50
	historyPagesMax = 20
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
	p := params{{"instId", k.VenueSymbol}}
	if name := nameOf(k, ref); name.ClOrdID != "" {
		p = p.with("clOrdId", name.ClOrdID)
	} else {
		p = p.with("ordId", name.OrdID)
	}
	var rows []orderRecord
	err := a.c.call(ctx, a.perInstrument(orderPath, p, orderLimit, k), &rows)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	if len(rows) == 0 {
		return venues.ExecutionReport{}, notShown()
	}
	report, err := rows[0].report(k)
	if err != nil {
		return venues.ExecutionReport{}, unreadable(http.MethodGet, orderPath, err)
	}
	return report, nil
}

func (a *Account) perInstrument(path string, p params, limit int, k *contract) request {
	r := a.reading(path, p, limit)
	r.limit.scope = k.VenueSymbol
	return r
}

func notShown() error {
	return venues.Errorf(venues.CodeNotFound, "the venue does not show the order")
}

// is says whether a record is the order of a reference.
func (o *orderRecord) is(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.ClOrdID == ref.ClientOrderID || o.AlgoClOrdID == ref.ClientOrderID
	}
	return o.OrdID == ref.VenueOrderID
}

// searchOrders looks for an order among the closed ones of its instrument. Of an
// account that trades too much to be read to the end, at least the span must be
// covered in which absence proves something.
func (a *Account) searchOrders(ctx context.Context, k *contract, ref venues.OrderRef) (venues.ExecutionReport, error) {
	var found *orderRecord
	var oldest time.Time
	p := params{{"instType", k.instType}, {"instId", k.VenueSymbol}}
	err := eachPage(historyPagesMax, func(after string) (last string, more bool, err error) {
		var rows []orderRecord
		if err := a.get(ctx, historyPath, p.page(after), 40, &rows); err != nil {
			return "", false, err
		}
		for n := range rows {
			if rows[n].is(ref) {
				found = &rows[n]
				return "", false, nil
			}
			last, oldest = rows[n].OrdID, rows[n].CTime.Time
		}
		return last, len(rows) == ordersPage, nil
	})
	covered := errors.Is(err, errPagesMax) && oldest.Before(a.c.clock.Now().Add(-unfilledRetention))
	switch {
	case err != nil && !covered:
		return venues.ExecutionReport{}, err
	case found == nil:
		return venues.ExecutionReport{}, notShown()
	}
	report, err := found.report(k)
	if err != nil {
		return venues.ExecutionReport{}, unreadable(http.MethodGet, historyPath, err)
	}
	return report, nil
}

// page asks for the page after a row; the first one if that is empty.
func (p params) page(after string) params {
	paged := p[:len(p):len(p)].with("limit", strconv.Itoa(ordersPage))
	if after != "" {
		paged = paged.with("after", after)
	}
	return paged
}

// eachPage reads pages, newest first, until read says that there are no more. A
// list longer than pagesMax is an error: half of it proves nothing.
func eachPage(pagesMax int, read func(after string) (last string, more bool, err error)) error {
	after := ""
	for range pagesMax {
		last, more, err := read(after)
		if err != nil || !more {
			return err
		}
		if last == "" || last == after {
			return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's pages do not advance")
		}
		after = last
	}
	return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's list is longer than %d pages", pagesMax).Because(errPagesMax)
}

var errPagesMax = errors.New("more pages than are read")

// OpenOrders lists what is open in both services of the venue.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	var reports []venues.ExecutionReport
	err := eachPage(pendingPagesMax, func(after string) (last string, more bool, err error) {
		var rows []orderRecord
		if err := a.get(ctx, pendingPath, params{}.page(after), 60, &rows); err != nil {
			return "", false, err
		}
		for n := range rows {
			if reports, err = a.addOrder(ctx, reports, &rows[n]); err != nil {
				return "", false, unreadable(http.MethodGet, pendingPath, err)
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
