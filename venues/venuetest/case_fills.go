package venuetest

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

var fillCases = []conformanceCase{
	{number: 110, name: "partial fills add up exactly: quantity, price, fee", run: fillsAddUp},
	{number: 111, name: "fills of several pages are complete, unique and oldest first", run: fillsOverPages},
	{number: 112, name: "a query includes its start time and excludes its end time", run: fillsWindow},
	{number: 113, name: "the stream's fills are those of the query", run: fillsAgree},
	{number: 114, name: "one order through several levels has a fill for each and their average price", run: fillsThroughLevels},
	{number: 115, name: "realised profit is exact where the venue publishes it", run: fillsRealize},
	{number: 116, name: "fills of an instrument without any are empty", run: fillsOfNothing},
	{number: 117, name: "fills have the position side in hedge mode and none in one-way mode", run: fillsNamePositions},
	{number: 118, name: "the instruments that were traded within a time are returned", run: tradedAreNamed},
}

// fills returns all fills of an instrument.
func (s *env) fills(symbol string) []venues.Fill {
	s.t.Helper()
	fills, err := s.account.Fills(s.t.Context(), venues.FillsQuery{Symbol: symbol, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Minute)})
	if err != nil {
		s.t.Fatal(err)
	}
	return fills
}

func tradedAreNamed(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	for back, want := range map[time.Duration]int{time.Hour: 1, 80 * time.Hour: 1, -time.Minute: 0} {
		traded, err := s.account.Traded(s.t.Context(), time.Now().Add(-back), time.Now().Add(2*time.Minute))
		if err != nil || len(traded) != want || (want > 0 && traded[0] != symbol) {
			s.t.Errorf("traded since %v ago = %v, %v, want %d instruments", back, traded, err, want)
		}
	}
}

func fillsAddUp(s *env) {
	order := s.resting(limit(venues.Buy, "0.1", "65000"))
	for _, part := range []string{"0.011", "0.029", "0.037", "0.023"} {
		s.trade(venues.Sell, part)
	}
	s.awaitSteps(order, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusFilled)
	fills, fees := s.fills(symbol), decimal.Zero
	for _, f := range fills {
		fees = fees.Add(f.Fee.Decimal)
		if f.Liquidity != venues.Maker || !f.Price.Equal(d("65000")) || f.Exchange != s.connector.Venue() || f.Symbol != symbol || f.ExecutedAt.IsZero() {
			s.t.Errorf("fill = %+v, want a maker fill at 65000", f)
		}
	}
	if len(fills) != 4 || !sumOf(fills).Equal(d("0.1")) {
		s.t.Errorf("%d fills of %v, want 4 of 0.1", len(fills), sumOf(fills))
	}
	if paid := s.feesOf(order.ClientOrderID); !fees.Equal(paid) {
		s.t.Errorf("fees = %v, want %v of the ledger", fees, paid)
	}
}

// fillsNamePositions compares the position sides of fills of the query and of the
// stream.
func fillsNamePositions(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	for _, f := range s.fills(symbol) {
		if f.PositionSide != "" {
			s.t.Errorf("fill in one-way mode = %+v, want no position side", f)
		}
	}
	s.hedge()
	s.filled(market(venues.Buy, "0.02"))
	s.filled(market(venues.Sell, "0.01"))
	s.filled(market(venues.Sell, "0.02"), reduceOnly)
	s.filled(market(venues.Buy, "0.01"), reduceOnly)
	want := map[string]string{"long buy": "0.02", "long sell": "0.02", "short sell": "0.01", "short buy": "0.01"}
	if got := byPosition(s.fills(symbol)); !maps.Equal(got, want) {
		s.t.Errorf("fills of the query = %v, want %v", got, want)
	}
	s.await("all fills on the stream", func(h *sink) bool {
		var streamed []venues.Fill
		for _, r := range h.reports {
			if r.Fill != nil {
				streamed = append(streamed, *r.Fill)
			}
		}
		return maps.Equal(byPosition(streamed), want)
	})
}

// byPosition returns the sum of the quantities by position side and order side.
func byPosition(fills []venues.Fill) map[string]string {
	sums := map[string]decimal.Decimal{}
	for _, f := range fills {
		key := string(f.PositionSide) + " " + string(f.Side)
		sums[key] = sums[key].Add(f.Qty)
	}
	texts := map[string]string{}
	for key, sum := range sums {
		texts[key] = venues.FormatDecimal(sum)
	}
	return texts
}

// feesOf returns the fees of an order in the venue's ledger.
func (s *env) feesOf(clientOrderID string) (sum decimal.Decimal) {
	for _, row := range s.ledgerOrders(clientOrderID) {
		for _, f := range row.Fills {
			sum = sum.Add(d(f.Fee))
		}
	}
	return sum
}

func fillsOverPages(s *env) {
	wanted := s.harness.Wire.FillsPage + 21
	qty := d("0.001").Mul(decimal.NewFromInt(int64(wanted)))
	order := s.resting(limit(venues.Buy, venues.FormatDecimal(qty), "65000"))
	for range wanted {
		s.trade(venues.Sell, "0.001")
	}
	s.awaitStatus(order, venues.StatusFilled)
	fills := s.fills(symbol)
	if len(fills) != wanted || !sumOf(fills).Equal(qty) {
		s.t.Errorf("%d fills of %v, want %d of %v", len(fills), sumOf(fills), wanted, qty)
	}
	seen := map[string]bool{}
	for n, f := range fills {
		if seen[f.VenueTradeID] || n > 0 && f.ExecutedAt.Before(fills[n-1].ExecutedAt.Time) {
			s.t.Fatalf("fill %d = %+v, want a new one that is no earlier than the previous", n, f)
		}
		seen[f.VenueTradeID] = true
	}
}

func fillsWindow(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	at := s.fills(symbol)[0].ExecutedAt.Time
	for name, c := range map[string]struct {
		from, to time.Time
		want     int
	}{
		"from its moment":  {at, at.Add(time.Millisecond), 1},
		"up to its moment": {at.Add(-time.Minute), at, 0},
		"after":            {at.Add(time.Millisecond), at.Add(time.Minute), 0},
		"of ten days":      {at.Add(-10 * 24 * time.Hour), at.Add(time.Minute), 1},
	} {
		fills, err := s.account.Fills(s.t.Context(), venues.FillsQuery{Symbol: symbol, From: c.from, To: c.to})
		if err != nil || len(fills) != c.want {
			s.t.Errorf("%s: %d fills, %v, want %d", name, len(fills), err, c.want)
		}
	}
}

func fillsAgree(s *env) {
	order := s.resting(limit(venues.Buy, "0.03", "65000"))
	for range 3 {
		s.trade(venues.Sell, "0.01")
	}
	s.awaitStatus(order, venues.StatusFilled)
	s.await("every fill", func(h *sink) bool { return sumOf(h.fillsOf(order.ClientOrderID)).Equal(order.Qty) })
	queried := map[string]venues.Fill{}
	for _, f := range s.fills(symbol) {
		queried[f.VenueTradeID] = f
	}
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	for _, f := range s.sink.fillsOf(order.ClientOrderID) {
		q, ok := queried[f.VenueTradeID]
		if !ok || !q.Qty.Equal(f.Qty) || !q.Price.Equal(f.Price) || !venues.EqualOptional(q.Fee, f.Fee) || q.Liquidity != f.Liquidity ||
			q.FeeCurrency != f.FeeCurrency || q.VenueOrderID != f.VenueOrderID || !q.ExecutedAt.Equal(f.ExecutedAt.Time) || q.Side != f.Side {
			s.t.Errorf("fill of the stream = %+v, want that of the query %+v", f, q)
		}
	}
}

func fillsThroughLevels(s *env) {
	s.emptyBook("0.02")
	s.houseAsk("65200", "0.03")
	order := s.filled(limit(venues.Buy, "0.05", "65300"))
	fills := s.fills(symbol)
	// A venue does not order the fills of one millisecond.
	slices.SortFunc(fills, func(a, b venues.Fill) int { return a.Price.Cmp(b.Price) })
	if len(fills) != 2 || !sumOf(fills).Equal(d("0.05")) || !fills[0].Price.Equal(d("65100")) || !fills[1].Price.Equal(d("65200")) {
		s.t.Errorf("fills = %+v, want 0.05 at 65100 and 65200", fills)
	}
	if found := s.find(order); !venues.EqualOptional(found.AvgPrice, some("65160")) {
		s.t.Errorf("average price = %v, want 65160", found.AvgPrice)
	}
}

func fillsRealize(s *env) {
	s.emptyBook("0.01")
	s.openPosition(limit(venues.Buy, "0.01", "65100"))
	s.move("65500")
	s.resting(limit(venues.Sell, "0.01", "65600"), reduceOnly)
	s.move("65700")
	s.await("the end of the position", func(h *sink) bool { return h.hasPosition(venues.Long, "0") })
	fills := s.fills(symbol)
	if len(fills) != 2 {
		s.t.Fatalf("%d fills, want 2: %+v", len(fills), fills)
	}
	if got := fills[1].RealizedPnl; got.Valid && !got.Decimal.Equal(d("5")) {
		s.t.Errorf("realised profit = %v, want 5", got.Decimal)
	}
}

func fillsOfNothing(s *env) {
	s.filled(market(venues.Buy, "0.01"))
	s.checkFills("ETHUSDT", 0)
}
