package okx

import (
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
)

// simulated is a connector on a simulated venue with a still market.
func simulated(t *testing.T) (*okxsim.Sim, *Connector, venues.Account) {
	t.Helper()
	sim, err := okxsim.New(okxsim.Options{Seed: 1, Quiet: true})
	if err != nil {
		t.Fatal(err)
	}
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	sim.Serve(listen(), listen())
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	o := Sim(sim.Endpoints().RestURL, strings.TrimSuffix(sim.Endpoints().WsURL, "/"))
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	c := New(o)
	t.Cleanup(c.Close)
	keys := sim.DemoAccount().Credentials
	account, err := c.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret), Passphrase: venues.Secret(keys.Passphrase),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sim, c, account
}

func marketOf(id string, side venues.Side, qty string) venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec:     venues.OrderSpec{Symbol: "BTCUSDT", Side: side, Type: venues.TypeMarket, Qty: venues.MustDecimal(qty)},
		ClientOrderID: id, Deadline: time.Now().Add(5 * time.Second),
	}
}

func TestSimulatedTrade(t *testing.T) {
	_, _, account := simulated(t)
	h := new(heard)
	f := account.OpenPrivate(h)
	t.Cleanup(f.Close)
	h.await(t, "private stream", func() bool { return h.connected == 1 })
	if _, err := account.Place(t.Context(), marketOf("vgbuy", venues.Buy, "0.05")); err != nil {
		t.Fatal(err)
	}
	h.await(t, "fill", func() bool {
		n := len(h.reports)
		return n > 0 && h.reports[n-1].Status == venues.StatusFilled
	})
	h.await(t, "position", func() bool {
		n := len(h.positions)
		return n > 0 && h.positions[n-1].Qty.String() == "0.05"
	})
	order, err := account.Order(t.Context(), venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vgbuy", Type: venues.TypeMarket})
	if err != nil || order.Status != venues.StatusFilled || order.FilledQty.String() != "0.05" {
		t.Errorf("%+v %v", order, err)
	}
	positions, err := account.Positions(t.Context())
	if err != nil || len(positions) != 1 || positions[0].Qty.String() != "0.05" {
		t.Errorf("%+v %v", positions, err)
	}
	fills, err := account.Fills(t.Context(), venues.FillsQuery{Symbol: "BTCUSDT", From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Minute)})
	if err != nil || len(fills) == 0 || !fills[0].Fee.Decimal.IsPositive() {
		t.Errorf("%+v %v", fills, err)
	}
	if balances, err := account.Balances(t.Context()); err != nil || !hasUSDT(balances) {
		t.Errorf("%+v %v", balances, err)
	}
	closing := marketOf("vgsell", venues.Sell, "0.05")
	closing.ReduceOnly = true
	if _, err := account.Place(t.Context(), closing); err != nil {
		t.Fatal(err)
	}
	h.await(t, "closed position", func() bool {
		n := len(h.positions)
		return n > 0 && h.positions[n-1].Qty.IsZero()
	})
	h.with(func() {
		if len(h.lost) > 0 {
			t.Errorf("lost: %v", h.lost)
		}
	})
}

func TestSimulatedOrders(t *testing.T) {
	_, c, account := simulated(t)
	last, err := c.lastPrice(t.Context(), c.catalogue.Load().find("BTCUSDT"))
	if err != nil {
		t.Fatal(err)
	}
	price := venues.FloorTo(last.Mul(venues.MustDecimal("0.99")), venues.MustDecimal("0.1"))
	order := marketOf("vglimit", venues.Buy, "0.05")
	order.Type, order.Price, order.TimeInForce = venues.TypeLimit, venues.Some(price), venues.GoodTillCancel
	order.StopLoss = venues.Some(venues.FloorTo(price.Mul(venues.MustDecimal("0.9")), venues.MustDecimal("0.1")))
	if _, err := account.Place(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	ref := refOf(order)
	report, err := account.Amend(t.Context(), venues.AmendRequest{
		OrderRef: ref, Side: venues.Buy, Qty: venues.MustDecimal("0.08"), Price: order.Price, Deadline: time.Now().Add(5 * time.Second),
	})
	if err != nil || !report.Status.IsActive() {
		t.Fatalf("%+v %v", report, err)
	}
	stop := marketOf("vgstop", venues.Buy, "0.05")
	stop.Type, stop.TriggerPrice = venues.TypeStopMarket, venues.Some(venues.FloorTo(last.Mul(venues.MustDecimal("1.05")), venues.MustDecimal("0.1")))
	if _, err := account.Place(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	open, err := account.OpenOrders(t.Context())
	if err != nil || len(open) != 2 {
		t.Fatalf("%+v %v", open, err)
	}
	for _, request := range []venues.OrderRequest{order, stop} {
		report, err := account.Cancel(t.Context(), refOf(request))
		if err != nil {
			t.Fatal(err)
		}
		for until := time.Now().Add(5 * time.Second); report.Status != venues.StatusCancelled && time.Now().Before(until); {
			if report, err = account.Order(t.Context(), refOf(request)); err != nil {
				t.Fatal(err)
			}
		}
		if report.Status != venues.StatusCancelled {
			t.Errorf("%+v", report)
		}
	}
	_, err = account.Order(t.Context(), venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vgnever", Type: venues.TypeStopMarket})
	if venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("an order that never was: %v", err)
	}
	change, err := account.SetLeverage(t.Context(), "BTCUSDT", venues.MustDecimal("7"))
	if err != nil || change.Leverage.String() != "7" {
		t.Errorf("%+v %v", change, err)
	}
}

func TestSimulatedFeed(t *testing.T) {
	_, c, account := simulated(t)
	h := new(heard)
	f := c.OpenFeed(h)
	t.Cleanup(f.Close)
	f.Subscribe(bookOf("BTCUSDT"), venues.FeedChannel{Kind: venues.FeedTrades, Symbol: "BTCUSDT"},
		venues.FeedChannel{Kind: venues.FeedMark, Symbol: "BTCUSDT"}, venues.FeedChannel{Kind: venues.FeedCandles, Symbol: "BTCUSDT", Timeframe: "1m"})
	h.await(t, "subscriptions and a snapshot", func() bool { return len(h.resumed) == 4 && len(h.books) > 0 })
	if _, err := account.Place(t.Context(), marketOf("vgtake", venues.Buy, "0.05")); err != nil {
		t.Fatal(err)
	}
	h.await(t, "trade, candle and update", func() bool { return len(h.trades) > 0 && len(h.candles) > 0 && len(h.books) > 1 })
	h.with(func() {
		for n, b := range h.books {
			if b.Snapshot != (n == 0) || n > 0 && b.PrevSeq != h.books[n-1].LastSeq {
				t.Errorf("update %d: %+v", n, b)
			}
		}
		if len(h.interrupted) > 0 {
			t.Errorf("interrupted: %v", h.interrupted)
		}
	})
	candles, err := c.Candles(t.Context(), "BTCUSDT", "1m", 10)
	if err != nil || len(candles) == 0 {
		t.Errorf("%d %v", len(candles), err)
	}
	if u, err := c.Snapshot(t.Context(), "BTCUSDT"); err != nil || len(u.Bids) == 0 {
		t.Errorf("%+v %v", u, err)
	}
}

// A stop lives one life under one name: untriggered, then as its child.
func TestSimulatedStop(t *testing.T) {
	sim, c, account := simulated(t)
	h := new(heard)
	f := account.OpenPrivate(h)
	t.Cleanup(f.Close)
	h.await(t, "private stream", func() bool { return h.connected == 1 })
	if _, err := account.Place(t.Context(), marketOf("vgbuy", venues.Buy, "0.05")); err != nil {
		t.Fatal(err)
	}
	h.await(t, "position", func() bool { return len(h.positions) > 0 })
	last, err := c.lastPrice(t.Context(), c.catalogue.Load().find("BTCUSDT"))
	if err != nil {
		t.Fatal(err)
	}
	tick := venues.MustDecimal("0.1")
	trigger := venues.FloorTo(last.Mul(venues.MustDecimal("0.98")), tick)
	stop := marketOf("vgstop", venues.Sell, "0.05")
	stop.Type, stop.TriggerPrice, stop.ClosePosition, stop.TriggerWhen = venues.TypeStopMarket, venues.Some(trigger), true, venues.TriggerFalling
	if _, err := account.Place(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	of := func(status venues.OrderStatus) func() bool {
		return func() bool {
			for _, r := range h.reports {
				if r.ClientOrderID == "vgstop" && r.Status == status && r.Type == venues.TypeStopMarket {
					return true
				}
			}
			return false
		}
	}
	h.await(t, "untriggered stop", of(venues.StatusUntriggered))
	fallen := simcore.Decimal{Decimal: venues.FloorTo(last.Mul(venues.MustDecimal("0.97")), tick)}
	if _, err := sim.Control().Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: &fallen}); err != nil {
		t.Fatal(err)
	}
	h.await(t, "filled stop", of(venues.StatusFilled))
	h.await(t, "closed position", func() bool { return h.positions[len(h.positions)-1].Qty.IsZero() })
	report, err := account.Order(t.Context(), refOf(stop))
	if err != nil || report.Status != venues.StatusFilled || report.ClientOrderID != "vgstop" || report.FilledQty.String() != "0.05" {
		t.Errorf("%+v %v", report, err)
	}
	h.with(func() {
		status := venues.StatusPending
		for _, r := range h.reports {
			if r.ClientOrderID != "vgstop" {
				continue
			}
			if !status.CanBecome(r.Status) {
				t.Errorf("%s cannot become %s", status, r.Status)
			}
			status = r.Status
		}
	})
}

// In hedge mode both sides are open at once, and closing names its side.
func TestSimulatedHedge(t *testing.T) {
	sim, _, account := simulated(t)
	if _, err := sim.Control().UpdateAccount(sim.DemoAccount().ID, simcore.AccountBody{PositionMode: "hedge"}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []venues.OrderRequest{marketOf("vglong", venues.Buy, "0.05"), marketOf("vgshort", venues.Sell, "0.03")} {
		if _, err := account.Place(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	sides := func() map[venues.PositionSide]string {
		positions, err := account.Positions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open := make(map[venues.PositionSide]string)
		for _, p := range positions {
			open[p.Side] = p.Qty.String()
		}
		return open
	}
	if open := sides(); open[venues.Long] != "0.05" || open[venues.Short] != "0.03" {
		t.Fatalf("%v", open)
	}
	closing := marketOf("vgclose", venues.Buy, "0.03")
	closing.ReduceOnly = true
	if _, err := account.Place(t.Context(), closing); err != nil {
		t.Fatal(err)
	}
	if open := sides(); open[venues.Long] != "0.05" || open[venues.Short] != "" {
		t.Errorf("%v", open)
	}
}

// What happened to an order without an answer is found out by its client id.
func TestSimulatedFaults(t *testing.T) {
	sim, _, account := simulated(t)
	for name, c := range map[string]struct {
		fault  simcore.FaultRequest
		word   venues.Code
		placed bool
	}{
		"gone and executed": {simcore.FaultRequest{Do: simcore.FaultReject, Args: faultCode(t, `{"code":"50004","executed":true}`)}, venues.CodeExchangeUnavailable, true},
		"gone":              {simcore.FaultRequest{Do: simcore.FaultReject, Args: faultCode(t, `{"code":"50004"}`)}, venues.CodeExchangeUnavailable, false},
		"maintenance":       {simcore.FaultRequest{Do: simcore.FaultMaintenance}, venues.CodeMaintenance, false},
	} {
		if err := json.Unmarshal([]byte(`{"path":"/api/v5/trade/order","op":"POST"}`), &c.fault.Match); err != nil {
			t.Fatal(err)
		}
		if _, err := sim.Control().AddFault(c.fault); err != nil {
			t.Fatal(err)
		}
		order := marketOf("vg"+strings.ReplaceAll(name, " ", ""), venues.Buy, "0.01")
		if _, err := account.Place(t.Context(), order); venues.CodeOf(err) != c.word || !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
		sim.Control().ClearFaults()
		_, err := account.Order(t.Context(), refOf(order))
		if found := err == nil; found != c.placed || !found && venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
	}
}

func faultCode(t *testing.T, text string) (args simcore.FaultArgs) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		t.Fatal(err)
	}
	return args
}
