package bybit

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// Connector is access to Bybit linear without credentials. It is safe for concurrent use.
type Connector struct {
	connector.Core
	options     Options
	requests    *restclient.Budget
	instruments connector.Instruments
}

var (
	_ venues.Connector       = (*Connector)(nil)
	_ venues.Account         = (*Account)(nil)
	_ venues.KeyInspector    = (*Account)(nil)
	_ venues.MarginInspector = (*Account)(nil)
)

// requests5s is the name of the rate limit of this address. Those of accounts have the path
// of their endpoint as name.
const requests5s = "requests_5s"

// New returns a connector. Nothing is sent. Options must be valid.
func New(o Options) *Connector {
	c := &Connector{
		options:  o.withDefaults(),
		requests: restclient.NewBudget(requests5s, requestsPer5s, 5*time.Second),
	}
	c.Init(&c.options.Settings, rate.NewLimiter(rate.Every(dialInterval), dialsAtOnce), connector.Protocol{
		ServerTime: c.serverTime, IsClockRejection: isClockRejection, IsUnavailable: isUnavailable, Notice: c.maintenanceNotice,
		HandshakeRejected: c.handshakeRejected, DialPause: c.DialPause,
	})
	c.Gate.Declare(requests5s, requestsPer5s)
	for path, limit := range endpointLimits {
		c.Gate.Declare(path, limit)
	}
	return c
}

// Venue returns bybit.
func (c *Connector) Venue() venues.Venue { return venues.Bybit }

// Capabilities of the venue. Nothing is accepted after the receive window, which ends at
// the deadline; what was accepted before appears within seconds. Orders closed without a
// fill are kept for a day.
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

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := get("/v5/market/time", nil, nil, restclient.PriorityOrder)
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

// listedStatuses are requested one by one: without a status the venue lists trading
// instruments only.
var listedStatuses = []string{"Trading", "PreLaunch", "Delivering"}

const (
	instrumentsPath = "/v5/market/instruments-info"
	instrumentsPage = 1000
)

// Instruments reads the instruments. A record that cannot be decoded is left out and
// logged.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	var instruments []venues.Instrument
	now, seen := time.Now(), make(map[string]bool)
	for _, status := range listedStatuses {
		r := get(instrumentsPath, restclient.Params{{"category", category}, {"status", status}}, nil, restclient.PriorityReconcile)
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
		return nil, restclient.Unreadable(http.MethodGet, instrumentsPath, payload.Missing("list"))
	}
	c.instruments.Store(venues.NewInstrumentSet(instruments))
	return instruments, nil
}

// explainUnlisted replaces the rejection of a read by the error for an unlisted
// instrument, if it is one. The code has many meanings and its message may be in any
// language, so the list of instruments decides.
func (c *Connector) explainUnlisted(symbol string, rejected error) error {
	if !rejection.Is(rejected, codeParameter) || c.instruments.Load() == nil {
		return rejected
	}
	if _, unlisted := c.instruments.Get(symbol); unlisted != nil {
		return unlisted
	}
	return rejected
}

// OpenAccount returns access to an account. Nothing is sent.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if err := connector.CheckCredentials(credentials); err != nil {
		return nil, err
	}
	return newAccount(c, credentials), nil
}
