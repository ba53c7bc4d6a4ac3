package venuetest

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

var positionCases = []conformanceCase{
	{number: 130, name: "one-way: a position opens, grows, shrinks, reverses and closes", run: oneWay},
	{number: 131, name: "hedge: both sides are open and each is closed by itself", run: hedged},
	{number: 132, name: "the position mode is read, never changed", run: modeIsRead},
	{number: 133, name: "a position mode that was changed elsewhere is noticed by the next order", run: modeChangedElsewhere},
	{number: 134, name: "profit, mark and entry of a position are exact", run: positionFigures},
	{number: 135, name: "a liquidation is published as forced and ends the position", run: liquidation},
	{number: 136, name: "hedge: a stop closes its own side", run: hedgedStop},
	{number: 137, name: "positions of several instruments are separate", run: severalPositions},
	{number: 138, name: "the events of a position have its leverage, wherever it was set", run: leverageIsPublished},
	{number: 139, name: "a partial liquidation is published as forced and leaves the rest", needs: PartialLiquidation, run: partialLiquidation},
}

func (s *env) positions() []venues.Position {
	s.t.Helper()
	positions, err := s.account.Positions(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return positions
}

// checkPosition waits until the stream publishes a position, and fails the case unless
// the query returns the same and nothing else.
func (s *env) checkPosition(side venues.PositionSide, qty string) {
	s.t.Helper()
	s.await(string(side)+" "+qty, func(h *sink) bool { return h.hasPosition(side, qty) })
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

// openPosition opens a position and waits until the stream has published it: a venue may
// publish nothing about a position that closes earlier.
func (s *env) openPosition(changes ...change) venues.OrderRequest {
	s.t.Helper()
	order := s.filled(changes...)
	side := venues.Long
	if order.Side == venues.Sell {
		side = venues.Short
	}
	s.await("the position", func(h *sink) bool { return h.hasPosition(side, order.Qty.String()) })
	return order
}

func oneWay(s *env) {
	s.filled(market(venues.Buy, "0.02"))
	s.checkPosition(venues.Long, "0.02")
	s.filled(market(venues.Buy, "0.01"))
	s.checkPosition(venues.Long, "0.03")
	s.filled(market(venues.Sell, "0.01"))
	s.checkPosition(venues.Long, "0.02")
	s.filled(market(venues.Sell, "0.05"))
	s.await("the end of the long side", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.checkPosition(venues.Short, "0.03")
	s.filled(market(venues.Buy, "0.03"), reduceOnly)
	s.checkPosition(venues.Short, "0")
}

func (s *env) hedge() {
	s.t.Helper()
	s.useNew(simcore.AccountBody{PositionMode: "hedge"})
	if mode, err := s.account.Mode(s.t.Context()); err != nil || !mode.Hedge {
		s.t.Fatalf("mode = %+v, %v, want hedge", mode, err)
	}
}

// sides returns the quantity of each open side.
func (s *env) sides() map[venues.PositionSide]decimal.Decimal {
	s.t.Helper()
	sides := map[venues.PositionSide]decimal.Decimal{}
	for _, p := range s.positions() {
		sides[p.Side] = p.Qty
	}
	return sides
}

func hedged(s *env) {
	s.hedge()
	s.openPosition(market(venues.Buy, "0.02"))
	s.openPosition(market(venues.Sell, "0.01"))
	if sides := s.sides(); !sides[venues.Long].Equal(d("0.02")) || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Fatalf("sides = %v, want 0.02 long and 0.01 short", sides)
	}
	s.filled(market(venues.Sell, "0.02"), reduceOnly)
	s.await("the end of the long side", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Short].Equal(d("0.01")) {
		s.t.Errorf("sides = %v, want 0.01 short", sides)
	}
	s.filled(market(venues.Buy, "0.01"), reduceOnly)
	s.await("the end of the short side", func(h *sink) bool { return h.hasPosition(venues.Short, "0") })
	_, err := s.account.Place(s.t.Context(), s.order(market(venues.Sell, "0.01"), reduceOnly))
	s.checkRejected(err, venues.CodeOrderRejected, venues.ReasonNoPosition)
}

func modeIsRead(s *env) {
	for _, word := range []string{"one_way", "hedge"} {
		s.useNew(simcore.AccountBody{PositionMode: word})
		s.filled(market(venues.Buy, "0.01"))
		mode, err := s.account.Mode(s.t.Context())
		if err != nil || mode.Hedge != (word == "hedge") || mode.ReadAt.IsZero() || mode.AccountType == "" {
			s.t.Errorf("%s: mode = %+v, %v, want it with its account type and time", word, mode, err)
		}
	}
}

func modeChangedElsewhere(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	id := s.sim.DemoAccount().ID
	for _, mode := range []simcore.PositionMode{simcore.Hedge, simcore.OneWay} {
		if err := s.sim.Exchange().SetPositionMode(id, mode); err != nil {
			s.t.Fatal(err)
		}
		order := s.filled(market(venues.Buy, "0.01"))
		s.checkOrders(order.ClientOrderID, 1)
		s.filled(market(venues.Sell, "0.01"), reduceOnly)
	}
}

func positionFigures(s *env) {
	s.emptyBook("0.01")
	s.houseAsk("65200", "0.03")
	s.filled(limit(venues.Buy, "0.04", "65300"))
	s.mark("65275")
	positions := s.positions()
	if len(positions) != 1 {
		s.t.Fatalf("%d positions, want 1: %+v", len(positions), positions)
	}
	p := positions[0]
	if !venues.EqualOptional(p.EntryPrice, some("65175")) || !venues.EqualOptional(p.UnrealizedPnl, some("4")) || !venues.EqualOptional(p.MarkPrice, some("65275")) {
		s.t.Errorf("entry %v, profit %v, mark %v, want 65175, 4, 65275", p.EntryPrice, p.UnrealizedPnl, p.MarkPrice)
	}
	if !p.Leverage.Valid || p.MarginMode == "" || p.UpdatedAt.IsZero() {
		s.t.Errorf("position = %+v, want leverage, margin mode and time", p)
	}
}

func liquidation(s *env) {
	balance := simcore.Decimal{Decimal: d("400")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	s.useLeverage(d("50"))
	s.openPosition(market(venues.Buy, "0.1"))
	s.mark("61000")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	s.await("a forced execution", func(h *sink) bool {
		for _, r := range h.reports {
			if r.Forced && r.Side == venues.Sell && r.Status == venues.StatusFilled {
				return true
			}
		}
		return false
	})
	s.checkNoPosition()
}

func partialLiquidation(s *env) {
	balance := simcore.Decimal{Decimal: d("800000")}
	s.useNew(simcore.AccountBody{Balance: &balance})
	s.depth(0)
	s.houseAsk("65000", "200")
	s.filled(market(venues.Buy, "200"))
	s.await("the position", func(h *sink) bool { return h.hasPosition(venues.Long, "200") })
	end := s.positions()[0].LiquidationPrice
	if !end.Valid {
		s.t.Fatal("the position has no liquidation price, want one")
	}
	s.mark(end.Decimal.Sub(d("1")).String())
	s.await("the loss of a part", func(h *sink) bool {
		p, _ := h.position(venues.Long)
		return p.Qty.IsPositive() && p.Qty.LessThan(d("200"))
	})
	s.await("a forced execution", func(h *sink) bool {
		for _, r := range h.reports {
			if r.Forced && r.Side == venues.Sell && r.Status == venues.StatusFilled {
				return true
			}
		}
		return false
	})
	s.sink.mu.Lock()
	reported, _ := s.sink.position(venues.Long)
	s.sink.mu.Unlock()
	if positions := s.positions(); len(positions) != 1 || !positions[0].Qty.Equal(reported.Qty) || positions[0].Side != venues.Long {
		s.t.Errorf("positions = %+v, want %v long as by the stream", positions, reported.Qty)
	}
}

func hedgedStop(s *env) {
	s.hedge()
	s.openPosition(market(venues.Buy, "0.02"))
	s.openPosition(market(venues.Sell, "0.01"))
	order := s.place(stop(venues.Buy, "66000"), closing)
	s.awaitStatus(order, venues.StatusUntriggered)
	s.move("66010")
	s.awaitStatus(order, venues.StatusFilled)
	s.await("the end of the short side", func(h *sink) bool { return h.hasPosition(venues.Short, "0") })
	if sides := s.sides(); len(sides) != 1 || !sides[venues.Long].Equal(d("0.02")) {
		s.t.Errorf("sides = %v, want 0.02 long", sides)
	}
}

func severalPositions(s *env) {
	s.filled(market(venues.Buy, "0.02"))
	s.filled(market(venues.Sell, "1"), func(r *venues.OrderRequest) { r.Symbol = "ETHUSDT" })
	held := map[string]venues.Position{}
	for _, p := range s.positions() {
		held[p.Symbol] = p
	}
	btc, eth := held[symbol], held["ETHUSDT"]
	if len(held) != 2 || btc.Side != venues.Long || !btc.Qty.Equal(d("0.02")) || eth.Side != venues.Short || !eth.Qty.Equal(d("1")) {
		s.t.Errorf("positions = %+v, want 0.02 long of %s and 1 short of ETHUSDT", held, symbol)
	}
}

func leverageIsPublished(s *env) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues publish leverage by query alone
		s.t.Fatal(err)
	}
	elsewhere := s.open(s.sim.DemoAccount().Credentials)
	for n, account := range []venues.Account{s.account, elsewhere} {
		leverage := d("7").Add(decimal.NewFromInt(int64(n)))
		if _, err := account.SetLeverage(s.t.Context(), symbol, leverage); err != nil {
			s.t.Fatal(err)
		}
		s.filled(market(venues.Buy, "0.01"))
		s.await("a position at "+leverage.String(), func(h *sink) bool {
			p, reported := h.position(venues.Long)
			return reported && p.Qty.Equal(d("0.01").Mul(leverage.Sub(d("6")))) && venues.EqualOptional(p.Leverage, venues.Some(leverage)) && p.MarginMode == venues.MarginCross
		})
	}
}
