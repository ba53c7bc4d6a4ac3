package venuetest

import (
	"slices"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var isolatedCases = []conformanceCase{
	{number: 370, name: "an isolated position and what is left of the funds are read as they are", run: isolatedIsRead},
	{number: 371, name: "an isolated position grows and is closed in its own margin", run: isolatedIsClosed},
	{number: 372, name: "leverage of an isolated position is changed and read back, or refused with the reason", run: isolatedLeverage},
	{number: 373, name: "a stop closes an isolated position", run: isolatedStop},
	{number: 374, name: "isolated margin in hedge mode: each side is read, and closed by itself", run: isolatedHedge},
}

// isolate gives the case an account whose owner has isolated its margin.
func (s *stage) isolate(mode string) (account string) {
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

// opensElsewhere lets the owner open a position of 0.01 at the market.
func (s *stage) opensElsewhere(account string, order simcore.Side, side simcore.PositionSide) {
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

// isolated gives the case a long isolated position of 0.01.
func (s *stage) isolated() (account string) {
	s.t.Helper()
	account = s.isolate("one_way")
	s.opensElsewhere(account, simcore.Buy, simcore.PositionBoth)
	s.await("the position", func(h *heard) bool { return h.holds(venues.Long, "0.01") })
	return account
}

// staysIsolated fails the case if anything has changed a margin mode.
func (s *stage) staysIsolated(account string) {
	s.t.Helper()
	view, err := s.sim.Exchange().Account(account)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range view.Holdings {
		if !h.Isolated {
			s.t.Errorf("the margin of %s is not isolated any more", h.Instrument.Symbol)
		}
	}
}

func isolatedIsRead(s *stage) {
	account := s.isolated()
	positions := s.positions()
	if len(positions) != 1 || positions[0].MarginMode != venues.MarginIsolated || !positions[0].Qty.Equal(d("0.01")) ||
		!positions[0].Leverage.Valid || !positions[0].LiquidationPrice.Valid {
		s.t.Errorf("%+v", positions)
	}
	if facts := s.marginFacts(); facts.Mode != string(venues.MarginIsolated) && !slices.Contains(facts.Isolated, symbol) {
		s.t.Errorf("%+v", facts)
	}
	s.heard.mu.Lock()
	if p, _ := s.heard.position(venues.Long); p.MarginMode == venues.MarginCross {
		s.t.Errorf("told as %+v", p)
	}
	s.heard.mu.Unlock()
	if b := s.usdt(); !b.UsedMargin.IsPositive() || !b.Available.Add(b.UsedMargin).LessThanOrEqual(b.Equity.Add(d("0.01"))) {
		s.t.Errorf("%+v", b)
	}
	s.staysIsolated(account)
}

func isolatedIsClosed(s *stage) {
	account := s.isolated()
	s.filled(market(venues.Buy, "0.02"))
	s.holding(venues.Long, "0.03")
	s.filled(market(venues.Sell, "0.03"), reduceOnly)
	s.holding(venues.Long, "0")
	s.staysIsolated(account)
}

func isolatedLeverage(s *stage) {
	account := s.isolated()
	more, err := s.account.SetLeverage(s.t.Context(), symbol, d("25"))
	if err != nil || !more.Leverage.Equal(d("25")) {
		s.t.Fatalf("%+v, %v", more, err)
	}
	want := "25"
	less, err := s.account.SetLeverage(s.t.Context(), symbol, d("5"))
	if err == nil {
		want = venues.FormatDecimal(less.Leverage)
	} else if e := s.refusal(err, venues.CodeLeverageChangeRejected, ""); e.Details["reason"] == nil {
		s.t.Errorf("%v", e)
	}
	if positions := s.positions(); len(positions) != 1 || !venues.EqualOptional(positions[0].Leverage, some(want)) {
		s.t.Errorf("%+v, want %s", positions, want)
	}
	s.staysIsolated(account)
}

func isolatedStop(s *stage) {
	account := s.isolated()
	order := s.place(stop(venues.Sell, "64000"), closing)
	s.reaches(order, venues.StatusUntriggered)
	s.move("63990")
	s.reaches(order, venues.StatusFilled)
	s.holding(venues.Long, "0")
	s.staysIsolated(account)
}

func isolatedHedge(s *stage) {
	account := s.isolate("hedge")
	s.opensElsewhere(account, simcore.Buy, simcore.PositionLong)
	s.opensElsewhere(account, simcore.Sell, simcore.PositionShort)
	s.await("both sides", func(h *heard) bool { return h.holds(venues.Long, "0.01") && h.holds(venues.Short, "0.01") })
	for _, p := range s.positions() {
		if p.MarginMode != venues.MarginIsolated || !p.Leverage.Valid {
			s.t.Errorf("%+v", p)
		}
	}
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	s.await("the end of the long side", func(h *heard) bool { return h.holds(venues.Long, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Errorf("%v", sides)
	}
	s.staysIsolated(account)
}
