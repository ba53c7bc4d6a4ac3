package bybit_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/bybit"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore"
)

// exchange is a simulated venue with a still market, a connector and an account.
type exchange struct {
	t         *testing.T
	sim       *bybitsim.Sim
	streams   *relay
	connector *bybit.Connector
	account   venues.Account
	events    *events
	last      atomic.Int64
}

func start(t *testing.T, set func(*bybitsim.Options), tune func(*bybit.Options)) *exchange {
	t.Helper()
	t.Parallel() // they wait more than they work
	options := bybitsim.Options{Seed: 1, Quiet: true}
	if set != nil {
		set(&options)
	}
	sim, err := bybitsim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	sim.Serve(listen(t), listen(t))
	t.Cleanup(func() { _ = sim.Close() })
	streams := newRelay(t, strings.TrimPrefix(sim.Endpoints().WsURL, "ws://"))
	o := bybit.Sim(sim.Endpoints().RestURL, "ws://"+streams.address())
	o.Timeout = 3 * time.Second
	o.BackoffMin, o.BackoffMax = 10*time.Millisecond, 50*time.Millisecond
	if tune != nil {
		tune(&o)
	}
	x := &exchange{t: t, sim: sim, streams: streams, connector: bybit.New(o)}
	t.Cleanup(x.connector.Close)
	x.account = x.open(sim.DemoAccount())
	if _, err := x.connector.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (x *exchange) open(info simcore.AccountInfo) venues.Account {
	x.t.Helper()
	account, err := x.connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(info.Credentials.APIKey), APISecret: venues.Secret(info.Credentials.APISecret),
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return account
}

// listenPrivate opens the private stream and waits until it is up.
func (x *exchange) listenPrivate() *events {
	x.t.Helper()
	x.events = newEvents()
	feed := x.account.OpenPrivate(x.events)
	x.t.Cleanup(feed.Close)
	x.events.await(x.t, "a connection", func(e *events) bool { return e.connected > 0 })
	return x.events
}

func (x *exchange) fault(do simcore.FaultAction, path, op string, times int, args simcore.FaultArgs) {
	x.t.Helper()
	_, err := x.sim.Control().AddFault(simcore.FaultRequest{Match: simcore.FaultMatch{Path: path, Op: op}, Do: do, Args: args, Times: times})
	if err != nil {
		x.t.Fatal(err)
	}
}

func (x *exchange) move(symbol, price string) {
	x.t.Helper()
	if _, err := x.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Price: &simcore.Decimal{Decimal: d(price)}}); err != nil {
		x.t.Fatal(err)
	}
}

// trade lets the house take from the book.
func (x *exchange) trade(side, qty string) {
	x.t.Helper()
	_, err := x.sim.Control().Trade(simcore.TradeRequest{Symbol: "BTCUSDT", Side: side, Qty: simcore.Decimal{Decimal: d(qty)}})
	if err != nil {
		x.t.Fatal(err)
	}
}

// venueOrders counts what the venue's own ledger holds under a client id.
func (x *exchange) venueOrders(clientOrderID string) int {
	n := 0
	for _, o := range x.sim.Control().Ledger().Orders {
		if o.ClientOrderID == clientOrderID && o.Refusal == "" {
			n++
		}
	}
	return n
}

// order makes a limit buy of BTCUSDT with an id of its own, changed as wanted.
func (x *exchange) order(change func(*venues.OrderRequest)) venues.OrderRequest {
	r := venues.OrderRequest{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: d("0.01"), Price: some("64000"), TimeInForce: venues.GoodTillCancel,
		},
		ClientOrderID: fmt.Sprintf("vg%06d", x.last.Add(1)), Deadline: time.Now().Add(5 * time.Second),
	}
	if change != nil {
		change(&r)
	}
	return r
}

func (x *exchange) place(change func(*venues.OrderRequest)) venues.ExecutionReport {
	x.t.Helper()
	report, err := x.account.Place(x.t.Context(), x.order(change))
	if err != nil {
		x.t.Fatal(err)
	}
	return report
}

func market(side venues.Side, qty string) func(*venues.OrderRequest) {
	return func(r *venues.OrderRequest) {
		r.Type, r.Side, r.Qty, r.Price = venues.TypeMarket, side, d(qty), venues.Optional{}
	}
}

func refOf(r venues.ExecutionReport) venues.OrderRef {
	return venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: r.VenueOrderID, Type: r.Type}
}

func d(text string) decimal.Decimal { return venues.MustDecimal(text) }

func some(text string) venues.Optional { return venues.Some(d(text)) }

// events is a private sink that remembers, and checks that one call comes at a
// time and that orders live legally.
type events struct {
	mu        sync.Mutex
	wake      chan struct{}
	busy      atomic.Bool
	faults    []string
	reports   []venues.ExecutionReport
	positions []venues.Position
	balances  int
	connected int
	lost      []error
}

func newEvents() *events { return &events{wake: make(chan struct{}, 1)} }

func (e *events) note(what func()) {
	if !e.busy.CompareAndSwap(false, true) {
		e.faults = append(e.faults, "two calls at once")
	}
	e.mu.Lock()
	what()
	e.mu.Unlock()
	e.busy.Store(false)
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *events) Report(r venues.ExecutionReport) {
	e.note(func() {
		for _, before := range slices.Backward(e.reports) {
			if before.VenueOrderID != r.VenueOrderID {
				continue
			}
			if !before.Status.CanBecome(r.Status) {
				e.faults = append(e.faults, fmt.Sprintf("%s went from %s to %s", r.VenueOrderID, before.Status, r.Status))
			}
			break
		}
		e.reports = append(e.reports, r)
	})
}

func (e *events) Position(p venues.Position) { e.note(func() { e.positions = append(e.positions, p) }) }
func (e *events) BalancesChanged()           { e.note(func() { e.balances++ }) }
func (e *events) Connected()                 { e.note(func() { e.connected++ }) }
func (e *events) Lost(cause error)           { e.note(func() { e.lost = append(e.lost, cause) }) }

// await waits until done likes what was heard; it runs under the lock.
func (e *events) await(t *testing.T, what string, done func(*events) bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		e.mu.Lock()
		ok := done(e)
		faults := slices.Clone(e.faults)
		e.mu.Unlock()
		if len(faults) > 0 {
			t.Errorf("private stream: %v", faults)
		}
		if ok {
			return
		}
		select {
		case <-e.wake:
		case <-deadline:
			e.mu.Lock()
			defer e.mu.Unlock()
			t.Fatalf("%s did not come; reports %+v, positions %+v, lost %v", what, e.reports, e.positions, e.lost)
		}
	}
}

// ended says whether the stream told the end of a position on a side; it was the
// last it told of that side.
func (e *events) ended(side venues.PositionSide) bool {
	for _, p := range slices.Backward(e.positions) {
		if p.Side == side {
			return p.Qty.IsZero()
		}
	}
	return false
}

// lifeOf is the steps of an order as the stream told them, repeats left out.
func (e *events) lifeOf(clientOrderID string) []venues.OrderStatus {
	var life []venues.OrderStatus
	for _, r := range e.reports {
		if r.ClientOrderID == clientOrderID && (len(life) == 0 || life[len(life)-1] != r.Status) {
			life = append(life, r.Status)
		}
	}
	return life
}

func (e *events) awaitLife(t *testing.T, clientOrderID string, want ...venues.OrderStatus) {
	t.Helper()
	e.await(t, fmt.Sprintf("%s %v", clientOrderID, want), func(e *events) bool { return slices.Equal(e.lifeOf(clientOrderID), want) })
}

// fillsOf adds up the fills that the stream told of an order.
func (e *events) fillsOf(clientOrderID string) (qty decimal.Decimal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.reports {
		if r.ClientOrderID == clientOrderID && r.Fill != nil {
			qty = qty.Add(r.Fill.Qty)
		}
	}
	return qty
}
