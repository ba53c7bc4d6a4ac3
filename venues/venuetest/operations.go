package venuetest

import (
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// operation calls the connector; it can be repeated. confirm, if not nil, checks the
// effect of a change at the venue.
type operation func() (confirm func(), err error)

// query returns an operation that changes nothing.
func query[T any](read func() (T, error)) operation {
	return func() (func(), error) {
		_, err := read()
		return nil, err
	}
}

// operations returns every operation of the interfaces of venues, by name. The account
// has a position, a resting order and an untriggered stop.
func (s *env) operations() map[string]operation {
	s.t.Helper()
	ctx := s.t.Context()
	s.filled(market(venues.Buy, "0.01"))
	order, waiting := s.resting(), s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(waiting, venues.StatusUntriggered)
	return map[string]operation{
		"instruments": query(func() ([]venues.Instrument, error) { return s.connector.Instruments(ctx) }),
		"candles":     query(func() ([]venues.Candle, error) { return s.candles(time.Time{}) }),
		"old candles": query(func() ([]venues.Candle, error) { return s.candles(time.Now().Add(-30 * 24 * time.Hour)) }),
		"trades":      query(func() ([]venues.Trade, error) { return s.connector.Trades(ctx, symbol, 10) }),
		"ticker":      query(func() ([]venues.Ticker, error) { return s.connector.Tickers(ctx, symbol) }),
		"tickers":     query(func() ([]venues.Ticker, error) { return s.connector.Tickers(ctx, "") }),
		"snapshot":    query(func() (*venues.BookUpdate, error) { return s.connector.Snapshot(ctx, symbol) }),
		"clock":       query(func() (time.Duration, error) { return s.connector.SyncClock(ctx) }),
		"mode":        query(func() (venues.AccountMode, error) { return s.account.Mode(ctx) }),
		"first mode":  query(s.newConnectorMode),
		"balances":    query(func() ([]venues.Balance, error) { return s.account.Balances(ctx) }),
		"positions":   query(func() ([]venues.Position, error) { return s.account.Positions(ctx) }),
		"open orders": query(func() ([]venues.ExecutionReport, error) { return s.account.OpenOrders(ctx) }),
		"order":       query(func() (venues.ExecutionReport, error) { return s.account.Order(ctx, refOf(order)) }),
		"stop":        query(func() (venues.ExecutionReport, error) { return s.account.Order(ctx, refOf(waiting)) }),
		"no order":    s.queryUnknown(s.order()),
		"no stop":     s.queryUnknown(s.order(stop(venues.Buy, "66000"))),
		"fills":       query(func() ([]venues.Fill, error) { return s.fillsSince(time.Hour) }),
		"old fills":   query(func() ([]venues.Fill, error) { return s.fillsSince(80 * time.Hour) }),
		"traded":      query(s.recentlyTraded),
		"key":         query(func() (venues.KeyInfo, error) { return s.account.(venues.KeyInspector).KeyInfo(ctx) }),
		"stream":      s.openStream,
		"maintenance": s.readInMaintenance,
		"leverage":    s.setLeverage(),
		"place":       func() (func(), error) { return s.placeOrder(venues.StatusOpen) },
		"place stop":  func() (func(), error) { return s.placeOrder(venues.StatusUntriggered, stop(venues.Buy, "66000")) },
		"amend":       s.amendPrice(order),
		"amend stop":  s.amendTrigger(waiting),
		"cancel":      func() (func(), error) { return s.cancelOrder(s.resting()) },
		"cancel stop": s.cancelStop,
		"protect":     s.moveProtection(),
	}
}

// newConnectorMode reads the mode by a connector that has read nothing yet.
func (s *env) newConnectorMode() (venues.AccountMode, error) {
	connector, account := s.newConnector()
	defer connector.Close()
	return account.Mode(s.t.Context())
}

// newConnector returns a connector that has read the instruments and nothing else, with
// its account.
func (s *env) newConnector() (Connector, venues.Account) {
	s.t.Helper()
	connector := s.connect(s.under)
	if _, err := connector.Instruments(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return connector, s.openOn(connector, s.sim.DemoAccount().Credentials)
}

// queryUnknown returns a query of an order that does not exist, for which not_found is a
// success.
func (s *env) queryUnknown(order venues.OrderRequest) operation {
	return func() (func(), error) {
		_, err := s.account.Order(s.t.Context(), refOf(order))
		if venues.CodeOf(err) == venues.CodeNotFound {
			return nil, nil
		}
		return nil, err
	}
}

func (s *env) fillsSince(span time.Duration) ([]venues.Fill, error) {
	now := time.Now()
	return s.account.Fills(s.t.Context(), venues.FillsQuery{Symbol: symbol, From: now.Add(-span), To: now.Add(time.Minute)})
}

func (s *env) recentlyTraded() ([]string, error) {
	now := time.Now()
	return s.account.Traded(s.t.Context(), now.Add(-time.Hour), now.Add(time.Minute))
}

// openStream opens another private stream. It must connect once the venue's answers are
// correct again.
func (s *env) openStream() (func(), error) {
	feed, h := s.listen(s.account)
	defer feed.Close()
	s.eventually("the answer or the stream", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return s.rest.changes() > 0 || h.connected > 0
	})
	s.rest.answer(Route{}, nil)
	h.await(s.t, "the stream", func(h *sink) bool { return h.connected > 0 })
	return nil, nil
}

// readInMaintenance reads, by a new connector, while the venue is unavailable, which the
// error must report.
func (s *env) readInMaintenance() (func(), error) {
	connector, account := s.newConnector()
	defer connector.Close()
	s.fault(simcore.FaultStatus, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{Status: 502})
	_, err := account.OpenOrders(s.t.Context())
	s.checkReadFailed(err, venues.CodeMaintenance, venues.CodeExchangeUnavailable)
	return nil, nil
}

// setLeverage sets the leverage of an account without orders: some venues reject a
// change while an order is open.
func (s *env) setLeverage() operation {
	s.t.Helper()
	page, err := s.sim.Control().CreateAccount(simcore.AccountBody{})
	if err != nil {
		s.t.Fatal(err)
	}
	account := s.open(page.Credentials)
	n := 0
	return func() (func(), error) {
		n++
		wanted := d([]string{"7", "8"}[n%2])
		change, err := account.SetLeverage(s.t.Context(), symbol, wanted)
		if err == nil && !change.Leverage.Equal(wanted) {
			err = errors.New("the leverage is another")
		}
		return nil, err
	}
}

// placeOrder places an order. Whatever the answer, the venue must have it once, with the
// status.
func (s *env) placeOrder(status venues.OrderStatus, changes ...change) (func(), error) {
	order := s.order(changes...)
	_, err := s.account.Place(s.context(), order)
	return func() {
		s.t.Helper()
		s.checkOrders(order.ClientOrderID, 1)
		s.eventually("the order", func() bool { return s.find(order).Status == status })
		s.cancel(order)
	}, err
}

func (s *env) amendPrice(order venues.OrderRequest) operation {
	n := 0
	return func() (func(), error) {
		n++
		price := some([]string{"64600", "64610"}[n%2])
		_, err := s.amended(order, func(r *venues.AmendRequest) { r.Price = price })
		return func() {
			s.eventually("the price", func() bool { return venues.EqualOptional(s.find(order).Price, price) })
		}, err
	}
}

func (s *env) amendTrigger(waiting venues.OrderRequest) operation {
	n := 0
	return func() (func(), error) {
		n++
		trigger := some([]string{"66100", "66200"}[n%2])
		_, err := s.amended(waiting, func(r *venues.AmendRequest) { r.TriggerPrice = trigger })
		return func() {
			s.eventually("the trigger", func() bool { return venues.EqualOptional(s.find(waiting).TriggerPrice, trigger) })
		}, err
	}
}

func (s *env) cancelOrder(order venues.OrderRequest) (func(), error) {
	_, err := s.account.Cancel(s.context(), refOf(order))
	return func() { s.awaitStatus(order, venues.StatusCancelled) }, err
}

func (s *env) cancelStop() (func(), error) {
	order := s.place(stop(venues.Buy, "66000"))
	s.awaitStatus(order, venues.StatusUntriggered)
	return s.cancelOrder(order)
}

// moveProtection moves the stop loss of a position, where the venue supports it.
func (s *env) moveProtection() operation {
	protector, can := s.account.(venues.Protector)
	if _, lacks := s.harness.Lacks[AttachedProtection]; lacks || !can {
		return nil
	}
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.awaitProtection(entry, "64000", "67000")
	n := 0
	return func() (func(), error) {
		n++
		price := []string{"63000", "63100"}[n%2]
		r := s.protection(entry)
		r.Set(venues.LegStopLoss, some(price))
		err := protector.Protect(s.t.Context(), r)
		return func() { s.awaitProtection(entry, price, "67000") }, err
	}
}
