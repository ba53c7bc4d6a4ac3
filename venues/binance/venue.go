package binance

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Connector is access to Binance USD-M futures without credentials. It is safe for
// concurrent use.
type Connector struct {
	connector.Core
	options      Options
	weight       *restclient.Budget
	keys         *restclient.Client // host of key permissions; nil if there is none
	instruments  connector.Instruments
	maxLeverages maxLeverageTable
}

var (
	_ venues.Connector       = (*Connector)(nil)
	_ venues.Account         = (*Account)(nil)
	_ venues.KeyInspector    = (*Account)(nil)
	_ venues.MarginInspector = (*Account)(nil)
)

// Names of the rate limits; the last two are those of each account.
const (
	requestWeight = "request_weight_1m"
	orders10s     = "orders_10s"
	orders1m      = "orders_1m"
)

// New returns a connector. Nothing is sent. Options must be valid.
func New(o Options) *Connector {
	c := &Connector{
		options: o.withDefaults(),
		weight:  restclient.NewBudget(requestWeight, weightLimit, time.Minute),
	}
	c.Init(&c.options.Settings, rate.NewLimiter(rate.Every(dialInterval), dialsAtOnce), connector.Protocol{
		ServerTime: c.serverTime, IsClockRejection: isClockRejection, IsUnavailable: isUnavailable, Notice: c.maintenanceNotice,
		HandshakeRejected: c.handshakeRejected, DialPause: c.DialPause,
	})
	c.Gate.Declare(requestWeight, weightLimit)
	c.Gate.Declare(orders10s, orderLimit10s)
	c.Gate.Declare(orders1m, orderLimitMinute)
	if o.KeyURL != "" {
		c.keys = c.NewClient(o.KeyURL, restclient.NewGate())
	}
	return c
}

// Close closes idle connections. Feeds are closed by their owners.
func (c *Connector) Close() {
	c.Core.Close()
	if c.keys != nil {
		c.keys.Close()
	}
}

// Venue returns binance.
func (c *Connector) Venue() venues.Venue { return venues.Binance }

// Capabilities of the venue. Stops are separate orders that cannot be amended; client ids
// are unique among open orders only. An order can appear late by the venue's own
// processing time-out of ten seconds; cancelled orders without a fill are kept for three
// days.
func (c *Connector) Capabilities() venues.Capabilities {
	return venues.Capabilities{
		SharedReadLimit:   true,
		AbsenceAfter:      10 * time.Second,
		UnfilledRetention: 72 * time.Hour,
	}
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := request{method: http.MethodGet, path: "/fapi/v1/time", priority: restclient.PriorityOrder, weight: 1}
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

// Instruments reads the instruments. A record that cannot be decoded is left out and
// logged. MaxLeverage is known if an account has read it.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	r := request{method: http.MethodGet, path: "/fapi/v1/exchangeInfo", priority: restclient.PriorityReconcile, weight: 1}
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
		i.MaxLeverage = c.maxLeverages.of(i.VenueSymbol)
		instruments = append(instruments, i)
	}
	if len(instruments) == 0 {
		return nil, malformed(r, payload.Missing("symbols"))
	}
	c.adoptLimits(&info)
	c.instruments.Store(venues.NewInstrumentSet(instruments))
	return instruments, nil
}

func (c *Connector) adoptLimits(info *exchangeInfo) {
	for _, l := range info.RateLimits {
		if l.RateLimitType == "REQUEST_WEIGHT" && l.Interval == "MINUTE" && l.IntervalNum == 1 {
			c.Gate.Resize(c.weight, l.Limit)
		}
	}
}

// OpenAccount returns access to an account. Nothing is sent.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if err := connector.CheckCredentials(credentials); err != nil {
		return nil, err
	}
	return newAccount(c, credentials), nil
}
