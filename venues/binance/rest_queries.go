package binance

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

// orderCall calls one of the venue's two order services.
type orderCall func(context.Context, venues.OrderRef) (venues.ExecutionReport, error)

// lookupsOf returns the calls that may find an order, in the order to try them. A stop
// begins as an algo order and becomes a regular one; an order of unknown type may be
// either.
func lookupsOf(ref venues.OrderRef, regular, algo orderCall) []orderCall {
	switch {
	case ref.Type.IsStop():
		return []orderCall{algo, regular}
	case ref.Type == "":
		return []orderCall{regular, algo}
	default:
		return []orderCall{regular}
	}
}

// Order returns one order. A stop that has triggered has the state of its engine order.
func (a *Account) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	var report venues.ExecutionReport
	var err error
	for _, lookup := range lookupsOf(ref, a.queryOrder, a.queryAlgo) {
		if report, err = lookup(ctx, ref); !isNotFound(err) {
			return report, err
		}
	}
	return report, err
}

func (a *Account) queryOrder(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return a.callOrder(ctx, a.reading(orderPath, a.orderName(ref), 1), new(orderRecord))
}

// record is an order of either service.
type record interface {
	report() (venues.ExecutionReport, error)
}

// callOrder executes a request whose answer is an order, decodes it into answer and returns
// its report.
func (a *Account) callOrder(ctx context.Context, r request, answer record) (venues.ExecutionReport, error) {
	if err := a.c.call(ctx, r, answer); err != nil {
		return venues.ExecutionReport{}, err
	}
	report, err := answer.report()
	if err != nil {
		return venues.ExecutionReport{}, malformed(r, err)
	}
	return report, nil
}

// OpenOrders returns the open orders of both services, which it reads at the same time.
func (a *Account) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	const openPath, openAlgoPath = "/fapi/v1/openOrders", "/fapi/v1/openAlgoOrders"
	var orders []orderRecord
	var algos []algoRecord
	var err, errAlgo error
	var wait sync.WaitGroup
	wait.Go(func() { errAlgo = a.get(ctx, openAlgoPath, nil, 40, &algos) })
	err = a.get(ctx, openPath, nil, 40, &orders)
	wait.Wait()
	if err := cmp.Or(err, errAlgo); err != nil {
		return nil, err
	}
	reports := make([]venues.ExecutionReport, 0, len(orders)+len(algos))
	for n := range orders {
		report, err := orders[n].report()
		if err != nil {
			return nil, restclient.Unreadable(http.MethodGet, openPath, err)
		}
		reports = append(reports, report)
	}
	for n := range algos {
		report, err := algos[n].report()
		if err != nil {
			return nil, restclient.Unreadable(http.MethodGet, openAlgoPath, err)
		}
		reports = append(reports, report)
	}
	return reports, nil
}
