package okx

import (
	"context"
	"errors"
	"net/http"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

const (
	historyPath = "/api/v5/trade/orders-history"
	// historyLimit is the venue's rate limit of the history; historyPagesMax bounds
	// the pages that are searched for an order.
	historyLimit    = 40
	historyPagesMax = 20
	// closedAlgosPagesMax bounds the pages of one kind of stop with one end state: two
	// thousand stops.
	closedAlgosPagesMax = 20
)

// closedAlgoKinds and closedAlgoStates: the venue lists closed stops by kind and state, and
// each combination is one request.
var (
	closedAlgoKinds  = []string{algoConditional, algoOCO, algoTrigger}
	closedAlgoStates = []string{algoEffective, algoCanceled, algoFailed}
)

// closedAlgos are closed stops of all instruments. They are shared and must not be
// changed.
type closedAlgos []algoRecord

// searchAlgos searches the closed stops. One read answers all queries that were made before
// it began, so that many queries for stops that the venue has purged cause one read.
func (a *Account) searchAlgos(ctx context.Context, k *instrument, ref venues.OrderRef) (venues.ExecutionReport, error) {
	closed, err := a.closedAlgos.Read(ctx, a.readClosedAlgos)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	row := closed.find(k, ref)
	if row == nil {
		return venues.ExecutionReport{}, orderNotFound()
	}
	return a.followAlgo(ctx, k, row)
}

func (a *Account) readClosedAlgos(ctx context.Context) (closedAlgos, error) {
	var closed closedAlgos
	for _, kind := range closedAlgoKinds {
		for _, state := range closedAlgoStates {
			some, err := a.readClosedList(ctx, kind, state)
			if err != nil {
				return nil, err
			}
			closed = append(closed, some...)
		}
	}
	return closed, nil
}

// absenceProvenSince returns the time to which the lists must be read: the venue may have
// purged an older order, so that its absence proves nothing.
func (a *Account) absenceProvenSince() time.Time { return a.c.Clock.Now().Add(-unfilledRetention) }

// readClosedList reads the list of one kind and state, back to absenceProvenSince.
func (a *Account) readClosedList(ctx context.Context, kind, state string) (closed closedAlgos, err error) {
	needed := a.absenceProvenSince()
	p := restclient.Params{{"ordType", kind}, {"state", state}}
	err = eachPage(closedAlgosPagesMax, func(after string) (last string, more bool, err error) {
		var rows closedAlgos
		if err := a.get(ctx, algoHistoryPath, pageAfter(p, after), algoLimit, &rows); err != nil || len(rows) == 0 {
			return "", false, err
		}
		closed = append(closed, rows...)
		oldestRow := &rows[len(rows)-1]
		return oldestRow.AlgoID, len(rows) == ordersPage && !oldestRow.CTime.Before(needed), nil
	})
	return closed, err
}

// find returns the stop of a reference; nil if it is not in the list.
func (l closedAlgos) find(k *instrument, ref venues.OrderRef) *algoRecord {
	for n := range l {
		if l[n].InstID == k.VenueSymbol && l[n].matches(ref) {
			return &l[n]
		}
	}
	return nil
}

// matches reports whether a record is the stop of a reference.
func (o *algoRecord) matches(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.AlgoClOrdID == ref.ClientOrderID
	}
	return o.AlgoID == ref.VenueOrderID || o.childID() == ref.VenueOrderID
}

// closedOrders are closed orders of one instrument. They are shared and must not be
// changed.
type closedOrders struct {
	rows []orderRecord
	// incomplete is the error if they do not go back to absenceProvenSince; else nil.
	incomplete error
}

// closedOrdersOf returns the shared read of an instrument's closed orders.
func (a *Account) closedOrdersOf(k *instrument) *restclient.SharedRead[closedOrders] {
	shared, _ := a.closedOrders.LoadOrStore(k.VenueSymbol, restclient.NewSharedRead[closedOrders]())
	return shared.(*restclient.SharedRead[closedOrders])
}

// searchOrders searches the closed orders of an instrument. As in searchAlgos, one read
// answers all queries that were made before it began.
func (a *Account) searchOrders(ctx context.Context, k *instrument, ref venues.OrderRef) (venues.ExecutionReport, error) {
	closed, err := a.closedOrdersOf(k).Read(ctx, func(ctx context.Context) (closedOrders, error) { return a.readClosedOrders(ctx, k) })
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	for n := range closed.rows {
		if !closed.rows[n].matches(ref) {
			continue
		}
		report, err := closed.rows[n].report(k)
		if err != nil {
			return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, historyPath, err)
		}
		return report, nil
	}
	if closed.incomplete != nil {
		return venues.ExecutionReport{}, closed.incomplete
	}
	return venues.ExecutionReport{}, orderNotFound()
}

// readClosedOrders reads an instrument's history. If it is too long to be read
// completely, it must at least cover the time in which an absence can be confirmed.
func (a *Account) readClosedOrders(ctx context.Context, k *instrument) (closed closedOrders, err error) {
	var lastTime time.Time // of the rows read
	p := restclient.Params{{"instType", k.instType}, {"instId", k.VenueSymbol}}
	err = eachPage(historyPagesMax, func(after string) (last string, more bool, err error) {
		var rows []orderRecord
		if err := a.get(ctx, historyPath, pageAfter(p, after), historyLimit, &rows); err != nil || len(rows) == 0 {
			return "", false, err
		}
		closed.rows = append(closed.rows, rows...)
		oldestRow := &rows[len(rows)-1]
		lastTime = oldestRow.CTime.Time
		return oldestRow.OrdID, len(rows) == ordersPage, nil
	})
	if !errors.Is(err, errTooManyPages) {
		return closed, err
	}
	if !lastTime.Before(a.absenceProvenSince()) {
		closed.incomplete = err
	}
	return closed, nil
}

// matches reports whether a record is the order of a reference.
func (o *orderRecord) matches(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.ClOrdID == ref.ClientOrderID || o.AlgoClOrdID == ref.ClientOrderID
	}
	return o.OrdID == ref.VenueOrderID
}
