package bybit

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

// Connector is Bybit linear without credentials. It is safe for concurrent use.
type Connector struct {
	options   Options
	gate      *restclient.Gate
	requests  *restclient.Budget
	rest      *restclient.Client
	dials     *rate.Limiter    // of connections, of all streams
	doors     *restclient.Gate // frozen while connections are refused, and requests are not
	clock     restclient.Clock
	catalogue atomic.Pointer[venues.InstrumentSet]
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
	return &Connector{
		options:  o,
		gate:     gate,
		requests: restclient.NewBudget("requests_5s", requestsPer5s, 5*time.Second),
		doors:    restclient.NewGate(),
		dials:    rate.NewLimiter(rate.Every(dialInterval), dialsAtOnce),
		rest:     restclient.New(restclient.Options{BaseURL: o.RESTURL, Timeout: o.Timeout, Dial: o.dial}, gate),
	}
}

// Close gives up idle connections. Feeds are closed by their owners.
func (c *Connector) Close() { c.rest.Close() }

// Venue is bybit.
func (c *Connector) Venue() venues.Venue { return venues.Bybit }

// Capabilities of the venue. Nothing can be accepted after the receive window,
// which ends at the deadline; what was accepted before shows within seconds. Orders
// that ended without a fill are kept for a day.
func (c *Connector) Capabilities() venues.Capabilities {
	return venues.Capabilities{
		AttachedProtection:    true,
		AmendStops:            true,
		AsyncAck:              true,
		StreamSnapshots:       true,
		ClientIDUniqueForever: true,
		AbsenceAfter:          10 * time.Second,
		UnfilledRetention:     24 * time.Hour,
	}
}

// SyncClock measures the offset of the venue's clock. Call it every few minutes;
// a refused timestamp makes the connector measure by itself.
func (c *Connector) SyncClock(ctx context.Context) (time.Duration, error) {
	return c.clock.Sync(ctx, c.serverTime)
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := get("/v5/market/time", nil, nil, restclient.LaneOrder)
	var answer struct {
		TimeNano integer `json:"timeNano"`
	}
	if err := c.once(ctx, r, &answer); err != nil {
		return time.Time{}, err
	}
	if answer.TimeNano <= 0 {
		return time.Time{}, malformed(r, payload.Missing("timeNano"))
	}
	return time.Unix(0, int64(answer.TimeNano)).UTC(), nil
}

// instrumentStatuses are asked for one by one: without a status the venue lists
// what trades, and no more.
var instrumentStatuses = []string{"Trading", "PreLaunch", "Delivering"}

const (
	instrumentsPath = "/v5/market/instruments-info"
	instrumentsPage = 1000
)

// Instruments reads the catalogue. A record that cannot be understood is left
// out and logged.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	var instruments []venues.Instrument
	now, seen := time.Now(), make(map[string]bool)
	for _, status := range instrumentStatuses {
		r := get(instrumentsPath, restclient.Params{{"category", category}, {"status", status}}, nil, restclient.LaneReconcile)
		rows, err := pages[instrumentRecord](ctx, c, r, instrumentsPage)
		if err != nil {
			return nil, err
		}
		for n := range rows {
			i, err := rows[n].instrument(now)
			if err != nil {
				c.options.Log.Error("instrument left out", zap.Error(err))
				continue
			}
			if !seen[i.Symbol] {
				seen[i.Symbol] = true
				instruments = append(instruments, i)
			}
		}
	}
	if len(instruments) == 0 {
		return nil, malformed(request{method: http.MethodGet, path: instrumentsPath}, payload.Missing("list"))
	}
	c.catalogue.Store(venues.NewInstrumentSet(instruments))
	return instruments, nil
}

func (c *Connector) instrument(symbol string) (*venues.Instrument, error) {
	if i, ok := c.catalogue.Load().Find(symbol); ok {
		return i, nil
	}
	return nil, payload.NoInstrument(symbol)
}

// withoutSymbol says of the refusal of a read that its instrument is off the venue's
// list. The code of such a refusal stands for many things, and its words come in any
// language: the catalogue tells.
func (c *Connector) withoutSymbol(symbol string, refused error) error {
	if !refusal.Is(refused, codeParameter) || c.catalogue.Load() == nil {
		return refused
	}
	if _, unlisted := c.instrument(symbol); unlisted != nil {
		return unlisted
	}
	return refused
}

// OpenAccount prepares the use of an account; nothing is sent yet.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if credentials.APIKey.Reveal() == "" || credentials.APISecret.Reveal() == "" {
		return nil, venues.Errorf(venues.CodeUnauthorized, "API key and secret are required")
	}
	return newAccount(c, credentials), nil
}
