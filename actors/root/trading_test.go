package root_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"venuegate/actors"
	"venuegate/actors/delivery"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// harness is a tree over a simulated venue on loopback, with one customer.
type harness struct {
	t      *testing.T
	sim    *binancesim.Sim
	store  *storetest.Memory
	tree   *root.Tree
	market *fixedMarket
	system *actors.System
	venue  *binance.Connector
	// exchange is the venue's code.
	exchange venues.Venue
	// senders are the senders of events from the next start on.
	senders map[persistence.EndpointKind]delivery.Sender
}

// fixedMarket has instruments and, unless it is given mark prices, no prices.
type fixedMarket struct {
	set   *venues.InstrumentSet
	marks func(symbol string) venues.Optional
}

func (m *fixedMarket) Instruments() *venues.InstrumentSet { return m.set }
func (m *fixedMarket) Ready() error                       { return nil }
func (m *fixedMarket) Mark(symbol string) venues.Optional {
	if m.marks == nil {
		return venues.Optional{}
	}
	return m.marks(symbol)
}
func (m *fixedMarket) LiveMark(symbol string) venues.Optional { return m.Mark(symbol) }
func (m *fixedMarket) LiveLast(symbol string) venues.Optional { return m.Mark(symbol) }

func (m *fixedMarket) Subscribe(context.Context, venues.Topic, venues.FrameSink) (venues.Subscription, error) {
	return nil, errors.ErrUnsupported
}

func (m *fixedMarket) BookSnapshot(context.Context, string, string, int) (venues.Frame, error) {
	return venues.Frame{}, errors.ErrUnsupported
}

func (m *fixedMarket) Trades(context.Context, string, int) ([]venues.Trade, error) {
	return nil, errors.ErrUnsupported
}

func (m *fixedMarket) Tickers(context.Context, string) ([]venues.Ticker, error) {
	return nil, errors.ErrUnsupported
}

func (m *fixedMarket) WatchPrice(context.Context, string, venues.PriceCondition, func(venues.PriceHit)) (venues.PriceWatch, error) {
	return nil, errors.ErrUnsupported
}

func (m *fixedMarket) Candles(context.Context, string, venues.Timeframe, time.Time, time.Time) ([]venues.Candle, error) {
	return nil, errors.ErrUnsupported
}

type noFrames struct{}

func (noFrames) AppendOrders(dst []byte, _ *venues.OrdersMessage) []byte       { return dst }
func (noFrames) AppendPositions(dst []byte, _ *venues.PositionsMessage) []byte { return dst }
func (noFrames) AppendAccount(dst []byte, _ *venues.AccountMessage) []byte     { return dst }

func listen(t *testing.T) net.Listener {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func open(t *testing.T) *harness {
	d := &harness{t: t, store: storetest.NewMemory(), exchange: venues.Binance}
	var err error
	if d.sim, err = binancesim.New(binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}}); err != nil {
		t.Fatal(err)
	}
	d.sim.Serve(listen(t), listen(t))
	ctx := t.Context()
	at := venues.At(time.Now())
	seed := persistence.Batch{Puts: []persistence.Record{persistence.Customer{ID: "c1", Name: "one", CreatedAt: at}}}
	if err := d.store.Commit(ctx, seed); err != nil {
		t.Fatal(err)
	}
	d.start(ctx)
	if err := d.customer().Connect(ctx, persistence.VenueAccount{Customer: "c1", Exchange: venues.Binance, Environment: "sim", CreatedAt: at}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.stop(); _ = d.sim.Close() })
	return d
}

type connector interface {
	Connect(context.Context, persistence.VenueAccount) error
}

func (d *harness) customer() connector {
	c, err := d.tree.Customer("c1")
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// start runs a tree as a process does at its start.
func (d *harness) start(ctx context.Context) {
	ends := d.sim.Endpoints()
	d.venue = binance.New(binance.Sim(ends.RestURL, ends.WsURL))
	list, err := d.venue.Instruments(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	d.market = &fixedMarket{set: venues.NewInstrumentSet(list)}
	d.system = actors.New(zaptest.NewLogger(d.t))
	demo := d.sim.DemoAccount()
	d.tree, err = root.Start(ctx, root.Deps{
		System: d.system, Store: d.store, Encoder: noFrames{}, ClientIDPrefix: "test",
		Senders: d.senders, Schedule: delivery.ScheduleDefault(),
		UnsealSecret: func([]byte, persistence.Key) (venues.Secret, error) { return "secret", nil },
		Connectors:   map[venues.Venue]venues.Connector{venues.Binance: d.venue},
		Markets:      map[venues.Venue]root.Market{venues.Binance: d.market},
		Unseal: func(persistence.VenueAccount) (venues.Credentials, error) {
			return venues.Credentials{APIKey: venues.Secret(demo.Credentials.APIKey), APISecret: venues.Secret(demo.Credentials.APISecret)}, nil
		},
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *harness) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	if err := d.system.Stop(ctx); err != nil {
		d.t.Error(err)
	}
	d.venue.Close()
}

func spec(side venues.Side, kind venues.OrderType, qty, price string) venues.OrderSpec {
	s := venues.OrderSpec{Symbol: "BTCUSDT", Side: side, Type: kind, Qty: venues.MustDecimal(qty), TimeInForce: venues.GoodTillCancel}
	if price != "" {
		s.Price = venues.Some(venues.MustDecimal(price))
	}
	return s
}

// testTimeout bounds every wait of a test; only a failing one reaches it.
const testTimeout = time.Minute

// place waits for the account to be ready and places an order.
func (d *harness) place(requestID string, s venues.OrderSpec) (venues.Order, error) {
	deadline := time.Now().Add(testTimeout)
	for {
		ctx, cancel := context.WithTimeout(d.t.Context(), testTimeout)
		order, err := d.tree.Place(ctx, venues.PlaceOrder{
			Command: venues.Command{Customer: "c1"}, OrderSpec: s, Exchange: d.exchange,
			RequestID: requestID, Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		})
		cancel()
		code := venues.CodeOf(err)
		if err == nil || time.Now().After(deadline) || (code != venues.CodeMaintenance && code != venues.CodeNotFound) {
			return order, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// becomes places an order and waits until it has a status.
func (d *harness) becomes(status venues.OrderStatus, requestID string, s venues.OrderSpec) persistence.OrderRecord {
	d.t.Helper()
	placed, err := d.place(requestID, s)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.eventually(placed.OrderID, hasStatus(status))
}

func hasStatus(status venues.OrderStatus) func(persistence.OrderRecord) bool {
	return func(r persistence.OrderRecord) bool { return r.Status == status }
}

// eventually polls the stored order.
func (d *harness) eventually(orderID string, want func(persistence.OrderRecord) bool) persistence.OrderRecord {
	d.t.Helper()
	deadline := time.Now().Add(testTimeout)
	for {
		record, err := d.store.Order(d.t.Context(), "c1", orderID)
		if err != nil {
			d.t.Fatal(err)
		}
		if want(record) {
			return record
		}
		if time.Now().After(deadline) {
			text, _ := json.Marshal(record.Order)
			d.t.Fatalf("order is %s", text)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (d *harness) ledger(clientID string) (n int) {
	for _, o := range d.sim.Control().Ledger().Orders {
		if o.ClientOrderID == clientID && o.Rejection == "" {
			n++
		}
	}
	return n
}

func TestLimitOrderIsFilledAmendedAndCancelled(t *testing.T) {
	d := open(t)
	order := d.becomes(venues.StatusOpen, "r1", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	if order.VenueOrderID == "" {
		t.Fatalf("order = %+v, want a VenueOrderID", order.Order)
	}
	amended, err := d.tree.Amend(t.Context(), venues.AmendOrder{
		Command: venues.Command{Customer: "c1"}, OrderID: order.OrderID, Price: venues.Some(venues.MustDecimal("21000")),
	})
	if err != nil || !amended.Price.Decimal.Equal(venues.MustDecimal("21000")) || amended.PendingAction != "" {
		t.Fatalf("amended order = %+v, error %v, want price 21000 and no pending action", amended, err)
	}
	cancelled, err := d.tree.Cancel(t.Context(), venues.CancelOrder{Command: venues.Command{Customer: "c1"}, OrderID: order.OrderID})
	if err != nil || cancelled.Status != venues.StatusCancelled {
		t.Fatalf("%+v, %v, want Status StatusCancelled", cancelled, err)
	}
	_, err = d.tree.Cancel(t.Context(), venues.CancelOrder{Command: venues.Command{Customer: "c1"}, OrderID: order.OrderID})
	if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Code != venues.CodeNotFound || e.Details["status"] != "cancelled" {
		t.Fatalf("error %v, want not_found with status cancelled", err)
	}
}

func TestMarketOrderOpensAndCloseEndsAPosition(t *testing.T) {
	d := open(t)
	order := d.becomes(venues.StatusFilled, "r1", spec(venues.Buy, venues.TypeMarket, "0.5", ""))
	if !order.AvgPrice.Valid || !order.Fee.Valid {
		t.Fatalf("%+v, want AvgPrice and Fee", order.Order)
	}
	read := venues.ReadAccount{Command: venues.Command{Customer: "c1"}}
	d.until("the position", func() bool {
		positions, _, err := d.tree.Positions(t.Context(), read)
		return err == nil && len(positions) == 1 && positions[0].Side == venues.Long && positions[0].Qty.Equal(venues.MustDecimal("0.5"))
	})
	d.until("its margin", func() bool {
		balances, _, err := d.tree.Balances(t.Context(), read)
		return err == nil && len(balances) == 1 && balances[0].UsedMargin.IsPositive()
	})
	closed, err := d.tree.Close(t.Context(), venues.ClosePosition{Command: venues.Command{Customer: "c1"}, Exchange: venues.Binance, Symbol: "BTCUSDT.P"})
	if err != nil || !closed.ReduceOnly {
		t.Fatalf("%+v, %v, want ReduceOnly", closed, err)
	}
	d.eventually(closed.OrderID, hasStatus(venues.StatusFilled))
	fills, err := d.store.Fills(t.Context(), persistence.FillQuery{Customer: "c1", Limit: 100})
	if err != nil || len(fills.Items) < 2 || fills.Items[0].OrderID != closed.OrderID {
		t.Fatalf("%d fills, %v, want two or more of the order", len(fills.Items), err)
	}
	d.positionClosed(1)
}

func TestLostAnswersNeverDuplicateAnOrder(t *testing.T) {
	d := open(t)
	d.becomes(venues.StatusOpen, "warm", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	for i, do := range []string{"timeout_after", "timeout_before", "status"} {
		fault := simcore.FaultRequest{Do: simcore.FaultAction(do), Times: 1}
		fault.Match.Path, fault.Match.Op = "/fapi/v1/order", "POST"
		if _, err := d.sim.Control().AddFault(fault); err != nil {
			t.Fatal(err)
		}
		order, err := d.place(fmt.Sprintf("r%d", i), spec(venues.Buy, venues.TypeLimit, "1", "20000"))
		if err != nil {
			t.Fatalf("%s: %v", do, err)
		}
		record := d.eventually(order.OrderID, func(r persistence.OrderRecord) bool {
			return r.Status == venues.StatusOpen || r.Status == venues.StatusUnknown
		})
		if n := d.ledger(record.ClientOrderID); n > 1 || (n == 1) != (do == "timeout_after") {
			t.Errorf("%s: orders at the venue = %d with status %s, want one only after timeout_after", do, n, record.Status)
		}
		d.sim.Control().ClearFaults()
	}
}

func TestRestartRestoresOrders(t *testing.T) {
	d := open(t)
	order := d.becomes(venues.StatusOpen, "r1", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	d.stop()
	// The market reaches the order while the service is down.
	if _, err := d.sim.Control().Market(simcore.MarketRequest{Symbol: "BTCUSDT", Price: price("19000")}); err != nil {
		t.Fatal(err)
	}
	d.start(t.Context())
	record := d.eventually(order.OrderID, func(r persistence.OrderRecord) bool { return r.Status == venues.StatusFilled })
	if !record.FilledQty.Equal(record.Qty) || !record.AvgPrice.Valid || !record.Fee.Valid {
		t.Fatalf("order = %+v, want it filled with price and fee", record.Order)
	}
}

func price(text string) *simcore.Decimal {
	d := simcore.Decimal{Decimal: venues.MustDecimal(text)}
	return &d
}
