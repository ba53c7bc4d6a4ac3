package bybit_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
)

func TestSimCatalogue(t *testing.T) {
	x := start(t, nil, nil)
	offset, err := x.connector.SyncClock(t.Context())
	if err != nil || offset.Abs() > 100*time.Millisecond {
		t.Errorf("offset %v, %v", offset, err)
	}
	instruments, err := x.connector.Instruments(t.Context())
	if err != nil || len(instruments) < 8 {
		t.Fatalf("%d instruments, %v", len(instruments), err)
	}
	for _, i := range instruments {
		if i.Exchange != venues.Bybit || !i.MaxLeverage.Valid || !i.MinNotional.Valid || !i.ContractSize.Equal(d("1")) {
			t.Errorf("%+v", i)
		}
	}
	candles, err := x.connector.Candles(t.Context(), "BTCUSDT", "1m", 50)
	if err != nil || len(candles) == 0 || len(candles) > 50 {
		t.Errorf("%d candles, %v", len(candles), err)
	}
	book, err := x.connector.Snapshot(t.Context(), "BTCUSDT")
	if err != nil || len(book.Bids) == 0 || book.Bids[0].Price >= book.Asks[0].Price {
		t.Errorf("snapshot %v", err)
	}
}

func TestSimLimitOrderLife(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	order := x.place(nil)
	if order.Status != venues.StatusPending || order.VenueOrderID == "" {
		t.Fatalf("%+v", order)
	}
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen)
	found, err := x.account.Order(t.Context(), refOf(order))
	if err != nil || found.Status != venues.StatusOpen || !found.Qty.Equal(d("0.01")) {
		t.Errorf("%+v, %v", found, err)
	}
	amend := venues.AmendRequest{OrderRef: refOf(order), Side: venues.Buy, Qty: d("0.02"), Price: some("64100"), Deadline: time.Now().Add(time.Second)}
	if amended, err := x.account.Amend(t.Context(), amend); err != nil || amended.Status != venues.StatusPending {
		t.Fatalf("%+v, %v", amended, err)
	}
	e.await(t, "the amendment", func(e *events) bool {
		last := e.reports[len(e.reports)-1]
		return last.Qty.Equal(d("0.02")) && venues.EqualOptional(last.Price, some("64100")) && last.VenueOrderID == order.VenueOrderID
	})
	if same, err := x.account.Amend(t.Context(), amend); err != nil || same.Status != venues.StatusOpen || !same.Qty.Equal(d("0.02")) {
		t.Errorf("no change: %+v, %v", same, err)
	}
	orders, err := x.account.OpenOrders(t.Context())
	if err != nil || len(orders) != 1 || orders[0].ClientOrderID != order.ClientOrderID {
		t.Errorf("%+v, %v", orders, err)
	}
	if cancelled, err := x.account.Cancel(t.Context(), refOf(order)); err != nil || cancelled.Status != venues.StatusPending {
		t.Errorf("%+v, %v", cancelled, err)
	}
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen, venues.StatusCancelled)
	if _, err = x.account.Cancel(t.Context(), refOf(order)); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("second cancel: %v", err)
	}
	if found, err = x.account.Order(t.Context(), refOf(order)); err != nil || found.Status != venues.StatusCancelled || found.Fault != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestSimMarketOrderFills(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	began := time.Now().Add(-time.Second)
	bought := x.place(market(venues.Buy, "0.01"))
	e.awaitLife(t, bought.ClientOrderID, venues.StatusFilled)
	e.await(t, "the position", func(e *events) bool {
		return len(e.positions) > 0 && e.positions[len(e.positions)-1].Side == venues.Long && e.balances > 0
	})
	if got := e.fillsOf(bought.ClientOrderID); !got.Equal(d("0.01")) {
		t.Errorf("fills of %v", got)
	}
	positions, err := x.account.Positions(t.Context())
	if err != nil || len(positions) != 1 || positions[0].Side != venues.Long || !positions[0].Qty.Equal(d("0.01")) || !positions[0].Leverage.Valid || positions[0].MarginMode == "" {
		t.Fatalf("%+v, %v", positions, err)
	}
	balances, err := x.account.Balances(t.Context())
	if err != nil || balances[0].Currency != "USDT" || !balances[0].UsedMargin.IsPositive() || !balances[0].Available.LessThan(balances[0].Equity) {
		t.Errorf("%+v, %v", balances, err)
	}
	sold := x.place(func(r *venues.OrderRequest) { market(venues.Sell, "0.01")(r); r.ReduceOnly = true })
	e.await(t, "the end of the position", func(e *events) bool {
		return e.ended(venues.Long)
	})
	e.awaitLife(t, sold.ClientOrderID, venues.StatusFilled)
	fills, err := x.account.Fills(t.Context(), venues.FillsQuery{Symbol: "BTCUSDT", From: began, To: time.Now().Add(time.Second)})
	if err != nil || len(fills) < 2 {
		t.Fatalf("%+v, %v", fills, err)
	}
	sum := decimal.Zero
	for _, f := range fills {
		if f.VenueOrderID == sold.VenueOrderID {
			sum = sum.Add(f.Qty)
		}
		if !f.Fee.Valid || f.FeeCurrency != "USDT" || f.Liquidity != venues.Taker {
			t.Errorf("%+v", f)
		}
	}
	if !sum.Equal(d("0.01")) {
		t.Errorf("fills of the sale add up to %v", sum)
	}
	if positions, err = x.account.Positions(t.Context()); err != nil || len(positions) != 0 {
		t.Errorf("%+v, %v", positions, err)
	}
}

func TestSimPartialFill(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	order := x.place(func(r *venues.OrderRequest) { r.Price, r.Qty = some("65000"), d("1") }) // the best bid
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen)
	x.trade("sell", "0.4")
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen, venues.StatusPartiallyFilled)
	found, err := x.account.Order(t.Context(), refOf(order))
	if err != nil || found.Status != venues.StatusPartiallyFilled || !found.FilledQty.Equal(d("0.4")) || !venues.EqualOptional(found.AvgPrice, some("65000")) {
		t.Fatalf("%+v, %v", found, err)
	}
	if _, err = x.account.Cancel(t.Context(), refOf(order)); err != nil {
		t.Error(err)
	}
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen, venues.StatusPartiallyFilled, venues.StatusCancelled)
	if got := e.fillsOf(order.ClientOrderID); !got.Equal(d("0.4")) {
		t.Errorf("fills of %v", got)
	}
}

func TestSimRefusals(t *testing.T) {
	x := start(t, nil, nil)
	for name, c := range map[string]struct {
		change func(*venues.OrderRequest)
		code   venues.Code
		reason string
	}{
		"nothing to reduce": {func(r *venues.OrderRequest) { market(venues.Sell, "0.01")(r); r.ReduceOnly = true }, venues.CodeOrderRejected, venues.ReasonNoPosition},
		"no such symbol":    {func(r *venues.OrderRequest) { r.Symbol = "NOPEUSDT" }, venues.CodeSymbolNotTradable, ""},
		"off the tick":      {func(r *venues.OrderRequest) { r.Price = some("64000.05") }, venues.CodeInvalidRequest, ""},
		"too small":         {func(r *venues.OrderRequest) { r.Symbol, r.Price, r.Qty = "DOGEUSDT", some("0.15"), d("2") }, venues.CodeInvalidRequest, "below_minimum_notional"},
		"trigger already reached": {func(r *venues.OrderRequest) {
			r.Type, r.Side, r.Price, r.TriggerPrice, r.TriggerWhen = venues.TypeStopMarket, venues.Sell, venues.Optional{}, some("66000"), venues.TriggerFalling
		}, venues.CodeInvalidRequest, venues.ReasonWouldTrigger},
	} {
		_, err := x.account.Place(t.Context(), x.order(c.change))
		refused, ok := errors.AsType[*venues.Error](err)
		if !ok || refused.Code != c.code || c.reason != "" && refused.Details["reason"] != c.reason ||
			errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := x.account.Place(t.Context(), x.order(func(r *venues.OrderRequest) { r.Qty = d("900") }))
	poor, ok := errors.AsType[*venues.Error](err)
	if !ok || poor.Code != venues.CodeInsufficientBalance || poor.Details["available"] != "100000" || poor.Details["required"] == nil {
		t.Errorf("%v", poor)
	}
}

// What is accepted and ends at once is told by the stream, with the reason.
func TestSimOrdersThatEndAtOnce(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	for reason, change := range map[string]func(*venues.OrderRequest){
		venues.ReasonPostOnlyWouldTake: func(r *venues.OrderRequest) { r.PostOnly, r.Price = true, some("65300") },
		venues.ReasonFOKNotFilled:      func(r *venues.OrderRequest) { r.TimeInForce, r.Qty = venues.FillOrKill, d("0.5") },
		venues.ReasonIOCNotFilled:      func(r *venues.OrderRequest) { r.TimeInForce = venues.ImmediateOrCancel },
	} {
		order := x.place(change)
		e.awaitLife(t, order.ClientOrderID, venues.StatusCancelled)
		found, err := x.account.Order(t.Context(), refOf(order))
		if err != nil || found.Fault == nil || found.Fault.Reason != reason {
			t.Errorf("%s: %+v, %v", reason, found.Fault, err)
		}
	}
}

func TestSimStops(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	entry := x.place(market(venues.Buy, "0.01"))
	e.awaitLife(t, entry.ClientOrderID, venues.StatusFilled)
	profit := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.ClosePosition = venues.TypeStopMarket, venues.Sell, venues.Optional{}, some("67000"), true
	})
	loss := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.ReduceOnly = venues.TypeStopMarket, venues.Sell, venues.Optional{}, some("64000"), true
	})
	limit := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Price, r.TriggerPrice = venues.TypeStopLimit, some("64000"), some("66000")
	})
	for _, stop := range []venues.ExecutionReport{profit, loss, limit} {
		e.awaitLife(t, stop.ClientOrderID, venues.StatusUntriggered)
	}
	if open, err := x.account.OpenOrders(t.Context()); err != nil || len(open) != 3 {
		t.Errorf("%+v, %v", open, err)
	}
	if _, err := x.account.Cancel(t.Context(), refOf(profit)); err != nil {
		t.Error(err)
	}
	e.awaitLife(t, profit.ClientOrderID, venues.StatusUntriggered, venues.StatusCancelled)
	x.move("BTCUSDT", "63900")
	x.trade("sell", "0.001")
	e.await(t, "the stop's end", func(e *events) bool {
		return slices.Contains(e.lifeOf(loss.ClientOrderID), venues.StatusFilled)
	})
	after, err := x.account.Order(t.Context(), refOf(loss))
	if err != nil || after.Status != venues.StatusFilled || !after.FilledQty.Equal(d("0.01")) || after.Type != venues.TypeStopMarket || after.VenueOrderID != loss.VenueOrderID {
		t.Errorf("%+v, %v", after, err)
	}
}

// A stop that waits is amended in place.
func TestSimAmendStop(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	stop := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Price, r.TriggerPrice = venues.TypeStopMarket, venues.Optional{}, some("67000")
	})
	e.awaitLife(t, stop.ClientOrderID, venues.StatusUntriggered)
	amend := venues.AmendRequest{OrderRef: refOf(stop), Side: venues.Buy, Qty: d("0.02"), TriggerPrice: some("68000"), Deadline: time.Now().Add(time.Second)}
	if _, err := x.account.Amend(t.Context(), amend); err != nil {
		t.Fatal(err)
	}
	e.await(t, "the amendment", func(e *events) bool {
		last := e.reports[len(e.reports)-1]
		return venues.EqualOptional(last.TriggerPrice, some("68000")) && last.Qty.Equal(d("0.02")) && last.VenueOrderID == stop.VenueOrderID
	})
}

// Stop loss and take profit travel with the order and live with the position.
func TestSimAttachedProtection(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	entry := x.place(func(r *venues.OrderRequest) {
		market(venues.Buy, "0.01")(r)
		r.StopLoss, r.TakeProfit = some("64000"), some("67000")
	})
	e.awaitLife(t, entry.ClientOrderID, venues.StatusFilled)
	positions, err := x.account.Positions(t.Context())
	if err != nil || len(positions) != 1 || !venues.EqualOptional(positions[0].StopLoss, some("64000")) || !venues.EqualOptional(positions[0].TakeProfit, some("67000")) {
		t.Fatalf("%+v, %v", positions, err)
	}
	open, err := x.account.OpenOrders(t.Context())
	if err != nil || len(open) != 2 {
		t.Fatalf("%+v, %v", open, err)
	}
	for _, r := range open {
		if r.Attachment == nil || r.Attachment.EntryClientID != entry.ClientOrderID || !r.Attachment.OfPosition || r.Status != venues.StatusUntriggered {
			t.Fatalf("%+v", r)
		}
	}
	x.move("BTCUSDT", "63900")
	x.trade("sell", "0.001")
	e.await(t, "the end of the position", func(e *events) bool {
		return e.ended(venues.Long)
	})
	e.await(t, "the stop loss", func(e *events) bool {
		return slices.ContainsFunc(e.reports, func(r venues.ExecutionReport) bool {
			return r.Attachment != nil && venues.EqualOptional(r.Attachment.StopLoss, some("64000")) && r.Status == venues.StatusFilled
		})
	})
	e.await(t, "its twin", func(e *events) bool {
		return slices.ContainsFunc(e.reports, func(r venues.ExecutionReport) bool {
			return r.Attachment != nil && r.Attachment.TakeProfit.Valid && r.Status == venues.StatusCancelled && r.Fault.Reason == venues.ReasonOtherLegTriggered
		})
	})
}

func TestSimLeverage(t *testing.T) {
	x := start(t, nil, nil)
	for range 2 { // the same again is success too
		change, err := x.account.SetLeverage(t.Context(), "BTCUSDT", d("7"))
		if err != nil || !change.Leverage.Equal(d("7")) || !change.PreviousLeverage.Valid {
			t.Fatalf("%+v, %v", change, err)
		}
	}
	_, err := x.account.SetLeverage(t.Context(), "BTCUSDT", d("500"))
	refused, ok := errors.AsType[*venues.Error](err)
	if !ok || refused.Code != venues.CodeLeverageChangeRejected || refused.Details["reason"] != venues.ReasonAboveMax || refused.Details["maxLeverage"] == nil {
		t.Errorf("%v", err)
	}
}

func TestSimHedgeMode(t *testing.T) {
	x := start(t, nil, nil)
	info, err := x.sim.Control().CreateAccount(simcore.AccountBody{PositionMode: "hedge"})
	if err != nil {
		t.Fatal(err)
	}
	x.account = x.open(simcore.AccountInfo{Credentials: info.Credentials})
	if mode, err := x.account.Mode(t.Context()); err != nil || !mode.Hedge {
		t.Fatalf("%+v, %v", mode, err)
	}
	e := x.listenPrivate()
	long := x.place(market(venues.Buy, "0.02"))
	short := x.place(market(venues.Sell, "0.01"))
	e.awaitLife(t, long.ClientOrderID, venues.StatusFilled)
	e.awaitLife(t, short.ClientOrderID, venues.StatusFilled)
	if positions, err := x.account.Positions(t.Context()); err != nil || len(positions) != 2 {
		t.Fatalf("%+v, %v", positions, err)
	}
	x.place(func(r *venues.OrderRequest) { market(venues.Sell, "0.02")(r); r.ReduceOnly = true })
	e.await(t, "the end of the long side", func(e *events) bool {
		return e.ended(venues.Long)
	})
	if positions, err := x.account.Positions(t.Context()); err != nil || len(positions) != 1 || positions[0].Side != venues.Short {
		t.Errorf("%+v, %v", positions, err)
	}
}

// The mode is changed behind our back: the next order notices and goes out right.
func TestSimModeChangedElsewhere(t *testing.T) {
	x := start(t, nil, nil)
	if _, err := x.account.Mode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.sim.Exchange().SetPositionMode(x.sim.DemoAccount().ID, simcore.Hedge); err != nil {
		t.Fatal(err)
	}
	order := x.place(market(venues.Buy, "0.01"))
	if n := x.venueOrders(order.ClientOrderID); n != 1 {
		t.Errorf("%d orders at the venue", n)
	}
}

func TestSimClockSkew(t *testing.T) {
	x := start(t, func(o *bybitsim.Options) { o.ClockOffset = 90 * time.Second }, nil)
	x.place(nil)
	x.sim.Exchange().Clock().SetOffset(-90 * time.Second) // refused, measured and signed anew
	order := x.order(nil)
	if _, err := x.account.Place(t.Context(), order); err != nil {
		t.Error(err)
	}
	if n := x.venueOrders(order.ClientOrderID); n != 1 {
		t.Errorf("%d orders at the venue", n)
	}
}

// Faults around the execution: the outcome is said honestly, the venue's ledger
// holds at most one order, and a query finds the truth.
func TestSimTimeouts(t *testing.T) {
	for name, c := range map[string]struct {
		do       simcore.FaultAction
		args     simcore.FaultArgs
		executed bool
	}{
		"never answered, not executed": {simcore.FaultTimeoutBefore, simcore.FaultArgs{DelayMs: 100}, false},
		"never answered, executed":     {simcore.FaultTimeoutAfter, simcore.FaultArgs{DelayMs: 100}, true},
		"dropped, not executed":        {simcore.FaultDropConnection, simcore.FaultArgs{}, false},
		"dropped, executed":            {simcore.FaultDropConnection, simcore.FaultArgs{Executed: true}, true},
		"502 and executed":             {simcore.FaultStatus, simcore.FaultArgs{Status: 502, Executed: true, Body: []byte(`"<html>502</html>"`)}, true},
		"10016 and executed":           {simcore.FaultStatus, simcore.FaultArgs{Status: 200, Executed: true, Body: []byte(`"{\"retCode\":10016,\"retMsg\":\"Server error.\",\"result\":{}}"`)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, nil, nil)
			if _, err := x.account.Mode(t.Context()); err != nil {
				t.Fatal(err)
			}
			x.fault(c.do, "/v5/order/create", "POST", 1, c.args)
			order := x.order(nil)
			_, err := x.account.Place(t.Context(), order)
			if !errors.Is(err, venues.ErrOutcomeUnknown) {
				t.Fatalf("%v, want an unknown outcome", err)
			}
			found, err := x.account.Order(t.Context(), venues.OrderRef{Symbol: order.Symbol, ClientOrderID: order.ClientOrderID, Type: order.Type})
			switch {
			case c.executed && (err != nil || found.Status != venues.StatusOpen || x.venueOrders(order.ClientOrderID) != 1):
				t.Errorf("%+v, %v, %d at the venue", found, err, x.venueOrders(order.ClientOrderID))
			case !c.executed && (venues.CodeOf(err) != venues.CodeNotFound || x.venueOrders(order.ClientOrderID) != 0):
				t.Errorf("%+v, %v, %d at the venue", found, err, x.venueOrders(order.ClientOrderID))
			}
		})
	}
}

func TestSimDuplicateClientID(t *testing.T) {
	x := start(t, nil, nil)
	order := x.order(nil)
	if _, err := x.account.Place(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if _, err := x.account.Place(t.Context(), order); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("%v, want the outcome to be queried", err)
	}
	if n := x.venueOrders(order.ClientOrderID); n != 1 {
		t.Errorf("%d orders at the venue", n)
	}
}

func TestSimWrongKey(t *testing.T) {
	x := start(t, nil, nil)
	stranger := x.open(simcore.AccountInfo{Credentials: simcore.Credentials{APIKey: x.sim.DemoAccount().Credentials.APIKey, APISecret: "wrong"}})
	if _, err := stranger.Balances(t.Context()); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("%v", err)
	}
	facts, err := x.account.(venues.KeyInspector).KeyFacts(t.Context())
	if err != nil || !facts.CanTrade || facts.CanWithdraw {
		t.Errorf("%+v, %v", facts, err)
	}
}

// bookSink counts what a feed brings and checks the books' sequence.
type bookSink struct {
	*events
	last    uint64
	updates int
	resets  int
	marks   int
	breaks  int
}

func (s *bookSink) Book(u *venues.BookUpdate) {
	s.note(func() {
		if u.Snapshot {
			s.resets++
		} else if u.PrevSeq != s.last {
			s.breaks++
		}
		s.last = u.LastSeq
		s.updates++
	})
	u.Release()
}
func (s *bookSink) Trade(venues.Trade)                          {}
func (s *bookSink) Candle(venues.Candle)                        {}
func (s *bookSink) Mark(venues.MarkPrice)                       { s.note(func() { s.marks++ }) }
func (s *bookSink) Interrupted(_ []venues.FeedChannel, _ error) { s.note(func() { s.last = 0 }) }
func (s *bookSink) Resumed([]venues.FeedChannel)                {}

// Books over a socket: a snapshot, changes without a gap, a cut, a snapshot again,
// and a venue that begins to count anew.
func TestSimBooks(t *testing.T) {
	x := start(t, func(o *bybitsim.Options) { o.Quiet = false }, nil)
	s := &bookSink{events: newEvents()}
	feed := x.connector.OpenFeed(s)
	t.Cleanup(feed.Close)
	feed.Subscribe(venues.FeedChannel{Kind: venues.FeedBook, Symbol: "BTCUSDT"}, venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDT"})
	s.await(t, "changes", func(*events) bool { return s.resets == 1 && s.updates > 3 && s.marks > 0 })
	x.streams.cut()
	s.await(t, "the next snapshot", func(*events) bool { return s.resets == 2 })
	x.sim.RestartBooks()
	s.await(t, "the restart", func(*events) bool { return s.resets == 3 })
	if s.breaks != 0 {
		t.Errorf("%d breaks in the sequence", s.breaks)
	}
}
