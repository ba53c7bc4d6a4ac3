package venuetest

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// symbol is the instrument that cases trade, at 65000 with a tick of 0.1.
const symbol = "BTCUSDT"

// env is the environment of one case: a simulated venue, a connector, an account and its
// private stream.
type env struct {
	t         *testing.T
	harness   Harness
	under     Conditions
	sim       Simulator
	rest      *gateway
	network   *relay
	streams   *relay
	connector Connector
	account   venues.Account
	private   venues.PrivateFeed
	sink      *sink
	ids       atomic.Int64
	seen      *coverage
	// calls is the context of the operations; that of the test if nil.
	calls context.Context
	// leverageChanged is set while a case has changed the leverage.
	leverageChanged bool
}

func newEnv(t *testing.T, h Harness, under Conditions) *env {
	t.Helper()
	sim, err := h.Simulate(under)
	if err != nil {
		t.Fatal(err)
	}
	venue := listen(t)
	sim.Serve(venue, listen(t))
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &env{t: t, harness: h, under: under, sim: sim, seen: h.seen}
	s.streams = newRelay(t, venue.Addr().String(), func(message string) { s.seen.recordMessage(message, &s.harness.Wire) })
	var gateway string
	s.rest, gateway = newGateway(t, "http://"+venue.Addr().String(), s.seen)
	s.network = newRelay(t, gateway, func(string) {})
	s.connector = s.connect(under)
	if _, err := s.connector.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.use(sim.DemoAccount().Credentials)
	return s
}

// context returns the context of the operations.
func (s *env) context() context.Context {
	if s.calls != nil {
		return s.calls
	}
	return s.t.Context()
}

// runParallel runs subtests at the same time, each in an environment of its own.
func (s *env) runParallel(subtests map[string]func(*env)) {
	var running sync.WaitGroup
	for name, play := range subtests {
		running.Go(func() {
			s.t.Run(name, func(t *testing.T) { play(newEnv(t, s.harness, s.under)) })
		})
	}
	running.Wait()
}

// use makes an account the one of the case.
func (s *env) use(keys simcore.Credentials) {
	s.t.Helper()
	s.account = s.open(keys)
	s.private, s.sink = s.listen(s.account)
	s.await("the private stream", func(h *sink) bool { return h.connected > 0 })
	if s.harness.entry != nil {
		s.awaitEntry(true)
	}
}

// useNew is use for a new account.
func (s *env) useNew(body simcore.AccountBody) {
	s.t.Helper()
	page, err := s.sim.Control().CreateAccount(body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.use(page.Credentials)
}

// connect returns a connector for the case's venue. By default requests may take as long
// as waitMax, and streams may be silent for an hour.
func (s *env) connect(under Conditions) Connector {
	under.Timeout, under.SilenceMax = cmp.Or(under.Timeout, waitMax), cmp.Or(under.SilenceMax, time.Hour)
	connector := s.harness.Connect("http://"+s.network.address(), "ws://"+s.streams.address(), under)
	s.t.Cleanup(connector.Close)
	return connector
}

func (s *env) open(keys simcore.Credentials) venues.Account {
	s.t.Helper()
	return s.openOn(s.connector, keys)
}

func (s *env) openOn(connector Connector, keys simcore.Credentials) venues.Account {
	s.t.Helper()
	account, err := connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret), Passphrase: venues.Secret(keys.Passphrase),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return account
}

func (s *env) listen(account venues.Account) (venues.PrivateFeed, *sink) {
	h := newSink()
	_, h.severalConnections = s.harness.Lacks[OrderedEvents]
	feed := account.OpenPrivate(h)
	s.t.Cleanup(feed.Close)
	return feed, h
}

// fault injects a fault of requests on a route.
func (s *env) fault(do simcore.FaultAction, route Route, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.script(simcore.FaultRequest{Match: simcore.FaultMatch{Path: route.Path, Op: route.Method}, Do: do, Args: args, Times: times})
}

// streamFault injects a fault of the messages of a topic.
func (s *env) streamFault(do simcore.FaultAction, path, topic string, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.script(simcore.FaultRequest{Match: simcore.FaultMatch{Path: path, Op: topic}, Do: do, Args: args, Times: times})
}

func (s *env) script(request simcore.FaultRequest) {
	s.t.Helper()
	if _, err := s.sim.Control().AddFault(request); err != nil {
		s.t.Fatal(err)
	}
}

// faultsApplied returns how often injected faults were applied.
func (s *env) faultsApplied() int {
	n := 0
	for _, f := range s.sim.Control().InjectedFaults().InjectedFaults {
		n += f.Applied
	}
	return n
}

// move moves the market to a price: the simulator's own orders, the last trade and the
// mark.
func (s *env) move(price string) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Price: &simcore.Decimal{Decimal: d(price)}}); err != nil {
		s.t.Fatal(err)
	}
}

// mark moves the mark price alone.
func (s *env) mark(price string) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Mark: &simcore.Decimal{Decimal: d(price)}}); err != nil {
		s.t.Fatal(err)
	}
}

// trade makes the simulator take liquidity from the book.
func (s *env) trade(side venues.Side, qty string) {
	s.t.Helper()
	page, err := s.sim.Control().Trade(simcore.TradeRequest{Symbol: symbol, Side: string(side), Qty: simcore.Decimal{Decimal: d(qty)}})
	if err != nil || !page.FilledQty.Equal(d(qty)) {
		s.t.Fatalf("trade of %v, %v, want %s", page.FilledQty, err, qty)
	}
}

// halt halts or resumes an instrument.
func (s *env) halt(symbol string, halted bool) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Halt: &halted}); err != nil {
		s.t.Fatal(err)
	}
}

// ledgerOrders returns the orders that the venue's ledger has under a client id, without
// rejected ones and the orders of conditional orders.
func (s *env) ledgerOrders(clientOrderID string) []simcore.LedgerOrder {
	var rows []simcore.LedgerOrder
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.ClientOrderID == clientOrderID && row.Rejection == "" && row.ParentID == "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// checkOrders fails the case unless the venue accepted want orders under a client id.
func (s *env) checkOrders(clientOrderID string, want int) {
	s.t.Helper()
	if rows := s.ledgerOrders(clientOrderID); len(rows) != want {
		s.t.Errorf("the venue holds %d orders under %s, want %d: %+v", len(rows), clientOrderID, want, rows)
	}
}

// depth replaces the simulator's own orders by so many levels a side.
func (s *env) depth(levels int) {
	s.t.Helper()
	if err := s.sim.Exchange().SetDepth(symbol, levels); err != nil {
		s.t.Fatal(err)
	}
}

// houseAsk sets the quantity that the simulator sells at one price, in base coin.
func (s *env) houseAsk(price, qty string) {
	s.t.Helper()
	const unitDigits = 8
	units := d(qty).DivRound(s.contractSize(), unitDigits)
	if err := s.sim.Exchange().HouseLevel(symbol, simcore.Sell, d(price), units); err != nil {
		s.t.Fatal(err)
	}
}

// contractSize returns the base quantity of one contract of the venue.
func (s *env) contractSize() decimal.Decimal {
	s.t.Helper()
	for _, i := range s.instruments() {
		if i.Symbol == symbol {
			return i.ContractSize
		}
	}
	s.t.Fatalf("instruments without %s, want it among them", symbol)
	return decimal.Zero
}
