package binance

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Connector is Binance USD-M futures without credentials. It is safe for
// concurrent use.
type Connector struct {
	options   Options
	gate      *restclient.Gate
	weight    *restclient.Budget
	rest      *restclient.Client
	keys      *restclient.Client // host of key permissions; nil where there is none
	dials     *rate.Limiter      // of connections, of all streams
	doors     *restclient.Gate   // frozen while connections are refused, and requests are not
	clock     restclient.Clock
	catalogue atomic.Pointer[venues.InstrumentSet]
	leverages leverageTable
	notices   restclient.Notices
}

var (
	_ venues.Connector       = (*Connector)(nil)
	_ venues.Account         = (*Account)(nil)
	_ venues.KeyInspector    = (*Account)(nil)
	_ venues.MarginInspector = (*Account)(nil)
)

// New makes a connector; nothing is sent yet. Options must be valid.
func New(o Options) *Connector {
	o = o.withDefaults()
	gate := restclient.NewGate()
	c := &Connector{
		options: o,
		gate:    gate,
		weight:  restclient.NewBudget("request_weight_1m", weightLimit, time.Minute),
		doors:   restclient.NewGate(),
		dials:   rate.NewLimiter(rate.Every(dialInterval), dialsAtOnce),
		rest:    restclient.New(restclient.Options{BaseURL: o.RESTURL, Timeout: o.Timeout, Dial: o.dial}, gate),
	}
	if o.KeyURL != "" {
		c.keys = restclient.New(restclient.Options{BaseURL: o.KeyURL, Timeout: o.Timeout, Dial: o.dial}, restclient.NewGate())
	}
	return c
}

// Close gives up idle connections. Feeds are closed by their owners.
func (c *Connector) Close() {
	c.rest.Close()
	if c.keys != nil {
		c.keys.Close()
	}
}

// Venue is binance.
func (c *Connector) Venue() venues.Venue { return venues.Binance }

// Capabilities of the venue. Stops are separate orders that cannot be amended;
// client ids are unique among open orders only. An order can show up late by the
// venue's own processing time-out of ten seconds; cancelled orders without a fill
// are kept for three days.
func (c *Connector) Capabilities() venues.Capabilities {
	return venues.Capabilities{
		AbsenceAfter:      10 * time.Second,
		UnfilledRetention: 72 * time.Hour,
	}
}

// SyncClock measures the offset of the venue's clock. Call it every few minutes;
// a refused timestamp makes the connector measure by itself.
func (c *Connector) SyncClock(ctx context.Context) (time.Duration, error) {
	return c.clock.Sync(ctx, c.serverTime)
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := request{method: http.MethodGet, path: "/fapi/v1/time", lane: restclient.LaneOrder, weight: 1}
	var answer struct {
		ServerTime int64 `json:"serverTime"`
	}
	if err := c.once(ctx, r, &answer); err != nil {
		return time.Time{}, err
	}
	if answer.ServerTime <= 0 {
		return time.Time{}, malformed(r, payload.Missing("serverTime"))
	}
	return payload.Millis(answer.ServerTime), nil
}

// Instruments reads the catalogue. A record that cannot be understood is left
// out and logged; MaxLeverage is known for what an account has read.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	r := request{method: http.MethodGet, path: "/fapi/v1/exchangeInfo", lane: restclient.LaneReconcile, weight: 1}
	var info exchangeInfo
	if err := c.call(ctx, r, &info); err != nil {
		return nil, err
	}
	now := time.Now()
	instruments := make([]venues.Instrument, 0, len(info.Symbols))
	for n := range info.Symbols {
		i, err := info.Symbols[n].instrument(now)
		if err != nil {
			c.options.Log.Error("instrument left out", zap.Error(err))
			continue
		}
		i.MaxLeverage = c.leverages.of(i.VenueSymbol)
		instruments = append(instruments, i)
	}
	if len(instruments) == 0 {
		return nil, malformed(r, payload.Missing("symbols"))
	}
	c.adoptLimits(&info)
	c.catalogue.Store(venues.NewInstrumentSet(instruments))
	return instruments, nil
}

func (c *Connector) adoptLimits(info *exchangeInfo) {
	for _, l := range info.RateLimits {
		if l.RateLimitType == "REQUEST_WEIGHT" && l.Interval == "MINUTE" && l.IntervalNum == 1 {
			c.gate.Resize(c.weight, l.Limit)
		}
	}
}

func (c *Connector) instrument(symbol string) (*venues.Instrument, error) {
	if i, ok := c.catalogue.Load().Find(symbol); ok {
		return i, nil
	}
	return nil, payload.NoInstrument(symbol)
}

// OpenAccount prepares the use of an account; nothing is sent yet.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if credentials.APIKey.Reveal() == "" || credentials.APISecret.Reveal() == "" {
		return nil, venues.Errorf(venues.CodeUnauthorized, "API key and secret are required")
	}
	return newAccount(c, credentials), nil
}
