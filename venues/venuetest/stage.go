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

// stage is what one case has: a simulated venue, a connector, an account and its
// private stream.
type stage struct {
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
	heard     *heard
	ids       atomic.Int64
	seen      *coverage
	// calls ends the calls of asks; the test's own context if nil.
	calls context.Context
	// geared: a case has changed the leverage and not changed it back.
	geared bool
}

func newStage(t *testing.T, h Harness, under Conditions) *stage {
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
	s := &stage{t: t, harness: h, under: under, sim: sim, seen: h.seen}
	s.streams = newRelay(t, venue.Addr().String(), func(message string) { s.seen.tells(message, &s.harness.Wire) })
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

// context is that of asks.
func (s *stage) context() context.Context {
	if s.calls != nil {
		return s.calls
	}
	return s.t.Context()
}

// atOnce plays scenes at once, each on a stage of its own.
func (s *stage) atOnce(scenes map[string]func(*stage)) {
	var running sync.WaitGroup
	for name, play := range scenes {
		running.Go(func() {
			s.t.Run(name, func(t *testing.T) { play(newStage(t, s.harness, s.under)) })
		})
	}
	running.Wait()
}

// use makes an account with credentials the one of the case.
func (s *stage) use(keys simcore.Credentials) {
	s.t.Helper()
	s.account = s.open(keys)
	s.private, s.heard = s.listen(s.account)
	s.await("the private stream", func(h *heard) bool { return h.connected > 0 })
	if s.harness.entry != nil {
		s.awaitEntry(true)
	}
}

// useNew is use for a fresh account.
func (s *stage) useNew(body simcore.AccountBody) {
	s.t.Helper()
	page, err := s.sim.Control().CreateAccount(body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.use(page.Credentials)
}

// connect makes a connector for the case's venue. Where the conditions name no bound
// it has the suite's patience with requests, and no stream is silent for too long.
func (s *stage) connect(under Conditions) Connector {
	under.Timeout, under.SilenceMax = cmp.Or(under.Timeout, patience), cmp.Or(under.SilenceMax, time.Hour)
	connector := s.harness.Connect("http://"+s.network.address(), "ws://"+s.streams.address(), under)
	s.t.Cleanup(connector.Close)
	return connector
}

func (s *stage) open(keys simcore.Credentials) venues.Account {
	s.t.Helper()
	return s.openOn(s.connector, keys)
}

func (s *stage) openOn(connector Connector, keys simcore.Credentials) venues.Account {
	s.t.Helper()
	account, err := connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret), Passphrase: venues.Secret(keys.Passphrase),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return account
}

func (s *stage) listen(account venues.Account) (venues.PrivateFeed, *heard) {
	h := newHeard()
	_, h.severalSockets = s.harness.Lacks[OrderedEvents]
	feed := account.OpenPrivate(h)
	s.t.Cleanup(feed.Close)
	return feed, h
}

// fault scripts a fault of requests on a route.
func (s *stage) fault(do simcore.FaultAction, route Route, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.script(simcore.FaultRequest{Match: simcore.FaultMatch{Path: route.Path, Op: route.Method}, Do: do, Args: args, Times: times})
}

// streamFault scripts a fault of the messages of a topic.
func (s *stage) streamFault(do simcore.FaultAction, path, topic string, times int, args simcore.FaultArgs) {
	s.t.Helper()
	s.script(simcore.FaultRequest{Match: simcore.FaultMatch{Path: path, Op: topic}, Do: do, Args: args, Times: times})
}

func (s *stage) script(request simcore.FaultRequest) {
	s.t.Helper()
	if _, err := s.sim.Control().AddFault(request); err != nil {
		s.t.Fatal(err)
	}
}

// struck is how often the scripted faults have struck.
func (s *stage) struck() int {
	n := 0
	for _, f := range s.sim.Control().InjectedFaults().InjectedFaults {
		n += f.Applied
	}
	return n
}

// move puts the market at a price: the house's ladder, the last trade, the mark.
func (s *stage) move(price string) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Price: &simcore.Decimal{Decimal: d(price)}}); err != nil {
		s.t.Fatal(err)
	}
}

// mark moves the mark price alone.
func (s *stage) mark(price string) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Mark: &simcore.Decimal{Decimal: d(price)}}); err != nil {
		s.t.Fatal(err)
	}
}

// trade lets the house take from the book.
func (s *stage) trade(side venues.Side, qty string) {
	s.t.Helper()
	page, err := s.sim.Control().Trade(simcore.TradeRequest{Symbol: symbol, Side: string(side), Qty: simcore.Decimal{Decimal: d(qty)}})
	if err != nil || !page.FilledQty.Equal(d(qty)) {
		s.t.Fatalf("house trade: %v, %v", page.FilledQty, err)
	}
}

// halt stops or resumes an instrument.
func (s *stage) halt(symbol string, halted bool) {
	s.t.Helper()
	if _, err := s.sim.Control().Market(simcore.MarketRequest{Symbol: symbol, Halt: &halted}); err != nil {
		s.t.Fatal(err)
	}
}

// truth is what the venue's own ledger accepted under a client id, the children
// of conditional orders left out.
func (s *stage) truth(clientOrderID string) []simcore.LedgerOrder {
	var rows []simcore.LedgerOrder
	for _, row := range s.sim.Control().Ledger().Orders {
		if row.ClientOrderID == clientOrderID && row.Rejection == "" && row.ParentID == "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// holds fails the case unless the venue accepted want orders under a client id.
func (s *stage) holds(clientOrderID string, want int) {
	s.t.Helper()
	if rows := s.truth(clientOrderID); len(rows) != want {
		s.t.Errorf("the venue holds %d orders under %s, want %d: %+v", len(rows), clientOrderID, want, rows)
	}
}

// depth lays the house's ladder anew with so many levels a side.
func (s *stage) depth(levels int) {
	s.t.Helper()
	if err := s.sim.Exchange().SetDepth(symbol, levels); err != nil {
		s.t.Fatal(err)
	}
}

// houseAsk sets what the house sells at one price, in base coin.
func (s *stage) houseAsk(price, qty string) {
	s.t.Helper()
	const unitDigits = 8
	units := d(qty).DivRound(s.contractSize(), unitDigits)
	if err := s.sim.Exchange().HouseLevel(symbol, simcore.Sell, d(price), units); err != nil {
		s.t.Fatal(err)
	}
}

// contractSize is the base coin of one of the venue's units.
func (s *stage) contractSize() decimal.Decimal {
	s.t.Helper()
	for _, i := range s.instruments() {
		if i.Symbol == symbol {
			return i.ContractSize
		}
	}
	s.t.Fatalf("%s is not listed", symbol)
	return decimal.Zero
}
