package root_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/bybit"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/okx"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// venueInMemory starts a simulated venue with the rate limits of the real one, for a test in
// virtual time.
func venueInMemory(t *testing.T, venue venues.Venue, setups ...func(*simnet.Setup)) simulator {
	t.Helper()
	setup := simnet.Setup{Seed: 1, Quiet: true}
	for _, change := range setups {
		change(&setup)
	}
	listener, control := simtest.NewMemory("venue:80"), simtest.NewMemory("control:80")
	var sim simtest.Simulator
	var s simulator
	switch venue {
	case venues.Bybit:
		made := simtest.Create(t, bybitsim.New, bybitsim.Options{Setup: setup})
		made.Serve(listener, control)
		o := bybit.Sim(made.Endpoints().RestURL, made.Endpoints().WsURL)
		o.Dial = listener.Dial
		sim, s.connector, s.control = made, bybit.New(o), made.Control()
	case venues.OKX:
		made := simtest.Create(t, okxsim.New, okxsim.Options{Setup: setup})
		made.Serve(listener, control)
		o := okx.Sim(made.Endpoints().RestURL, made.Endpoints().WsURL)
		o.Dial = listener.Dial
		sim, s.connector, s.control = made, okx.New(o), made.Control()
	default:
		made := simtest.Create(t, binancesim.New, binancesim.Options{Setup: setup})
		made.Serve(listener, control)
		o := binance.Sim(made.Endpoints().RestURL, made.Endpoints().WsURL)
		o.Dial = listener.Dial
		sim, s.connector, s.control = made, binance.New(o), made.Control()
	}
	s.credentials, s.close = sim.DemoAccount().Credentials, sim.Close
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simtest.HousekeepingMax)
	})
	t.Cleanup(s.connector.Close)
	return s
}

// inMemory runs a test in virtual time for each venue, over a tree that knows the mark prices.
func inMemory(t *testing.T, test func(t *testing.T, d *harness, s simulator)) {
	for _, venue := range venues.All() {
		t.Run(string(venue), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := venueInMemory(t, venue)
				d := openOver(t, venue, s.connector, s)
				d.market.marks = func(symbol string) venues.Optional {
					page, err := s.control.Market(simcore.MarketRequest{Symbol: symbol})
					if err != nil {
						return venues.Optional{}
					}
					return venues.Some(page.MarkPrice)
				}
				test(t, d, s)
			})
		})
	}
}

// The longest time over which a venue counts orders and readings is a minute: each way of
// trading lasts longer.
func TestClientBelowItsLimitsMeetsNoLimitOfTheVenue(t *testing.T) { useLimits(t, 176) }

// useLimits has a client use all that its key allows, 120 trading and 600 reading requests a
// minute. No request of it meets a limit of its venue, and none waits for one. seconds is a
// multiple of eight, so that each way of trading ends as it began.
func useLimits(t *testing.T, seconds int) {
	t.Helper()
	inMemory(t, func(t *testing.T, d *harness, _ simulator) {
		d.becomes(venues.StatusFilled, "first", spec(venues.Buy, venues.TypeMarket, "0.05", ""))
		c := limitedClient{harness: d, long: "0.05"}
		for n := range seconds {
			began := time.Now()
			if n < seconds/2 {
				c.placesAndCancels(n)
			} else {
				c.buysAndSells(n)
			}
			if t.Failed() {
				t.Fatalf("after %d seconds", n)
			}
			time.Sleep(time.Until(began.Add(time.Second)))
		}
	})
}

// limitedClient makes requests and checks that each is answered without a delay.
type limitedClient struct {
	*harness
	// long is the open position by the answers so far.
	long string
}

// answerMax is above every wait for the venue, and below every wait for a rate limit.
const answerMax = 500 * time.Millisecond

func (c *limitedClient) check(what string, began time.Time, err error) {
	c.t.Helper()
	if took := time.Since(began); err != nil || took > answerMax {
		c.t.Errorf("%s: %v after %s, want no error within %s", what, err, took, answerMax)
	}
}

// placesAndCancels places an order, cancels all and reads ten times.
func (c *limitedClient) placesAndCancels(n int) {
	c.t.Helper()
	requestID := fmt.Sprint("r", n)
	switch n % 4 {
	case 1:
		c.places(requestID, spec(venues.Buy, venues.TypeMarket, "0.01", ""))
		c.long = "0.06"
	case 3:
		c.places(requestID, spec(venues.Sell, venues.TypeMarket, "0.01", ""))
		c.long = "0.05"
	default:
		c.places(requestID, spec(venues.Buy, venues.TypeLimit, "0.05", "20000"))
	}
	c.cancelsAll()
	c.reads(5)
}

// buysAndSells places two orders that are filled, and reads ten times.
func (c *limitedClient) buysAndSells(n int) {
	c.t.Helper()
	c.places(fmt.Sprint("r", n, "buy"), spec(venues.Buy, venues.TypeMarket, "0.01", ""))
	c.long = "0.06"
	c.reads(2)
	c.places(fmt.Sprint("r", n, "sell"), spec(venues.Sell, venues.TypeMarket, "0.01", ""))
	c.long = "0.05"
	c.reads(3)
}

func (c *limitedClient) places(requestID string, s venues.OrderSpec) {
	c.t.Helper()
	began := time.Now()
	_, err := c.place(requestID, s)
	c.check("place", began, err)
}

func (c *limitedClient) cancelsAll() {
	c.t.Helper()
	began := time.Now()
	results, err := c.tree.CancelAll(c.t.Context(), venues.CancelOrders{Command: venues.Command{Customer: "c1"}, Exchange: c.exchange})
	for _, r := range results {
		if r.Result != venues.CancelDone {
			err = errors.Join(err, fmt.Errorf("result %+v", r))
		}
	}
	c.check("cancel all", began, err)
}

// reads reads positions and account several times, and checks that the position is that of the
// answers.
func (c *limitedClient) reads(times int) {
	c.t.Helper()
	for range times {
		began := time.Now()
		list, err := c.positions()
		c.check("positions", began, err)
		if len(list) != 1 || venues.FormatDecimal(list[0].Qty) != c.long {
			c.t.Errorf("positions %+v, want %s", list, c.long)
		}
		began = time.Now()
		_, err = c.usdt()
		c.check("account", began, err)
	}
}

func (d *harness) readAccount() venues.ReadAccount {
	return venues.ReadAccount{Command: venues.Command{Customer: "c1"}, Exchange: d.exchange, Currency: "USDT"}
}

// positions returns the open positions.
func (d *harness) positions() ([]venues.Position, error) {
	list, failures, err := d.tree.Positions(d.t.Context(), d.readAccount())
	return list, errors.Join(err, failed(failures))
}

// usdt returns the balance in USDT.
func (d *harness) usdt() (venues.Balance, error) {
	list, failures, err := d.tree.Balances(d.t.Context(), d.readAccount())
	if err := errors.Join(err, failed(failures)); err != nil || len(list) != 1 {
		return venues.Balance{}, errors.Join(err, fmt.Errorf("%d balances", len(list)))
	}
	return list[0], nil
}

func failed(failures []venues.VenueFailure) error {
	for _, f := range failures {
		return f.Error
	}
	return nil
}
