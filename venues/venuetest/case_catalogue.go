package venuetest

import (
	"slices"
	"strings"
	"time"

	"venuegate/venues"
)

var catalogueCases = []conformanceCase{
	{number: 1, name: "the table of capabilities agrees with the port", run: capabilitiesAgree},
	{number: 2, name: "instruments are complete and consistent", run: instrumentsAreComplete},
	{number: 3, name: "a catalogue of several pages is read whole", needs: InstrumentPages, run: catalogueOverPages},
	{number: 4, name: "a halted instrument is not offered as trading", run: haltedInstrument},
	{number: 5, name: "candles are the newest, oldest first, within the limit", run: candlesAreOrdered},
	{number: 6, name: "a book by REST is sorted and not crossed", run: restBook},
	{number: 7, name: "quantities reach the venue unaltered on every instrument", run: quantitiesAreExact},
	{number: 8, name: "a contract of several coins counts in base coin everywhere", needs: ContractUnits, run: contractsAreCoins},
	{number: 9, name: "an instrument that is not listed is refused by name", run: unlistedInstrument},
}

func capabilitiesAgree(s *stage) {
	can := s.connector.Capabilities()
	for capability, told := range map[Capability]bool{
		AttachedProtection: can.AttachedProtection, AmendStops: can.AmendStops, StreamSnapshots: can.StreamSnapshots,
		RESTSnapshots: !can.StreamSnapshots, ClientIDForever: can.ClientIDUniqueForever, ClientIDReuse: !can.ClientIDUniqueForever,
		SyncAck: !can.AsyncAck,
	} {
		if reason, lacks := s.harness.Lacks[capability]; lacks == told {
			s.t.Errorf("%s: the port says %v, the table %v (%s)", capability, told, !lacks, reason)
		}
	}
	if can.AbsenceAfter <= 0 || can.UnfilledRetention <= can.AbsenceAfter {
		s.t.Errorf("absence is never provable: %v to %v", can.AbsenceAfter, can.UnfilledRetention)
	}
}

func (s *stage) instruments() []venues.Instrument {
	s.t.Helper()
	list, err := s.connector.Instruments(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func instrumentsAreComplete(s *stage) {
	if _, err := s.account.Mode(s.t.Context()); err != nil { // some venues tell leverage limits to accounts alone
		s.t.Fatal(err)
	}
	list := s.instruments()
	if len(list) < 8 {
		s.t.Fatalf("%d instruments", len(list))
	}
	for _, i := range list {
		if i.Exchange != s.connector.Venue() || i.Kind != venues.KindPerpetual || i.Symbol != venues.NormalizeSymbol(i.Symbol) || i.VenueSymbol == "" {
			s.t.Errorf("names: %+v", i)
		}
		if !i.TickSize.IsPositive() || !i.QtyStep.IsPositive() || !i.MinQty.IsPositive() || !i.ContractSize.IsPositive() ||
			!venues.IsMultiple(i.MinQty, i.QtyStep) || i.MaxQty.Valid && i.MaxQty.Decimal.LessThan(i.MinQty) {
			s.t.Errorf("sizes: %+v", i)
		}
		if i.BaseCurrency == "" || i.QuoteCurrency != "USDT" || i.SettleCurrency != "USDT" || !i.MaxLeverage.Valid || i.UpdatedAt.IsZero() {
			s.t.Errorf("terms: %+v", i)
		}
		scale := i.Scale()
		if !scale.Price(1).LessThanOrEqual(i.TickSize) || !scale.Qty(1).LessThanOrEqual(i.QtyStep) {
			s.t.Errorf("scale %+v is too coarse for %s", scale, i.Symbol)
		}
	}
}

// catalogueOverPages cuts the venue's pages to three rows and repeats the first
// until a page is full again: a page that is not full is the last.
func catalogueOverPages(s *stage) {
	const rows = 3
	whole := s.instruments()
	s.rest.swapQuery(s.harness.Wire.InstrumentPage)
	s.rest.answer(s.harness.Wire.Instruments, func(status int, body string) (int, string) {
		if strings.Count(body, `"contractType"`) < rows {
			return status, body
		}
		return status, padded(body, s.harness.Wire.PageRows, s.harness.Wire.PageMax-rows)
	})
	paged := s.instruments()
	if s.rest.changes() < 3 || !slices.EqualFunc(whole, paged, func(a, b venues.Instrument) bool { return a.Symbol == b.Symbol }) {
		s.t.Errorf("%d of %d instruments over %d pages", len(paged), len(whole), s.rest.changes())
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

func haltedInstrument(s *stage) {
	s.halt("ETHUSDT", true)
	for _, i := range s.instruments() {
		if i.Symbol == "ETHUSDT" && i.Status == venues.InstrumentTrading {
			s.t.Errorf("%+v", i)
		}
	}
	order := s.order(limit(venues.Buy, "1", "3190"))
	order.Symbol = "ETHUSDT"
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeSymbolNotTradable, "")
	s.holds(order.ClientOrderID, 0)
}

func candlesAreOrdered(s *stage) {
	const most = 50
	candles, err := s.connector.Candles(s.t.Context(), symbol, "1m", most)
	if err != nil || len(candles) == 0 || len(candles) > most {
		s.t.Fatalf("%d candles, %v", len(candles), err)
	}
	for n, c := range candles {
		if n > 0 && !c.Start.Equal(candles[n-1].End) && !c.Start.Equal(candles[n-1].Start.Add(time.Minute)) {
			s.t.Errorf("candle %d begins at %v after %v", n, c.Start, candles[n-1].Start)
		}
		if c.Low.GreaterThan(c.High) || c.Open.GreaterThan(c.High) || c.Close.LessThan(c.Low) || c.Timeframe != "1m" || c.Symbol != symbol {
			s.t.Errorf("%+v", c)
		}
	}
	if age := time.Since(candles[len(candles)-1].Start); age > 2*time.Minute {
		s.t.Errorf("the newest candle is %v old", age)
	}
}

func restBook(s *stage) {
	book, err := s.connector.Snapshot(s.t.Context(), symbol)
	if err != nil {
		s.t.Fatal(err)
	}
	defer book.Release()
	if !book.Snapshot || book.Symbol != symbol || len(book.Bids) < 50 || len(book.Asks) < 50 || book.LastSeq == 0 {
		s.t.Fatalf("%s: %d bids, %d asks, %d", book.Symbol, len(book.Bids), len(book.Asks), book.LastSeq)
	}
	falling := func(a, b venues.Level) int { return int(b.Price - a.Price) }
	rising := func(a, b venues.Level) int { return int(a.Price - b.Price) }
	if !slices.IsSortedFunc(book.Bids, falling) || !slices.IsSortedFunc(book.Asks, rising) || book.Bids[0].Price >= book.Asks[0].Price {
		s.t.Errorf("bids %v, asks %v", book.Bids[:3], book.Asks[:3])
	}
}

// quantitiesAreExact places an odd number of steps of every instrument and looks
// at what the venue's ledger says of it in base coin.
func quantitiesAreExact(s *stage) {
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
		rows := s.truth(order.ClientOrderID)
		if len(rows) != 1 || !d(rows[0].BaseQty).Equal(qty) {
			s.t.Errorf("%s: %v became %+v", i.Symbol, qty, rows)
		}
		if found := s.find(order); !found.Qty.Equal(qty) || !venues.EqualOptional(found.Price, venues.Some(price)) {
			s.t.Errorf("%s: %v at %v came back as %+v", i.Symbol, qty, price, found)
		}
	}
}

func contractsAreCoins(s *stage) {
	n := slices.IndexFunc(s.instruments(), func(i venues.Instrument) bool { return i.ContractSize.GreaterThan(d("1")) })
	i := s.instruments()[n]
	order := s.filled(market(venues.Buy, venues.FormatDecimal(i.ContractSize.Mul(d("3")))), func(r *venues.OrderRequest) { r.Symbol = i.Symbol })
	rows := s.truth(order.ClientOrderID)
	if len(rows) != 1 || !d(rows[0].Qty).Equal(d("3")) {
		s.t.Errorf("three contracts of %v became %+v", i.ContractSize, rows)
	}
	s.await("the position in coins", func(h *heard) bool {
		n := len(h.positions)
		return n > 0 && h.positions[n-1].Qty.Equal(order.Qty)
	})
	if fills := s.fills(i.Symbol); !sumOf(fills).Equal(order.Qty) {
		s.t.Errorf("fills add up to %v", sumOf(fills))
	}
	if positions := s.positions(); len(positions) != 1 || !positions[0].Qty.Equal(order.Qty) {
		s.t.Errorf("%+v", positions)
	}
}

func unlistedInstrument(s *stage) {
	order := s.order(func(r *venues.OrderRequest) { r.Symbol = "NOPEUSDT" })
	_, err := s.account.Place(s.t.Context(), order)
	s.refused(err, venues.CodeSymbolNotTradable, "")
	s.holds(order.ClientOrderID, 0)
	if _, err := s.connector.Snapshot(s.t.Context(), "NOPEUSDT"); venues.CodeOf(err) != venues.CodeSymbolNotTradable {
		s.t.Errorf("snapshot: %v", err)
	}
}
