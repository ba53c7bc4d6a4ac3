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
	// historyLimit is the venue's for the history; historyPagesMax how far an order
	// that it does not find by its name is looked for.
	historyLimit    = 40
	historyPagesMax = 20
	// closedAlgosPagesMax bounds the reading of one kind of stop with one end: two
	// thousand of them.
	closedAlgosPagesMax = 20
)

// closedKinds and closedEnds are asked for one by one: the venue lists the stops
// that ended by kind and by end.
var (
	closedKinds = []string{algoConditional, algoOCO, algoTrigger}
	closedEnds  = []string{algoEffective, algoCanceled, algoFailed}
)

// closedAlgos are stops of all instruments that ended. They are shared: nobody
// changes them.
type closedAlgos []algoRecord

// searchAlgos looks for a stop among those that ended. Each question is answered by
// a reading that began after it, and one reading answers all questions that came
// before: a venue that has forgotten many stops is not asked for each of them.
func (a *Account) searchAlgos(ctx context.Context, k *contract, ref venues.OrderRef) (venues.ExecutionReport, error) {
	closed, err := a.closedAlgos.Read(ctx, a.readClosedAlgos)
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	row := closed.find(k, ref)
	if row == nil {
		return venues.ExecutionReport{}, notShown()
	}
	return a.followAlgo(ctx, k, row)
}

func (a *Account) readClosedAlgos(ctx context.Context) (closedAlgos, error) {
	var closed closedAlgos
	for _, kind := range closedKinds {
		for _, end := range closedEnds {
			some, err := a.readEnded(ctx, kind, end)
			if err != nil {
				return nil, err
			}
			closed = append(closed, some...)
		}
	}
	return closed, nil
}

// readEnded reads the newest page of one list, and on as far back as an absence
// proves something.
func (a *Account) readEnded(ctx context.Context, kind, end string) (closed closedAlgos, err error) {
	oldest := a.c.clock.Now().Add(-unfilledRetention)
	p := restclient.Params{{"ordType", kind}, {"state", end}}
	err = eachPage(closedAlgosPagesMax, func(after string) (last string, more bool, err error) {
		var rows closedAlgos
		if err := a.get(ctx, algoHistoryPath, pageAfter(p, after), algoLimit, &rows); err != nil || len(rows) == 0 {
			return "", false, err
		}
		closed = append(closed, rows...)
		edge := &rows[len(rows)-1]
		return edge.AlgoID, len(rows) == ordersPage && !edge.CTime.Before(oldest), nil
	})
	return closed, err
}

// find gives the stop of a reference; nil if it is not there.
func (l closedAlgos) find(k *contract, ref venues.OrderRef) *algoRecord {
	for n := range l {
		if l[n].InstID == k.VenueSymbol && l[n].is(ref) {
			return &l[n]
		}
	}
	return nil
}

// is says whether a record is the stop of a reference.
func (o *algoRecord) is(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.AlgoClOrdID == ref.ClientOrderID
	}
	return o.AlgoID == ref.VenueOrderID || o.child() == ref.VenueOrderID
}

// closedOrders are orders of one instrument that ended. They are shared: nobody
// changes them.
type closedOrders struct {
	rows []orderRecord
	// unread is why they do not go back as far as an absence proves something; nil if
	// they do.
	unread error
}

// closedOrdersOf is the reading of an instrument's closed orders.
func (a *Account) closedOrdersOf(k *contract) *restclient.Shared[closedOrders] {
	shared, _ := a.closedOrders.LoadOrStore(k.VenueSymbol, restclient.NewShared[closedOrders]())
	return shared.(*restclient.Shared[closedOrders])
}

// searchOrders looks for an order among the closed ones of its instrument. As with
// stops one reading answers all questions that came before it.
func (a *Account) searchOrders(ctx context.Context, k *contract, ref venues.OrderRef) (venues.ExecutionReport, error) {
	closed, err := a.closedOrdersOf(k).Read(ctx, func(ctx context.Context) (closedOrders, error) { return a.readClosedOrders(ctx, k) })
	if err != nil {
		return venues.ExecutionReport{}, err
	}
	for n := range closed.rows {
		if !closed.rows[n].is(ref) {
			continue
		}
		report, err := closed.rows[n].report(k)
		if err != nil {
			return venues.ExecutionReport{}, restclient.Unreadable(http.MethodGet, historyPath, err)
		}
		return report, nil
	}
	if closed.unread != nil {
		return venues.ExecutionReport{}, closed.unread
	}
	return venues.ExecutionReport{}, notShown()
}

// readClosedOrders reads an instrument's history. Of an account that trades too much
// for it to be read to the end, at least the span must be covered in which absence
// proves something.
func (a *Account) readClosedOrders(ctx context.Context, k *contract) (closed closedOrders, err error) {
	var oldest time.Time
	p := restclient.Params{{"instType", k.instType}, {"instId", k.VenueSymbol}}
	err = eachPage(historyPagesMax, func(after string) (last string, more bool, err error) {
		var rows []orderRecord
		if err := a.get(ctx, historyPath, pageAfter(p, after), historyLimit, &rows); err != nil || len(rows) == 0 {
			return "", false, err
		}
		closed.rows = append(closed.rows, rows...)
		edge := &rows[len(rows)-1]
		oldest = edge.CTime.Time
		return edge.OrdID, len(rows) == ordersPage, nil
	})
	if !errors.Is(err, errPagesMax) {
		return closed, err
	}
	if !oldest.Before(a.c.clock.Now().Add(-unfilledRetention)) {
		closed.unread = err
	}
	return closed, nil
}

// is says whether a record is the order of a reference.
func (o *orderRecord) is(ref venues.OrderRef) bool {
	if ref.ClientOrderID != "" {
		return o.ClOrdID == ref.ClientOrderID || o.AlgoClOrdID == ref.ClientOrderID
	}
	return o.OrdID == ref.VenueOrderID
}
