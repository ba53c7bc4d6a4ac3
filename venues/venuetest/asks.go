package venuetest

import (
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// ask has the venue asked something, as often as one likes. What it gives, if
// anything, proves what a change has come to.
type ask func() (proof func(), err error)

// question is an ask that changes nothing.
func question[T any](read func() (T, error)) ask {
	return func() (func(), error) {
		_, err := read()
		return nil, err
	}
}

// asks is all that the port can ask a venue, by name. The account has a position,
// an order that rests and a stop that waits.
func (s *stage) asks() map[string]ask {
	s.t.Helper()
	ctx := s.t.Context()
	s.filled(market(venues.Buy, "0.01"))
	order, waiting := s.resting(), s.place(stop(venues.Buy, "66000"))
	s.reaches(waiting, venues.StatusUntriggered)
	return map[string]ask{
		"instruments": question(func() ([]venues.Instrument, error) { return s.connector.Instruments(ctx) }),
		"candles":     question(func() ([]venues.Candle, error) { return s.connector.Candles(ctx, symbol, "1m", 10) }),
		"snapshot":    question(func() (*venues.BookUpdate, error) { return s.connector.Snapshot(ctx, symbol) }),
		"clock":       question(func() (time.Duration, error) { return s.connector.SyncClock(ctx) }),
		"mode":        question(func() (venues.AccountMode, error) { return s.account.Mode(ctx) }),
		"first mode":  question(s.firstMode),
		"balances":    question(func() ([]venues.Balance, error) { return s.account.Balances(ctx) }),
		"positions":   question(func() ([]venues.Position, error) { return s.account.Positions(ctx) }),
		"open orders": question(func() ([]venues.ExecutionReport, error) { return s.account.OpenOrders(ctx) }),
		"order":       question(func() (venues.ExecutionReport, error) { return s.account.Order(ctx, refOf(order)) }),
		"stop":        question(func() (venues.ExecutionReport, error) { return s.account.Order(ctx, refOf(waiting)) }),
		"no order":    s.asksForNone(s.order()),
		"no stop":     s.asksForNone(s.order(stop(venues.Buy, "66000"))),
		"fills":       question(func() ([]venues.Fill, error) { return s.fillsSince(time.Hour) }),
		"old fills":   question(func() ([]venues.Fill, error) { return s.fillsSince(80 * time.Hour) }),
		"traded":      question(s.tradedLately),
		"key":         question(func() (venues.KeyInfo, error) { return s.account.(venues.KeyInspector).KeyInfo(ctx) }),
		"stream":      s.opensStream,
		"maintenance": s.readsInMaintenance,
		"leverage":    s.setsLeverage(),
		"place":       func() (func(), error) { return s.places(venues.StatusOpen) },
		"place stop":  func() (func(), error) { return s.places(venues.StatusUntriggered, stop(venues.Buy, "66000")) },
		"amend":       s.amendsPrice(order),
		"amend stop":  s.amendsTrigger(waiting),
		"cancel":      func() (func(), error) { return s.cancels(s.resting()) },
		"cancel stop": s.cancelsStop,
		"protect":     s.movesProtection(),
	}
}

// firstMode reads the mode as a connector does that has read nothing yet.
func (s *stage) firstMode() (venues.AccountMode, error) {
	connector, account := s.fresh()
	defer connector.Close()
	return account.Mode(s.t.Context())
}

// fresh is a connector that knows the catalogue and nothing else.
func (s *stage) fresh() (Connector, venues.Account) {
	s.t.Helper()
	connector := s.connect(s.under)
	if _, err := connector.Instruments(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return connector, s.openOn(connector, s.sim.DemoAccount().Credentials)
}

// asksForNone asks for an order that the venue never had: not to be found is
// right.
func (s *stage) asksForNone(order venues.OrderRequest) ask {
	return func() (func(), error) {
		_, err := s.account.Order(s.t.Context(), refOf(order))
		if venues.CodeOf(err) == venues.CodeNotFound {
			return nil, nil
		}
		return nil, err
	}
}

func (s *stage) fillsSince(span time.Duration) ([]venues.Fill, error) {
	now := time.Now()
	return s.account.Fills(s.t.Context(), venues.FillsQuery{Symbol: symbol, From: now.Add(-span), To: now.Add(time.Minute)})
}

func (s *stage) tradedLately() ([]string, error) {
	now := time.Now()
	return s.account.Traded(s.t.Context(), now.Add(-time.Hour), now.Add(time.Minute))
}

// opensStream opens one more private stream. It must come up once the venue's
// answers are what they should be.
func (s *stage) opensStream() (func(), error) {
	feed, h := s.listen(s.account)
	defer feed.Close()
	s.eventually("the answer or the stream", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return s.rest.changes() > 0 || h.connected > 0
	})
	s.rest.answer(Route{}, nil)
	h.await(s.t, "the stream", func(h *heard) bool { return h.connected > 0 })
	return nil, nil
}

// readsInMaintenance reads while the venue is away, which must be told as that, by
// a connector that has heard nothing of it yet.
func (s *stage) readsInMaintenance() (func(), error) {
	connector, account := s.fresh()
	defer connector.Close()
	s.fault(simcore.FaultStatus, s.harness.Wire.OpenOrders, 1, simcore.FaultArgs{Status: 502})
	_, err := account.OpenOrders(s.t.Context())
	s.plain(err, venues.CodeMaintenance, venues.CodeExchangeUnavailable)
	return nil, nil
}

// setsLeverage sets that of an account without orders: some venues change none
// where one rests.
func (s *stage) setsLeverage() ask {
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

// places places an order. Whatever the answer, the venue has it once, with the
// status.
func (s *stage) places(status venues.OrderStatus, changes ...change) (func(), error) {
	order := s.order(changes...)
	_, err := s.account.Place(s.context(), order)
	return func() {
		s.t.Helper()
		s.holds(order.ClientOrderID, 1)
		s.eventually("the order", func() bool { return s.find(order).Status == status })
		s.cancel(order)
	}, err
}

func (s *stage) amendsPrice(order venues.OrderRequest) ask {
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

func (s *stage) amendsTrigger(waiting venues.OrderRequest) ask {
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

func (s *stage) cancels(order venues.OrderRequest) (func(), error) {
	_, err := s.account.Cancel(s.context(), refOf(order))
	return func() { s.reaches(order, venues.StatusCancelled) }, err
}

func (s *stage) cancelsStop() (func(), error) {
	order := s.place(stop(venues.Buy, "66000"))
	s.reaches(order, venues.StatusUntriggered)
	return s.cancels(order)
}

// movesProtection moves the stop loss of a position, where the venue has it.
func (s *stage) movesProtection() ask {
	protector, can := s.account.(venues.Protector)
	if _, lacks := s.harness.Lacks[AttachedProtection]; lacks || !can {
		return nil
	}
	entry := s.filled(market(venues.Buy, "0.01"), protected("64000", "67000"))
	s.guarded(entry, "64000", "67000")
	n := 0
	return func() (func(), error) {
		n++
		price := []string{"63000", "63100"}[n%2]
		r := s.protection(entry)
		r.Set(venues.LegStopLoss, some(price))
		err := protector.Protect(s.t.Context(), r)
		return func() { s.guarded(entry, price, "67000") }, err
	}
}
