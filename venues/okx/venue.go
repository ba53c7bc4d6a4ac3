package okx

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Connector is access to OKX without credentials. It is safe for concurrent use.
type Connector struct {
	connector.Core
	options     Options
	limits      rateLimits
	instruments atomic.Pointer[instrumentList]
	seeded      *instrumentList      // instruments of an earlier run (Seed); nil if there are none
	listing     restclient.Semaphore // held while the list is read on demand
}

var (
	_ venues.Connector       = (*Connector)(nil)
	_ venues.Account         = (*Account)(nil)
	_ venues.KeyInspector    = (*Account)(nil)
	_ venues.MarginInspector = (*Account)(nil)
)

// New returns a connector. Nothing is sent. Options must be valid.
func New(o Options) *Connector {
	c := &Connector{options: o.withDefaults()}
	c.Init(&c.options.Settings, rate.NewLimiter(rate.Every(c.options.DialInterval), 1), connector.Protocol{
		ServerTime: c.serverTime, IsClockRejection: isClockRejection, IsUnavailable: isUnavailable, Notice: c.maintenanceNotice,
		HandshakeRejected: c.handshakeRejected, DialPause: func() time.Duration { return c.DialGate.FrozenFor() },
	})
	c.Gate.Declare(accountOrders.name, accountOrders.requests)
	for path, perWindow := range map[string]int{
		orderPath: orderLimit, amendPath: orderLimit, cancelPath: orderLimit,
		algoPath: algoLimit, algoAmendPath: algoLimit, algoCancelPath: algoLimit,
	} {
		c.Gate.Declare(path, perWindow)
	}
	return c
}

// Venue returns okx.
func (c *Connector) Venue() venues.Venue { return venues.OKX }

const (
	// absenceAfter is how long after its deadline an order may still be missing in the
	// venue's answers. It is an assumption: the venue documents no bound.
	absenceAfter = 10 * time.Second
	// unfilledRetention is how long the venue keeps cancelled orders without a fill
	// (document "Order history (last 7 days)").
	unfilledRetention = 2 * time.Hour
)

// Capabilities of the venue. Protection is attached to orders and stops can be amended;
// answers mean "received"; books have their snapshots; client ids are unique among open
// orders only. The venue discards an order that arrives after its expTime, so it appears
// late only if the venue's own processing is delayed.
func (c *Connector) Capabilities() venues.Capabilities {
	return venues.Capabilities{
		AttachedProtection: true,
		AmendStops:         true,
		AsyncAck:           true,
		StreamSnapshots:    true,
		CheckOrder:         checkOrder,
		AbsenceAfter:       absenceAfter,
		UnfilledRetention:  unfilledRetention,
	}
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := publicRead("/api/v5/public/time", nil, 10, restclient.PriorityOrder)
	var rows []struct {
		TS milliTime `json:"ts"`
	}
	if err := c.sendOnce(ctx, r, &rows); err != nil {
		return time.Time{}, err
	}
	if len(rows) != 1 || rows[0].TS.IsZero() {
		return time.Time{}, malformed(r, payload.Missing("ts"))
	}
	return rows[0].TS.Time, nil
}

// OpenAccount returns access to an account. Nothing is sent.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if credentials.APIKey.Reveal() == "" || credentials.APISecret.Reveal() == "" || credentials.Passphrase.Reveal() == "" {
		return nil, venues.Errorf(venues.CodeUnauthorized, "API key, secret and passphrase are required")
	}
	return newAccount(c, credentials), nil
}
