package binance_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
)

func TestSimCatalogue(t *testing.T) {
	x := start(t, nil, nil)
	offset, err := x.connector.SyncClock(t.Context())
	if err != nil || offset > 100*time.Millisecond || offset < -100*time.Millisecond {
		t.Errorf("offset %v, %v", offset, err)
	}
	if _, err := x.account.Mode(t.Context()); err != nil { // brings the leverage limits
		t.Fatal(err)
	}
	instruments, err := x.connector.Instruments(t.Context())
	if err != nil || len(instruments) < 9 {
		t.Fatalf("%d instruments, %v", len(instruments), err)
	}
	trading := 0
	for _, i := range instruments {
		if i.Status == venues.InstrumentTrading {
			trading++
		}
		if i.Exchange != venues.Binance || !i.MaxLeverage.Valid || !i.MinNotional.Valid || !i.ContractSize.Equal(d("1")) {
			t.Errorf("%+v", i)
		}
	}
	if trading < 8 || trading == len(instruments) {
		t.Errorf("%d of %d trade", trading, len(instruments))
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
	open := x.place(nil)
	if open.Status != venues.StatusOpen || open.VenueOrderID == "" {
		t.Fatalf("%+v", open)
	}
	e.awaitLife(t, open.ClientOrderID, venues.StatusOpen)
	found, err := x.account.Order(t.Context(), refOf(open))
	if err != nil || found.Status != venues.StatusOpen || !found.Qty.Equal(d("0.01")) {
		t.Errorf("%+v, %v", found, err)
	}
	amended, err := x.account.Amend(t.Context(), venues.AmendRequest{
		OrderRef: refOf(open), Side: venues.Buy, Qty: d("0.02"), Price: some("64100"), Deadline: time.Now().Add(time.Second),
	})
	if err != nil || !amended.Qty.Equal(d("0.02")) || !venues.EqualOptional(amended.Price, some("64100")) || amended.ClientOrderID != open.ClientOrderID {
		t.Errorf("%+v, %v", amended, err)
	}
	same, err := x.account.Amend(t.Context(), venues.AmendRequest{OrderRef: refOf(open), Side: venues.Buy, Qty: d("0.02"), Price: some("64100")})
	if err != nil || !same.Qty.Equal(d("0.02")) {
		t.Errorf("no change: %+v, %v", same, err)
	}
	orders, err := x.account.OpenOrders(t.Context())
	if err != nil || len(orders) != 1 || orders[0].ClientOrderID != open.ClientOrderID {
		t.Errorf("%+v, %v", orders, err)
	}
	cancelled, err := x.account.Cancel(t.Context(), refOf(open))
	if err != nil || cancelled.Status != venues.StatusCancelled {
		t.Errorf("%+v, %v", cancelled, err)
	}
	e.awaitLife(t, open.ClientOrderID, venues.StatusOpen, venues.StatusCancelled)
	if _, err = x.account.Cancel(t.Context(), refOf(open)); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("second cancel: %v", err)
	}
}

func TestSimMarketOrderFills(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	began := time.Now().Add(-time.Second)
	bought := x.place(market(venues.Buy, "0.01"))
	if bought.Status != venues.StatusFilled || !bought.FilledQty.Equal(d("0.01")) {
		t.Fatalf("%+v", bought)
	}
	e.awaitLife(t, bought.ClientOrderID, venues.StatusOpen, venues.StatusFilled)
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
		last := e.positions[len(e.positions)-1]
		return last.Qty.IsZero() && last.Side == venues.Long
	})
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
	x.trade("sell", "0.4")
	e.awaitLife(t, order.ClientOrderID, venues.StatusOpen, venues.StatusPartiallyFilled)
	found, err := x.account.Order(t.Context(), refOf(order))
	if err != nil || found.Status != venues.StatusPartiallyFilled || !found.FilledQty.Equal(d("0.4")) || !venues.EqualOptional(found.AvgPrice, some("65000")) {
		t.Fatalf("%+v, %v", found, err)
	}
	cancelled, err := x.account.Cancel(t.Context(), refOf(order))
	if err != nil || cancelled.Status != venues.StatusCancelled || !cancelled.FilledQty.Equal(d("0.4")) || cancelled.Fault != nil {
		t.Errorf("%+v, %v", cancelled, err)
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
		"post-only that would take": {func(r *venues.OrderRequest) { r.PostOnly, r.Price = true, some("66000") }, venues.CodeOrderRejected, venues.ReasonPostOnlyWouldTake},
		"fill or kill":              {func(r *venues.OrderRequest) { r.TimeInForce, r.Qty = venues.FillOrKill, d("1.5") }, venues.CodeOrderRejected, venues.ReasonFOKNotFilled},
		"nothing to reduce":         {func(r *venues.OrderRequest) { market(venues.Sell, "0.01")(r); r.ReduceOnly = true }, venues.CodeOrderRejected, venues.ReasonNoPosition},
		"no such symbol":            {func(r *venues.OrderRequest) { r.Symbol = "NOPEUSDT" }, venues.CodeSymbolNotTradable, "unknown_symbol"},
		"off the tick":              {func(r *venues.OrderRequest) { r.Price = some("64000.05") }, venues.CodeInvalidRequest, ""},
		"too small":                 {func(r *venues.OrderRequest) { r.Qty = d("0.001") }, venues.CodeInvalidRequest, "below_minimum_notional"},
		"halted":                    {func(r *venues.OrderRequest) { r.Symbol, r.Price, r.Qty = "OMGUSDT", some("0.31"), d("100") }, venues.CodeSymbolNotTradable, "symbol_status"},
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
	ioc := x.place(func(r *venues.OrderRequest) { r.TimeInForce = venues.ImmediateOrCancel })
	if ioc.Status != venues.StatusCancelled || ioc.Fault == nil || ioc.Fault.Reason != venues.ReasonIOCNotFilled {
		t.Errorf("%+v", ioc)
	}
}

func TestSimStops(t *testing.T) {
	x := start(t, nil, nil)
	e := x.listenPrivate()
	entry := x.place(market(venues.Buy, "0.01"))
	e.awaitLife(t, entry.ClientOrderID, venues.StatusOpen, venues.StatusFilled)

	profit := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.ClosePosition = venues.TypeStopMarket, venues.Sell, venues.Optional{}, some("67000"), true
	})
	loss := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.ClosePosition = venues.TypeStopMarket, venues.Sell, venues.Optional{}, some("64000"), true
	})
	limit := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Price, r.TriggerPrice = venues.TypeStopLimit, some("64000"), some("66000")
	})
	for _, stop := range []venues.ExecutionReport{profit, loss, limit} {
		if stop.Status != venues.StatusUntriggered {
			t.Errorf("%+v", stop)
		}
	}
	open, err := x.account.OpenOrders(t.Context())
	if err != nil || len(open) != 3 {
		t.Errorf("%+v, %v", open, err)
	}
	cancelled, err := x.account.Cancel(t.Context(), refOf(profit))
	if err != nil || cancelled.Status != venues.StatusCancelled || cancelled.Type != venues.TypeStopMarket {
		t.Errorf("%+v, %v", cancelled, err)
	}
	e.awaitLife(t, profit.ClientOrderID, venues.StatusUntriggered, venues.StatusCancelled)

	x.move("BTCUSDT", "63900")
	x.trade("sell", "0.001")
	e.awaitLife(t, loss.ClientOrderID, venues.StatusUntriggered, venues.StatusOpen, venues.StatusFilled)
	after, err := x.account.Order(t.Context(), refOf(loss))
	if err != nil || after.Status != venues.StatusFilled || !after.FilledQty.Equal(d("0.01")) || after.Type != venues.TypeStopMarket || after.VenueOrderID == loss.VenueOrderID {
		t.Errorf("%+v, %v", after, err)
	}
	x.move("BTCUSDT", "66100")
	x.trade("buy", "0.001")
	e.awaitLife(t, limit.ClientOrderID, venues.StatusUntriggered, venues.StatusOpen)
	resting, err := x.account.Cancel(t.Context(), refOf(limit)) // by now an engine order
	if err != nil || resting.Status != venues.StatusCancelled {
		t.Errorf("%+v, %v", resting, err)
	}
	e.awaitLife(t, limit.ClientOrderID, venues.StatusUntriggered, venues.StatusOpen, venues.StatusCancelled)
}

func TestSimLeverage(t *testing.T) {
	x := start(t, nil, nil)
	change, err := x.account.SetLeverage(t.Context(), "BTCUSDT", d("7"))
	if err != nil || !change.Leverage.Equal(d("7")) || !change.PreviousLeverage.Valid {
		t.Fatalf("%+v, %v", change, err)
	}
	if change, err = x.account.SetLeverage(t.Context(), "BTCUSDT", d("7")); err != nil || !venues.EqualOptional(change.PreviousLeverage, some("7")) {
		t.Errorf("the same again: %+v, %v", change, err)
	}
	if _, err = x.account.Mode(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = x.account.SetLeverage(t.Context(), "BTCUSDT", d("500"))
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
	x.place(market(venues.Buy, "0.02"))
	x.place(market(venues.Sell, "0.01"))
	positions, err := x.account.Positions(t.Context())
	if err != nil || len(positions) != 2 {
		t.Fatalf("%+v, %v", positions, err)
	}
	closing := x.place(func(r *venues.OrderRequest) { market(venues.Sell, "0.02")(r); r.ReduceOnly = true })
	if !closing.ReduceOnly || closing.Status != venues.StatusFilled {
		t.Errorf("%+v", closing)
	}
	e.await(t, "the end of the long side", func(e *events) bool {
		return slices.ContainsFunc(e.positions, func(p venues.Position) bool { return p.Side == venues.Long && p.Qty.IsZero() })
	})
	if positions, err = x.account.Positions(t.Context()); err != nil || len(positions) != 1 || positions[0].Side != venues.Short {
		t.Errorf("%+v, %v", positions, err)
	}
	guard := x.place(func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Price, r.TriggerPrice, r.ClosePosition = venues.TypeStopMarket, venues.Buy, venues.Optional{}, some("66000"), true
	})
	if guard.Status != venues.StatusUntriggered || !guard.ReduceOnly {
		t.Errorf("%+v", guard)
	}
}

// The mode is changed behind our back: the next order notices and goes out right.
func TestSimModeChangedElsewhere(t *testing.T) {
	x := start(t, nil, nil)
	x.place(market(venues.Buy, "0.01"))
	x.place(func(r *venues.OrderRequest) { market(venues.Sell, "0.01")(r); r.ReduceOnly = true })
	if err := x.sim.Exchange().SetPositionMode(x.sim.DemoAccount().ID, simcore.Hedge); err != nil {
		t.Fatal(err)
	}
	if report := x.place(market(venues.Buy, "0.01")); report.Status != venues.StatusFilled {
		t.Errorf("%+v", report)
	}
}

func TestSimClockSkew(t *testing.T) {
	x := start(t, func(o *binancesim.Options) { o.ClockOffset = 90 * time.Second }, nil)
	if report := x.place(nil); report.Status != venues.StatusOpen {
		t.Errorf("%+v", report)
	}
	x.sim.Exchange().Clock().SetOffset(-90 * time.Second) // -1021: measured and signed anew
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
		"503 and executed":             {simcore.FaultStatus, simcore.FaultArgs{Status: 503, Executed: true, Body: []byte(`"{\"msg\":\"Unknown error, please check your request or try again later.\"}"`)}, true},
		"-1007, not executed":          {simcore.FaultStatus, simcore.FaultArgs{Status: 408, Body: []byte(`"{\"code\":-1007,\"msg\":\"Timeout waiting for response from backend server.\"}"`)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, nil, nil)
			if _, err := x.account.Mode(t.Context()); err != nil {
				t.Fatal(err)
			}
			x.fault(c.do, "/fapi/v1/order", "POST", 1, c.args)
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

func TestSimBan(t *testing.T) {
	x := start(t, nil, nil)
	open := x.place(nil)
	x.fault(simcore.FaultBan, "/fapi/v1/openOrders", "GET", 1, simcore.FaultArgs{})
	_, err := x.account.OpenOrders(t.Context())
	banned, ok := errors.AsType[*venues.Error](err)
	if !ok || banned.Code != venues.CodeRateLimited || banned.RetryAfter < 10*time.Second {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err = x.account.Cancel(ctx, refOf(open)); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("during the ban: %v", err)
	}
}

// An order that is executed late, after its deadline, is refused by the venue.
func TestSimDeadlineIsEnforced(t *testing.T) {
	x := start(t, nil, nil)
	if _, err := x.account.Mode(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.fault(simcore.FaultDelay, "/fapi/v1/order", "POST", 0, simcore.FaultArgs{DelayMs: 400})
	order := x.order(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(200 * time.Millisecond) })
	_, err := x.account.Place(t.Context(), order)
	if err == nil || errors.Is(err, venues.ErrOutcomeUnknown) || x.venueOrders(order.ClientOrderID) != 0 {
		t.Errorf("%v, %d orders at the venue", err, x.venueOrders(order.ClientOrderID))
	}
}

func TestSimWrongKey(t *testing.T) {
	x := start(t, nil, nil)
	stranger := x.open(simcore.AccountInfo{Credentials: simcore.Credentials{APIKey: x.sim.DemoAccount().Credentials.APIKey, APISecret: "wrong"}})
	if _, err := stranger.Balances(t.Context()); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Errorf("%v", err)
	}
	facts, err := x.account.(venues.KeyInspector).KeyFacts(t.Context())
	if err != nil || !facts.CanTrade {
		t.Errorf("%+v, %v", facts, err)
	}
}
