package venuetest

import (
	"slices"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var isolatedCases = []conformanceCase{
	{number: 370, name: "an isolated position and the remaining funds are read correctly", run: isolatedIsRead},
	{number: 371, name: "an isolated position grows and closes with its own margin", run: isolatedIsClosed},
	{number: 372, name: "leverage of an isolated position is changed and read back, or rejected with the reason", run: isolatedLeverage},
	{number: 373, name: "a stop closes an isolated position", run: isolatedStop},
	{number: 374, name: "isolated margin in hedge mode: each side is read and closed by itself", run: isolatedHedge},
}

// isolate gives the case a new account in isolated margin.
func (s *env) isolate(mode string) (account string) {
	s.t.Helper()
	page, err := s.sim.Control().CreateAccount(simcore.AccountBody{PositionMode: mode})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, i := range s.instruments() {
		if err := s.sim.Exchange().SetMarginMode(page.ID, i.VenueSymbol, true); err != nil {
			s.t.Fatal(err)
		}
	}
	s.use(page.Credentials)
	return page.ID
}

// openElsewhere opens a position of 0.01 at the market outside the connector.
func (s *env) openElsewhere(account string, order simcore.Side, side simcore.PositionSide) {
	s.t.Helper()
	for _, i := range s.instruments() {
		if i.Symbol != symbol {
			continue
		}
		_, err := s.sim.Exchange().Place(simcore.OrderRequest{
			Account: account, Symbol: i.VenueSymbol, Side: order, PosSide: side, Type: simcore.Market, Qty: d("0.01").Div(i.ContractSize),
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// isolatedPosition gives the case a long isolated position of 0.01.
func (s *env) isolatedPosition() (account string) {
	s.t.Helper()
	account = s.isolate("one_way")
	s.openElsewhere(account, simcore.Buy, simcore.PositionBoth)
	s.await("the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0.01") })
	return account
}

// checkIsolated fails the case if a margin mode was changed.
func (s *env) checkIsolated(account string) {
	s.t.Helper()
	view, err := s.sim.Exchange().Account(account)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range view.Holdings {
		if !h.Isolated {
			s.t.Errorf("margin mode of %s = cross, want isolated", h.Instrument.Symbol)
		}
	}
}

func isolatedIsRead(s *env) {
	account := s.isolatedPosition()
	positions := s.positions()
	if len(positions) != 1 || positions[0].MarginMode != venues.MarginIsolated || !positions[0].Qty.Equal(d("0.01")) ||
		!positions[0].Leverage.Valid || !positions[0].LiquidationPrice.Valid {
		s.t.Errorf("positions = %+v, want 0.01 in isolated margin with leverage and liquidation price", positions)
	}
	if info := s.marginInfo(); info.Mode != string(venues.MarginIsolated) && !slices.Contains(info.Isolated, symbol) {
		s.t.Errorf("margin = %+v, want isolated", info)
	}
	s.sink.mu.Lock()
	if p, _ := s.sink.position(venues.Long); p.MarginMode == venues.MarginCross {
		s.t.Errorf("position of the stream = %+v, want isolated margin", p)
	}
	s.sink.mu.Unlock()
	if b := s.usdt(); !b.UsedMargin.IsPositive() || !b.Available.Add(b.UsedMargin).LessThanOrEqual(b.Equity.Add(d("0.01"))) {
		s.t.Errorf("balance = %+v, want used margin and at most the equity in total", b)
	}
	s.checkIsolated(account)
}

func isolatedIsClosed(s *env) {
	account := s.isolatedPosition()
	s.filled(market(venues.Buy, "0.02"))
	s.checkPosition(venues.Long, "0.03")
	s.filled(market(venues.Sell, "0.03"), reduceOnly)
	s.checkPosition(venues.Long, "0")
	s.checkIsolated(account)
}

func isolatedLeverage(s *env) {
	account := s.isolatedPosition()
	higher, err := s.account.SetLeverage(s.t.Context(), symbol, d("25"))
	if err != nil || !higher.Leverage.Equal(d("25")) {
		s.t.Fatalf("leverage = %+v, %v, want 25", higher, err)
	}
	want := "25"
	lower, err := s.account.SetLeverage(s.t.Context(), symbol, d("5"))
	if err == nil {
		want = venues.FormatDecimal(lower.Leverage)
	} else if e := s.rejection(err, venues.CodeLeverageChangeRejected, ""); e.Details["reason"] == nil {
		s.t.Errorf("rejection = %v, want a reason", e)
	}
	if positions := s.positions(); len(positions) != 1 || !venues.EqualOptional(positions[0].Leverage, some(want)) {
		s.t.Errorf("%+v, want %s", positions, want)
	}
	s.checkIsolated(account)
}

func isolatedStop(s *env) {
	account := s.isolatedPosition()
	order := s.place(stop(venues.Sell, "64000"), closing)
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("63990")
	s.awaitStatus(order, venues.StatusFilled)
	s.checkPosition(venues.Long, "0")
	s.checkIsolated(account)
}

func isolatedHedge(s *env) {
	account := s.isolate("hedge")
	s.openElsewhere(account, simcore.Buy, simcore.PositionLong)
	s.openElsewhere(account, simcore.Sell, simcore.PositionShort)
	s.await("both sides", func(h *sink) bool { return h.hasPosition(venues.Long, "0.01") && h.hasPosition(venues.Short, "0.01") })
	for _, p := range s.positions() {
		if p.MarginMode != venues.MarginIsolated || !p.Leverage.Valid {
			s.t.Errorf("position = %+v, want isolated margin and a leverage", p)
		}
	}
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("the end of the long side", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Errorf("sides = %v, want 0.01 short", sides)
	}
	s.checkIsolated(account)
}
