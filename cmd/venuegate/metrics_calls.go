package main

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// operation is a kind of request to a venue.
type operation int

const (
	opPlace operation = iota
	opAmend
	opCancel
	opProtect
	opLeverage
	opQuery
	opRead
	opMarket
	opClock
	operationCount
)

func (o operation) String() string {
	return [operationCount]string{"place", "amend", "cancel", "protect", "leverage", "query", "read", "market", "clock"}[o]
}

// mutates reports whether the operation changes something at the venue.
func (o operation) mutates() bool { return o <= opLeverage }

// callOutcome is the outcome of a request to a venue.
type callOutcome int

const (
	callOK callOutcome = iota
	// callRejected: the venue has answered with a rejection or an error.
	callRejected
	// callNotSent and callUnknown are venues.ErrNotSent and ErrOutcomeUnknown, of
	// operations that change something.
	callNotSent
	callUnknown
	// callFailed: there was no answer, of other operations.
	callFailed
	callOutcomes
)

func (o callOutcome) String() string {
	return [callOutcomes]string{"ok", "rejected", "not_sent", "unknown", "failed"}[o]
}

// outcomesOf are the possible outcomes of an operation.
func outcomesOf(o operation) []callOutcome {
	if o.mutates() {
		return []callOutcome{callOK, callRejected, callNotSent, callUnknown}
	}
	return []callOutcome{callOK, callRejected, callFailed}
}

func outcomeOf(o operation, err error) callOutcome {
	switch {
	case err == nil:
		return callOK
	case o.mutates() && errors.Is(err, venues.ErrNotSent):
		return callNotSent
	case o.mutates() && errors.Is(err, venues.ErrOutcomeUnknown):
		return callUnknown
	case !o.mutates() && isUnanswered(err):
		return callFailed
	}
	return callRejected
}

// isUnanswered reports whether a request that changes nothing was not answered by its
// venue.
func isUnanswered(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return !ok || e.VenueCode == "" && (e.Code == venues.CodeExchangeUnavailable || e.Code == venues.CodeMaintenance || e.Code == venues.CodeRateLimited)
}

// callBuckets are the bounds of the durations of requests to venues, in seconds.
var callBuckets = []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}

// calls observes the requests to one venue. Its histograms are looked up once, so that an
// order does not.
type calls [operationCount][callOutcomes]prometheus.Observer

// newCalls returns the observers of every venue, with all their series.
func newCalls(metrics prometheus.Registerer) map[venues.Venue]*calls {
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "venuegate_venue_call_duration_seconds", Help: "Time of a request to a venue with its wait for the venue's rate limits.", Buckets: callBuckets,
	}, []string{"exchange", "operation", "outcome"})
	metrics.MustRegister(durations)
	all := map[venues.Venue]*calls{}
	for _, exchange := range venues.All() {
		all[exchange] = &calls{}
		for o := range operationCount {
			for _, outcome := range outcomesOf(o) {
				all[exchange][o][outcome] = durations.WithLabelValues(string(exchange), o.String(), outcome.String())
			}
		}
	}
	return all
}

func (c *calls) observe(o operation, began time.Time, err error) {
	c[o][outcomeOf(o, err)].Observe(time.Since(began).Seconds())
}

// observedConnector observes the requests of a connector and of its accounts.
type observedConnector struct {
	venues.Connector
	calls *calls
}

func observeConnectors(connectors map[venues.Venue]venues.Connector, all map[venues.Venue]*calls) map[venues.Venue]venues.Connector {
	observed := make(map[venues.Venue]venues.Connector, len(connectors))
	for exchange, c := range connectors {
		observed[exchange] = observedConnector{c, all[exchange]}
	}
	return observed
}

func (c observedConnector) SyncClock(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	offset, err := c.Connector.SyncClock(ctx)
	c.calls.observe(opClock, began, err)
	return offset, err
}

func (c observedConnector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	began := time.Now()
	list, err := c.Connector.Instruments(ctx)
	c.calls.observe(opMarket, began, err)
	return list, err
}

func (c observedConnector) Snapshot(ctx context.Context, symbol string) (*venues.BookUpdate, error) {
	began := time.Now()
	book, err := c.Connector.Snapshot(ctx, symbol)
	c.calls.observe(opMarket, began, err)
	return book, err
}

func (c observedConnector) Trades(ctx context.Context, symbol string, limit int) ([]venues.Trade, error) {
	began := time.Now()
	list, err := c.Connector.Trades(ctx, symbol, limit)
	c.calls.observe(opMarket, began, err)
	return list, err
}

func (c observedConnector) Tickers(ctx context.Context, symbol string) ([]venues.Ticker, error) {
	began := time.Now()
	list, err := c.Connector.Tickers(ctx, symbol)
	c.calls.observe(opMarket, began, err)
	return list, err
}

func (c observedConnector) Candles(ctx context.Context, q venues.CandlesQuery) ([]venues.Candle, error) {
	began := time.Now()
	list, err := c.Connector.Candles(ctx, q)
	c.calls.observe(opMarket, began, err)
	return list, err
}

// OpenAccount returns an account that implements venues.Protector if the venue's does.
func (c observedConnector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	account, err := c.Connector.OpenAccount(credentials)
	if err != nil {
		return nil, err
	}
	observed := observedAccount{account, c.calls}
	if protector, can := account.(venues.Protector); can {
		return observedProtector{observed, protector}, nil
	}
	return observed, nil
}

// observedAccount observes the requests of an account that the service sends on its own.
type observedAccount struct {
	venues.Account
	calls *calls
}

func (a observedAccount) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	began := time.Now()
	report, err := a.Account.Place(ctx, r)
	a.calls.observe(opPlace, began, err)
	return report, err
}

func (a observedAccount) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	began := time.Now()
	report, err := a.Account.Amend(ctx, r)
	a.calls.observe(opAmend, began, err)
	return report, err
}

func (a observedAccount) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	began := time.Now()
	report, err := a.Account.Cancel(ctx, ref)
	a.calls.observe(opCancel, began, err)
	return report, err
}

func (a observedAccount) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	began := time.Now()
	change, err := a.Account.SetLeverage(ctx, symbol, leverage)
	a.calls.observe(opLeverage, began, err)
	return change, err
}

func (a observedAccount) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	began := time.Now()
	report, err := a.Account.Order(ctx, ref)
	a.calls.observe(opQuery, began, err)
	return report, err
}

func (a observedAccount) Mode(ctx context.Context) (venues.AccountMode, error) {
	return observedRead(a.calls, func() (venues.AccountMode, error) { return a.Account.Mode(ctx) })
}

func (a observedAccount) Balances(ctx context.Context) ([]venues.Balance, error) {
	return observedRead(a.calls, func() ([]venues.Balance, error) { return a.Account.Balances(ctx) })
}

func (a observedAccount) Positions(ctx context.Context) ([]venues.Position, error) {
	return observedRead(a.calls, func() ([]venues.Position, error) { return a.Account.Positions(ctx) })
}

func (a observedAccount) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	return observedRead(a.calls, func() ([]venues.ExecutionReport, error) { return a.Account.OpenOrders(ctx) })
}

func (a observedAccount) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	return observedRead(a.calls, func() ([]venues.Fill, error) { return a.Account.Fills(ctx, q) })
}

func (a observedAccount) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	return observedRead(a.calls, func() ([]string, error) { return a.Account.Traded(ctx, from, to) })
}

func observedRead[T any](c *calls, read func() (T, error)) (T, error) {
	began := time.Now()
	answer, err := read()
	c.observe(opRead, began, err)
	return answer, err
}

// observedProtector is the observedAccount of a venue that attaches protection to orders.
type observedProtector struct {
	observedAccount
	protector venues.Protector
}

// Protect implements venues.Protector.
func (a observedProtector) Protect(ctx context.Context, r venues.ProtectRequest) error {
	began := time.Now()
	err := a.protector.Protect(ctx, r)
	a.calls.observe(opProtect, began, err)
	return err
}
