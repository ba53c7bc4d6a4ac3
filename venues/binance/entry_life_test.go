package binance

import (
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// serveSimulator serves a simulator until the end of the test.
func serveSimulator(t *testing.T, options binancesim.Options) *binancesim.Sim {
	t.Helper()
	sim, err := binancesim.New(options)
	if err != nil {
		t.Fatal(err)
	}
	sim.Serve(listenLocal(t), listenLocal(t))
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return sim
}

// newSimulated returns an account of a simulator with its connection for orders up.
func newSimulated(t *testing.T, options binancesim.Options) (*binancesim.Sim, *Account) {
	t.Helper()
	sim := serveSimulator(t, options)
	at := sim.Endpoints()
	o := Sim(at.RestURL, at.WsURL)
	o.OrderEntry = venues.OrderEntryWebSocket
	o.BackoffMin, o.BackoffMax, o.TickInterval = time.Millisecond, 5*time.Millisecond, 5*time.Millisecond
	connector := New(o)
	t.Cleanup(connector.Close)
	keys := sim.DemoAccount().Credentials
	opened, err := connector.OpenAccount(venues.Credentials{APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret)})
	if err != nil {
		t.Fatal(err)
	}
	account := opened.(*Account)
	t.Cleanup(account.openEntry())
	connectortest.Await(t, "connection", account.entry.Up)
	return sim, account
}

func listenLocal(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The venue closes a connection after its lifetime, also with pending requests. Every
// outcome agrees with the orders at the venue.
func TestVenueClosesTheConnectionForOrders(t *testing.T) {
	sim, account := newSimulated(t, binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}, SessionLifeMax: 60 * time.Millisecond})
	slow := simcore.FaultRequest{Match: simcore.FaultMatch{Path: tradePath, Op: "order.place"}, Do: simcore.FaultDelay, Args: simcore.FaultArgs{DelayMs: 20}}
	if _, err := sim.Control().AddFault(slow); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	outcomes := map[string]error{}
	var running sync.WaitGroup
	for placer := range 4 {
		running.Go(func() {
			for n := range 25 {
				order := limitOrder()
				order.ClientOrderID = "vg" + strconv.Itoa(placer) + "x" + strconv.Itoa(n)
				order.Deadline = time.Now().Add(time.Minute)
				_, err := account.Place(background, order)
				mu.Lock()
				outcomes[order.ClientOrderID] = err
				mu.Unlock()
			}
		})
	}
	running.Wait()
	held := map[string]int{}
	for _, row := range sim.Exchange().Ledger().Orders() {
		held[row.ClientOrderID]++
	}
	unknown := 0
	for id, err := range outcomes {
		switch {
		case errors.Is(err, venues.ErrOutcomeUnknown) && held[id] <= 1:
			unknown++
		case err != nil || held[id] != 1:
			t.Errorf("order %s: error %v, and the venue has %d, want no error and 1", id, err, held[id])
		}
	}
	t.Logf("%d of %d orders were pending when a connection ended", unknown, len(outcomes))
}
