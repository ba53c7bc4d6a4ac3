package venuetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

var instrumentCases = []conformanceCase{
	{number: 1, name: "the table of capabilities agrees with the connector", run: capabilitiesAgree},
	{number: 2, name: "instruments are complete and consistent", run: instrumentsAreComplete},
	{number: 3, name: "instruments of several pages are read completely", needs: InstrumentPages, run: instrumentsOverPages},
	{number: 4, name: "a halted instrument is not offered as trading", run: haltedInstrument},
	{number: 5, name: "candles are the newest ones before a time, oldest first, without a gap", run: candlesAreOrdered},
	{number: 6, name: "a REST book is sorted and not crossed", run: restBook},
	{number: 7, name: "quantities reach the venue unaltered on every instrument", run: quantitiesAreExact},
	{number: 8, name: "quantities of contracts of several coins are in base coin everywhere", needs: ContractUnits, run: contractsAreCoins},
	{number: 9, name: "an unlisted instrument is rejected as not tradable", run: unlistedInstrument},
}

func capabilitiesAgree(s *env) {
	can := s.connector.Capabilities()
	for capability, reported := range map[Capability]bool{
		AttachedProtection: can.AttachedProtection, AmendStops: can.AmendStops, StreamSnapshots: can.StreamSnapshots,
		RESTSnapshots: !can.StreamSnapshots, ClientIDForever: can.ClientIDUniqueForever, ClientIDReuse: !can.ClientIDUniqueForever,
		SyncAck: !can.AsyncAck,
	} {
		if reason, lacks := s.harness.Lacks[capability]; lacks == reported {
			s.t.Errorf("%s: Capabilities say %v, want %v by the table (%s)", capability, reported, !lacks, reason)
		}
	}
	if can.AbsenceAfter <= 0 || can.UnfilledRetention <= can.AbsenceAfter {
		s.t.Errorf("AbsenceAfter = %v with UnfilledRetention %v, want a shorter positive time", can.AbsenceAfter, can.UnfilledRetention)
	}
}

func (s *env) instruments() []venues.Instrument {
	s.t.Helper()
	list, err := s.connector.Instruments(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func instrumentsAreComplete(s *env) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues publish leverage limits to accounts alone
		s.t.Fatal(err)
	}
	list := s.instruments()
	if len(list) < 8 {
		s.t.Fatalf("%d instruments, want at least 8", len(list))
	}
	for _, i := range list {
		if i.Exchange != s.connector.Venue() || i.Kind != venues.KindPerpetual || i.Symbol != venues.NormalizeSymbol(i.Symbol) || i.VenueSymbol == "" {
			s.t.Errorf("instrument = %+v, want complete names", i)
		}
		if !i.TickSize.IsPositive() || !i.QtyStep.IsPositive() || !i.MinQty.IsPositive() || !i.ContractSize.IsPositive() ||
			!venues.IsMultiple(i.MinQty, i.QtyStep) || i.MaxQty.Valid && i.MaxQty.Decimal.LessThan(i.MinQty) {
			s.t.Errorf("instrument = %+v, want consistent sizes", i)
		}
		if i.BaseCurrency == "" || i.QuoteCurrency != "USDT" || i.SettleCurrency != "USDT" || !i.MaxLeverage.Valid || i.UpdatedAt.IsZero() {
			s.t.Errorf("instrument = %+v, want complete terms in USDT", i)
		}
		scale := i.Scale()
		if !scale.Price(1).LessThanOrEqual(i.TickSize) || !scale.Qty(1).LessThanOrEqual(i.QtyStep) {
			s.t.Errorf("scale of %s = %+v, want one as fine as tick and step", i.Symbol, scale)
		}
	}
}

// instrumentsOverPages reduces the venue's pages to three rows and repeats the first row
// until a page is full: a page that is not full is the last.
func instrumentsOverPages(s *env) {
	const rows = 3
	all := s.instruments()
	s.rest.swapQuery(s.harness.Wire.InstrumentPage)
	s.rest.answer(s.harness.Wire.Instruments, func(status int, body string) (int, string) {
		if strings.Count(body, `"contractType"`) < rows {
			return status, body
		}
		return status, padded(body, s.harness.Wire.PageRows, s.harness.Wire.PageMax-rows)
	})
	paged := s.instruments()
	if s.rest.changes() < 3 || !slices.EqualFunc(all, paged, func(a, b venues.Instrument) bool { return a.Symbol == b.Symbol }) {
		s.t.Errorf("%d instruments over %d pages, want %d over at least 3", len(paged), s.rest.changes(), len(all))
	}
}

// padded repeats the first object after a prefix.
func padded(body, prefix string, times int) string {
	head, rest, _ := strings.Cut(body, prefix)
	depth, end := 0, 0
	for ; end == 0 || depth > 0; end++ {
		switch rest[end] {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return head + prefix + strings.Repeat(rest[:end]+",", times) + rest
}

// haltedInstrument halts an instrument besides the one that the venue lists as halted.
func haltedInstrument(s *env) {
	s.halt("ETHUSDT", true)
	price := map[string]string{"ETHUSDT": "3190", "OMGUSDT": "0.31"}
	halted := cmp.Or(s.harness.Wire.Halted, venues.InstrumentHalted)
	seen := 0
	for _, i := range s.instruments() {
		want := venues.InstrumentTrading
		if price[i.Symbol] != "" {
			want = halted
			seen++
		}
		if i.Status != want {
			s.t.Errorf("instrument = %+v, want the status %s", i, want)
		}
	}
	if seen != len(price) {
		s.t.Errorf("%d halted instruments, want %d", seen, len(price))
	}
	for symbol, at := range price {
		order := s.order(limit(venues.Buy, "100", at))
		order.Symbol = symbol
		s.checkPlaceRejected(order, venues.CodeSymbolNotTradable)
	}
}

// candles reads ten candles before a time.
func (s *env) candles(before time.Time) ([]venues.Candle, error) {
	return s.connector.Candles(s.t.Context(), venues.CandlesQuery{Symbol: symbol, Timeframe: "1m", Before: before, Limit: 10})
}

// candlesAreOrdered reads back over more minutes than a venue provides in one answer or by
// one of two paths.
func candlesAreOrdered(s *env) {
	q := venues.CandlesQuery{Symbol: symbol, Timeframe: "1m", Limit: 50}
	var candles []venues.Candle
	for len(candles) < 2*venues.CandlesMax {
		page, err := s.connector.Candles(s.t.Context(), q)
		if err != nil || len(page) != q.Limit {
			s.t.Fatalf("%d candles before %s, %v, want %d", len(page), q.Before, err, q.Limit)
		}
		candles = append(page, candles...)
		q.Before, q.Limit = page[0].Start, venues.CandlesMax
	}
	for n, c := range candles {
		if n > 0 && !c.Start.Equal(candles[n-1].End) || !c.End.Equal(c.Start.Add(time.Minute)) {
			s.t.Errorf("candle %d is from %v to %v after %v, want contiguous minutes", n, c.Start, c.End, candles[max(n, 1)-1].Start)
		}
		if c.Low.GreaterThan(c.High) || c.Open.GreaterThan(c.High) || c.Close.LessThan(c.Low) || c.Timeframe != "1m" || c.Symbol != symbol {
			s.t.Errorf("candle = %+v, want consistent prices of %s", c, symbol)
		}
		if unit := c.Turnover.DivRound(decimal.Max(c.Volume, d("0.001")), 8); c.Volume.IsPositive() && (unit.LessThan(c.Low) || unit.GreaterThan(c.High)) {
			s.t.Errorf("candle = %+v, want the turnover of a coin between low and high", c)
		}
		if newest := n == len(candles)-1; c.Closed == newest {
			s.t.Errorf("candle %d of %d: closed %t, want only the newest open", n, len(candles), c.Closed)
		}
	}
	if age := time.Since(candles[len(candles)-1].Start); age > 2*time.Minute {
		s.t.Errorf("the newest candle is %v old, want at most two minutes", age)
	}
}

func restBook(s *env) {
	book, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer book.Release()
	if !book.Snapshot || book.Symbol != symbol || len(book.Bids) < 50 || len(book.Asks) < 50 || book.LastSeq == 0 {
		s.t.Fatalf("snapshot of %s with %d bids, %d asks and sequence %d, want at least 50 a side of %s", book.Symbol, len(book.Bids), len(book.Asks), book.LastSeq, symbol)
	}
	falling := func(a, b venues.Level) int { return int(b.Price - a.Price) }
	rising := func(a, b venues.Level) int { return int(a.Price - b.Price) }
	if !slices.IsSortedFunc(book.Bids, falling) || !slices.IsSortedFunc(book.Asks, rising) || book.Bids[0].Price >= book.Asks[0].Price {
		s.t.Errorf("bids %v and asks %v, want them sorted and not crossed", book.Bids[:3], book.Asks[:3])
	}
}

// quantitiesAreExact places an odd number of steps of every instrument and compares it
// with the base quantity in the venue's ledger.
func quantitiesAreExact(s *env) {
	for _, i := range s.instruments() {
		if i.Status != venues.InstrumentTrading {
			continue
		}
		book, err := s.connector.Snapshot(s.t.Context(), i.Symbol)
		if err != nil {
			s.t.Fatal(err)
		}
		price := i.Scale().Price(book.Bids[len(book.Bids)-1].Price)
		book.Release()
		qty := i.MinQty.Add(i.QtyStep.Mul(d("7")))
		if i.MinNotional.Valid {
			qty = qty.Add(venues.CeilTo(i.MinNotional.Decimal.DivRound(price, 8), i.QtyStep))
		}
		order := s.resting(func(r *venues.OrderRequest) { r.Symbol, r.Price, r.Qty = i.Symbol, venues.Some(price), qty })
		rows := s.ledgerOrders(order.ClientOrderID)
		if len(rows) != 1 || !d(rows[0].BaseQty).Equal(qty) {
			s.t.Errorf("%s: ledger = %+v, want one order of %v", i.Symbol, rows, qty)
		}
		found := s.find(order)
		if !found.Qty.Equal(qty) || !venues.EqualOptional(found.Price, venues.Some(price)) {
			s.t.Errorf("%s: order = %+v, want %v at %v", i.Symbol, found, qty, price)
		}
		// Some ids need an integer of 64 bits.
		if len(rows) == 1 && found.VenueOrderID != rows[0].VenueOrderID {
			s.t.Errorf("%s: order id %s, want %s as in the ledger", i.Symbol, found.VenueOrderID, rows[0].VenueOrderID)
		}
	}
}

func contractsAreCoins(s *env) {
	n := slices.IndexFunc(s.instruments(), func(i venues.Instrument) bool { return i.ContractSize.GreaterThan(d("1")) })
	i := s.instruments()[n]
	order := s.filled(market(venues.Buy, venues.FormatDecimal(i.ContractSize.Mul(d("3")))), func(r *venues.OrderRequest) { r.Symbol = i.Symbol })
	rows := s.ledgerOrders(order.ClientOrderID)
	if len(rows) != 1 || !d(rows[0].Qty).Equal(d("3")) {
		s.t.Errorf("ledger = %+v, want one order of 3 contracts of %v", rows, i.ContractSize)
	}
	s.await("the position in coins", func(h *sink) bool {
		n := len(h.positions)
		return n > 0 && h.positions[n-1].Qty.Equal(order.Qty)
	})
	if fills := s.fills(i.Symbol); !sumOf(fills).Equal(order.Qty) {
		s.t.Errorf("sum of the fills = %v, want %v", sumOf(fills), order.Qty)
	}
	if positions := s.positions(); len(positions) != 1 || !positions[0].Qty.Equal(order.Qty) {
		s.t.Errorf("positions = %+v, want one of %v", positions, order.Qty)
	}
}

func unlistedInstrument(s *env) {
	order := s.order(func(r *venues.OrderRequest) { r.Symbol = "NOPEUSDT" })
	s.checkPlaceRejected(order, venues.CodeSymbolNotTradable)
	if _, err := s.connector.Snapshot(s.t.Context(), "NOPEUSDT"); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		s.t.Errorf("error of the snapshot = %v, want symbol_not_tradable", err)
	}
}
