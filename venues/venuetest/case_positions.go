package venuetest

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var positionCases = []conformanceCase{
	{number: 130, name: "one-way: a position opens, grows, shrinks, turns and closes", run: oneWay},
	{number: 131, name: "hedge: both sides are held and closing names its side", run: hedged},
	{number: 132, name: "the position mode is read, never changed", run: modeIsRead},
	{number: 133, name: "a position mode changed elsewhere is noticed by the next order", run: modeChangedElsewhere},
	{number: 134, name: "profit, mark and entry of a position are exact", run: positionFigures},
	{number: 135, name: "a liquidation is told as forced and ends the position", run: liquidation},
	{number: 136, name: "hedge: a stop closes its own side", run: hedgedStop},
	{number: 137, name: "positions of several instruments are told apart", run: severalPositions},
	{number: 138, name: "the events of a position tell its leverage, wherever it was set", run: leverageIsTold},
	{number: 139, name: "a liquidation of a part is told as forced and leaves the rest", needs: PartialLiquidation, run: partialLiquidation},
}

func (s *stage) positions() []venues.Position {
	s.t.Helper()
	positions, err := s.account.Positions(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return positions
}

// holding waits until the stream tells a position and fails the case unless the
// query tells the same, and nothing beside it.
func (s *stage) holding(side venues.PositionSide, qty string) {
	s.t.Helper()
	s.await(string(side)+" "+qty, func(h *heard) bool { return h.holds(side, qty) })
	positions := s.positions()
	switch {
	case d(qty).IsZero():
		if len(positions) != 0 {
			s.t.Errorf("%+v, want none", positions)
		}
	case len(positions) != 1 || positions[0].Side != side || !positions[0].Qty.Equal(d(qty)) || positions[0].Exchange != s.connector.Venue():
		s.t.Errorf("%+v, want %s %s", positions, side, qty)
	}
}

// opened opens a position and waits until the stream has told it: of one that ends
// before, a venue may tell nothing.
func (s *stage) opened(changes ...change) venues.OrderRequest {
	s.t.Helper()
	order := s.filled(changes...)
	side := venues.Long
	if order.Side == venues.Sell {
		side = venues.Short
	}
	s.await("the position", func(h *heard) bool { return h.holds(side, order.Qty.String()) })
	return order
}

func oneWay(s *stage) {
	s.filled(market(venues.Buy, "0.02"))
	s.holding(venues.Long, "0.02")
	s.filled(market(venues.Buy, "0.01"))
	s.holding(venues.Long, "0.03")
	s.filled(market(venues.Sell, "0.01"))
	s.holding(venues.Long, "0.02")
	s.filled(market(venues.Sell, "0.05"))
	s.await("the end of the long side", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.holding(venues.Short, "0.03")
	s.filled(market(venues.Buy, "0.03"), reduceOnly)
	s.holding(venues.Short, "0")
}

func (s *stage) hedge() {
	s.t.Helper()
	s.useNew(simcore.AccountBody{PositionMode: "hedge"})
	if mode, err := s.account.Mode(s.t.Context()); err != nil || !mode.Hedge {
		s.t.Fatalf("%+v, %v", mode, err)
	}
}

// sides is the quantity of each open side.
func (s *stage) sides() map[venues.PositionSide]decimal.Decimal {
	s.t.Helper()
	sides := map[venues.PositionSide]decimal.Decimal{}
	for _, p := range s.positions() {
		sides[p.Side] = p.Qty
	}
	return sides
}

func hedged(s *stage) {
	s.hedge()
	s.opened(market(venues.Buy, "0.02"))
	s.opened(market(venues.Sell, "0.01"))
	if sides := s.sides(); !sides[venues.Long].Equal(d("0.02")) || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Fatalf("%v", sides)
	}
	s.filled(market(venues.Sell, "0.02"), reduceOnly)
	s.await("the end of the long side", func(h *heard) bool { return h.holds(venues.Long, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Errorf("%v", sides)
	}
	s.filled(market(venues.Buy, "0.01"), reduceOnly)
	s.await("the end of the short side", func(h *heard) bool { return h.holds(venues.Short, "0") })
	_, err := s.account.Place(s.t.Context(), s.order(market(venues.Sell, "0.01"), reduceOnly))
	s.refused(err, venues.CodeOrderRejected, venues.ReasonNoPosition)
}

func modeIsRead(s *stage) {
	for _, word := range []string{"one_way", "hedge"} {
		s.useNew(simcore.AccountBody{PositionMode: word})
		s.filled(market(venues.Buy, "0.01"))
		mode, err := s.account.Mode(s.t.Context())
		if err != nil || mode.Hedge != (word == "hedge") || mode.ReadAt.IsZero() || mode.AccountType == "" {
			s.t.Errorf("%s: %+v, %v", word, mode, err)
		}
	}
}

func modeChangedElsewhere(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	id := s.sim.DemoAccount().ID
	for _, mode := range []simcore.PositionMode{simcore.Hedge, simcore.OneWay} {
		if err := s.sim.Exchange().SetPositionMode(id, mode); err != nil {
			s.t.Fatal(err)
		}
		order := s.filled(market(venues.Buy, "0.01"))
		s.holds(order.ClientOrderID, 1)
		s.filled(market(venues.Sell, "0.01"), reduceOnly)
	}
}

func positionFigures(s *stage) {
	s.emptyBook("0.01")
	s.houseAsk("65200", "0.03")
	s.filled(limit(venues.Buy, "0.04", "65300"))
	s.mark("65275")
	positions := s.positions()
	if len(positions) != 1 {
		s.t.Fatalf("%+v", positions)
	}
	p := positions[0]
	if !venues.EqualOptional(p.EntryPrice, some("65175")) || !venues.EqualOptional(p.UnrealizedPnl, some("4")) || !venues.EqualOptional(p.MarkPrice, some("65275")) {
		s.t.Errorf("entry %v, profit %v, mark %v", p.EntryPrice, p.UnrealizedPnl, p.MarkPrice)
	}
	if !p.Leverage.Valid || p.MarginMode == "" || p.UpdatedAt.IsZero() {
		s.t.Errorf("%+v", p)
	}
}

func liquidation(s *stage) {
	balance := simcore.Decimal{Decimal: d("400")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	if _, err := s.account.SetLeverage(s.t.Context(), symbol, d("50")); err != nil {
		s.t.Fatal(err)
	}
	s.opened(market(venues.Buy, "0.1"))
	s.mark("61000")
	s.await("the end of the position", func(h *heard) bool { return h.holds(venues.Long, "0") })
	s.await("a forced execution", func(h *heard) bool {
		for _, r := range h.reports {
			if r.Forced && r.Side == venues.Sell && r.Status == venues.StatusFilled {
				return true
			}
		}
		return false
	})
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
}

func partialLiquidation(s *stage) {
	balance := simcore.Decimal{Decimal: d("800000")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	s.depth(0)
	s.houseAsk("65000", "200")
	s.filled(market(venues.Buy, "200"))
	s.await("the position", func(h *heard) bool { return h.holds(venues.Long, "200") })
	end := s.positions()[0].LiquidationPrice
	if !end.Valid {
		s.t.Fatal("no liquidation price")
	}
	s.mark(end.Decimal.Sub(d("1")).String())
	s.await("the loss of a part", func(h *heard) bool {
		p, _ := h.position(venues.Long)
		return p.Qty.IsPositive() && p.Qty.LessThan(d("200"))
	})
	s.await("a forced execution", func(h *heard) bool {
		for _, r := range h.reports {
			if r.Forced && r.Side == venues.Sell && r.Status == venues.StatusFilled {
				return true
			}
		}
		return false
	})
	s.heard.mu.Lock()
	told, _ := s.heard.position(venues.Long)
	s.heard.mu.Unlock()
	if positions := s.positions(); len(positions) != 1 || !positions[0].Qty.Equal(told.Qty) || positions[0].Side != venues.Long {
		s.t.Errorf("%+v, told %+v", positions, told)
	}
}

func hedgedStop(s *stage) {
	s.hedge()
	s.opened(market(venues.Buy, "0.02"))
	s.opened(market(venues.Sell, "0.01"))
	order := s.place(stop(venues.Buy, "66000"), closing)
	s.reaches(order, venues.StatusUntriggered)
	s.move("66010")
	s.reaches(order, venues.StatusFilled)
	s.await("the end of the short side", func(h *heard) bool { return h.holds(venues.Short, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Long].Equal(d("0.02")) {
		s.t.Errorf("%v", sides)
	}
}

func severalPositions(s *stage) {
	s.filled(market(venues.Buy, "0.02"))
	s.filled(market(venues.Sell, "1"), func(r *venues.OrderRequest) { r.Symbol = "ETHUSDT" })
	held := map[string]venues.Position{}
	for _, p := range s.positions() {
		held[p.Symbol] = p
	}
	btc, eth := held[symbol], held["ETHUSDT"]
	if len(held) != 2 || btc.Side != venues.Long || !btc.Qty.Equal(d("0.02")) || eth.Side != venues.Short || !eth.Qty.Equal(d("1")) {
		s.t.Errorf("%+v", held)
	}
}

func leverageIsTold(s *stage) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues tell leverage by query alone
		s.t.Fatal(err)
	}
	elsewhere := s.open(s.sim.DemoAccount().Credentials)
	for n, account := range []venues.Account{s.account, elsewhere} {
		leverage := d("7").Add(decimal.NewFromInt(int64(n)))
		if _, err := account.SetLeverage(s.t.Context(), symbol, leverage); err != nil {
			s.t.Fatal(err)
		}
		s.filled(market(venues.Buy, "0.01"))
		s.await("a position at "+leverage.String(), func(h *heard) bool {
			p, told := h.position(venues.Long)
			return told && p.Qty.Equal(d("0.01").Mul(leverage.Sub(d("6")))) && venues.EqualOptional(p.Leverage, venues.Some(leverage)) && p.MarginMode == venues.MarginCross
		})
	}
}
