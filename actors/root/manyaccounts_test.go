package root_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap/zaptest"

	"venuegate/actors"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

const (
	// manyAccounts is a number of accounts at one simulated venue, which see it from one
	// address.
	manyAccounts = 24
	// venueLatency is the time of each request to the venue.
	venueLatency = 50 * time.Millisecond

	// After a restart, every account cancels and is protected within cancelledWithin, the
	// first one trades within firstTradesWithin and every one within allTradeWithin. Orders
	// made elsewhere meanwhile are known within completeWithin: complete reconciliations take
	// more than one minute's limit.
	cancelledWithin   = 5 * time.Second
	firstTradesWithin = 2 * time.Second
	allTradeWithin    = 15 * time.Second
	completeWithin    = 5 * time.Minute
	// weightMax is the venue's limit of a minute.
	weightMax = 2400
)

// many is a harness in virtual time with an account for each of many customers.
type many struct {
	harness
	network *simtest.Memory
	http    *http.Client
	keys    map[string]simcore.Credentials
	reads   *startReads
}

// startReads counts the accounts that are read after a start.
type startReads struct {
	venues.Connector
	mu sync.Mutex
	// begun is the number of accounts whose first reading has begun, begunBefore the same when
	// the first complete reconciliation read what was traded.
	begun, begunBefore int
}

// OpenAccount implements venues.Connector.
func (r *startReads) OpenAccount(c venues.Credentials) (venues.Account, error) {
	a, err := r.Connector.OpenAccount(c)
	return &startedAccount{Account: a, reads: r}, err
}

type startedAccount struct {
	venues.Account
	reads *startReads
	first sync.Once
}

// Mode implements venues.Account: each reading begins with it.
func (a *startedAccount) Mode(ctx context.Context) (venues.AccountMode, error) {
	a.first.Do(func() {
		a.reads.mu.Lock()
		defer a.reads.mu.Unlock()
		a.reads.begun++
	})
	return a.Account.Mode(ctx)
}

// Traded implements venues.Account: only complete reconciliations use it.
func (a *startedAccount) Traded(ctx context.Context, from, to time.Time) ([]string, error) {
	a.reads.mu.Lock()
	a.reads.begunBefore = cmp.Or(a.reads.begunBefore, a.reads.begun)
	a.reads.mu.Unlock()
	return a.Account.Traded(ctx, from, to)
}

func customerNo(n int) string { return fmt.Sprintf("c%d", n) }

func openMany(t *testing.T) *many {
	t.Helper()
	m := &many{
		harness: harness{t: t, store: storetest.NewMemory(), exchange: venues.Binance},
		network: simtest.NewMemory("venue:80"), keys: map[string]simcore.Credentials{},
	}
	m.http = &http.Client{Transport: &http.Transport{DialContext: m.network.Dial, DisableKeepAlives: true}}
	m.sim = simtest.Create(t, binancesim.New, binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}})
	m.sim.Serve(m.network, simtest.NewMemory("control:80"))
	for _, match := range []simcore.FaultMatch{{Path: "/fapi"}, {Path: "/private", Op: http.MethodGet}} {
		latency := simcore.FaultRequest{Match: match, Do: simcore.FaultDelay, Args: simcore.FaultArgs{DelayMs: int(venueLatency.Milliseconds())}}
		if _, err := m.sim.Control().AddFault(latency); err != nil {
			t.Fatal(err)
		}
	}
	at := venues.At(time.Now())
	for n := range manyAccounts {
		customer := customerNo(n)
		created, err := m.sim.Exchange().CreateAccount(simcore.AccountRequest{ID: customer})
		if err != nil {
			t.Fatal(err)
		}
		m.keys[customer] = created.Credentials
		seed := persistence.Batch{Puts: []persistence.Record{persistence.Customer{ID: customer, Name: customer, CreatedAt: at}}}
		if err := m.store.Commit(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	m.startAll()
	t.Cleanup(func() {
		m.stop()
		if err := m.sim.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simtest.HousekeepingMax)
	})
	for n := range manyAccounts {
		customer, err := m.tree.Customer(customerNo(n))
		if err != nil {
			t.Fatal(err)
		}
		account := persistence.VenueAccount{Customer: customerNo(n), Exchange: venues.Binance, Environment: "sim", CreatedAt: at}
		if err := customer.Connect(t.Context(), account); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// startAll starts a tree as a process does, with a connector that has sent nothing yet.
func (m *many) startAll() {
	m.t.Helper()
	options := binance.Sim("http://venue", "ws://venue")
	options.Dial = m.network.Dial
	m.venue = binance.New(options)
	list, err := m.venue.Instruments(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	m.market = &fixedMarket{set: venues.NewInstrumentSet(list)}
	m.reads = &startReads{Connector: m.venue}
	m.system = actors.New(zaptest.NewLogger(m.t))
	m.tree, err = root.Start(m.t.Context(), root.Deps{
		System: m.system, Store: m.store, Encoder: noFrames{}, ClientIDPrefix: "test",
		Connectors: map[venues.Venue]venues.Connector{venues.Binance: m.reads},
		Markets:    map[venues.Venue]root.Market{venues.Binance: m.market},
		Unseal: func(record persistence.VenueAccount) (venues.Credentials, error) {
			keys := m.keys[record.Customer]
			return venues.Credentials{APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret)}, nil
		},
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// retry repeats a command that the account cannot take yet.
func (m *many) retry(command func(context.Context) (venues.Order, error)) (venues.Order, error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*testTimeout)
	defer cancel()
	for {
		order, err := command(ctx)
		code := venues.CodeOf(err)
		if err == nil || (code != venues.CodeMaintenance && code != venues.CodeNotFound) || ctx.Err() != nil {
			return order, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (m *many) placeFor(customer, requestID string, s venues.OrderSpec) (venues.Order, error) {
	return m.retry(func(ctx context.Context) (venues.Order, error) {
		return m.tree.Place(ctx, venues.PlaceOrder{
			Command: venues.Command{Customer: customer}, OrderSpec: s, Exchange: venues.Binance,
			RequestID: requestID, Scope: persistence.ScopeREST, Source: venues.SourceAPI,
		})
	})
}

// stops returns the open stops of a customer at the venue.
func (m *many) stops(customer string) []simcore.Conditional {
	return m.sim.Exchange().Conditionals(customer, func(c *simcore.Conditional) bool { return c.Status == simcore.ConditionalWaiting })
}

// forEach runs do for each customer at the same time, and returns the time after which it has
// returned for the first and for the last of them.
func (m *many) forEach(do func(n int, customer string) error) (first, last time.Duration) {
	m.t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	begun := time.Now()
	for n := range manyAccounts {
		wait.Go(func() {
			err := do(n, customerNo(n))
			took := time.Since(begun)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				m.t.Errorf("%s after %s: %v", customerNo(n), took, err)
			}
			if first == 0 {
				first = took
			}
			last = max(last, took)
		})
	}
	wait.Wait()
	return first, last
}

// until waits at most limit until a condition holds.
func until(limit time.Duration, what string, holds func() bool) error {
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return errors.New("no " + what)
		}
	}
	return nil
}

// protected waits until a customer has a stop at the venue.
func (m *many) protected(customer string) error {
	return until(testTimeout, "stop at the venue", func() bool { return len(m.stops(customer)) > 0 })
}

// The accounts of one address share the venue's limit. After a restart, in the same minute,
// each trades once its own state is known: cancels and protection come first, complete
// reconciliations last, although each account has another position, and the limit is not exceeded.
func TestManyAccountsTradeAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := openMany(t)
		resting := make([]venues.Order, manyAccounts)
		m.forEach(func(n int, customer string) (err error) {
			entry := spec(venues.Buy, venues.TypeMarket, "0.05", "")
			entry.StopLoss = venues.Some(venues.MustDecimal("60000"))
			if _, err = m.placeFor(customer, "entry", entry); err == nil {
				err = m.protected(customer)
			}
			if err == nil {
				resting[n], err = m.placeFor(customer, "resting", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
			}
			return err
		})
		m.stop()
		m.changeMeanwhile()
		m.startAll()
		var figures [3][2]time.Duration
		var all sync.WaitGroup
		for i, do := range []func(int, string) error{
			func(n int, customer string) error {
				_, err := m.retry(func(ctx context.Context) (venues.Order, error) {
					return m.tree.Cancel(ctx, venues.CancelOrder{Command: venues.Command{Customer: customer}, OrderID: resting[n].OrderID})
				})
				return err
			},
			func(_ int, customer string) error { return m.protected(customer) },
			func(_ int, customer string) error {
				_, err := m.placeFor(customer, "again", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
				return err
			},
		} {
			all.Go(func() { figures[i][0], figures[i][1] = m.forEach(do) })
		}
		all.Wait()
		for _, c := range []struct {
			what      string
			got, want time.Duration
		}{
			{"all have cancelled", figures[0][1], cancelledWithin},
			{"all are protected", figures[1][1], cancelledWithin},
			{"the first trades", figures[2][0], firstTradesWithin},
			{"all trade", figures[2][1], allTradeWithin},
		} {
			if t.Logf("%s after %s", c.what, c.got); c.got > c.want {
				t.Errorf("%s after %s, want within %s", c.what, c.got, c.want)
			}
		}
		m.completes()
		if got := m.reads.begunBefore; got != manyAccounts {
			t.Errorf("the first complete reconciliation began after %d first readings, want %d", got, manyAccounts)
		}
	})
}

// changeMeanwhile ends the stops of every third account at the venue, and places an order and
// opens another position for each account.
func (m *many) changeMeanwhile() {
	m.t.Helper()
	for n := range manyAccounts {
		customer := customerNo(n)
		for _, order := range []simcore.OrderRequest{
			{Symbol: "BTCUSDT", ClientID: "elsewhere", Type: simcore.Limit, TimeInForce: simcore.GTC, Qty: venues.MustDecimal("1"), Price: venues.MustDecimal("20000")},
			{Symbol: "ETHUSDT", ClientID: "opened", Type: simcore.Market, Qty: venues.MustDecimal("0.1")},
		} {
			order.Account, order.Side = customer, simcore.Buy
			if _, err := m.sim.Exchange().Place(order); err != nil {
				m.t.Fatal(err)
			}
		}
		for _, stop := range m.stops(customer) {
			if n%3 != 0 {
				continue
			}
			if _, err := m.sim.Exchange().CancelConditional(customer, simcore.OrderRef{ID: stop.ID}); err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

// hasAdopted reports whether the service has found the order that was placed elsewhere.
func (m *many) hasAdopted(customer string) bool {
	list, err := m.store.UnfinishedOrders(m.t.Context(), customer, venues.Binance)
	return err == nil && slices.ContainsFunc(list, func(o persistence.OrderRecord) bool { return o.Source == venues.SourceVenue })
}

// completes waits until every account has been reconciled completely, and checks that the limit
// is not exceeded in any minute.
func (m *many) completes() {
	m.t.Helper()
	for end := time.Now().Add(completeWithin); time.Now().Before(end); {
		next := time.Now().Truncate(time.Minute).Add(time.Minute)
		time.Sleep(time.Until(next) - 2*venueLatency)
		used := m.usedWeight()
		if m.t.Logf("weight used in the minute until %s: %d", next.Format(time.TimeOnly), used); used > weightMax {
			m.t.Errorf("weight used in the minute until %s = %d, want at most %d", next.Format(time.TimeOnly), used, weightMax)
		}
		time.Sleep(time.Until(next))
	}
	for n := range manyAccounts {
		if !m.hasAdopted(customerNo(n)) {
			m.t.Errorf("%s: the order that was placed elsewhere is not known after %s", customerNo(n), completeWithin)
		}
	}
}

// usedWeight returns the weight that the address has used of the minute.
func (m *many) usedWeight() int {
	m.t.Helper()
	request, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, "http://venue/fapi/v1/ping", http.NoBody)
	if err != nil {
		m.t.Fatal(err)
	}
	answer, err := m.http.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	_ = answer.Body.Close()
	used, err := strconv.Atoi(answer.Header.Get("X-Mbx-Used-Weight-1m"))
	if err != nil {
		m.t.Fatalf("status %d, weight %v", answer.StatusCode, err)
	}
	return used
}
