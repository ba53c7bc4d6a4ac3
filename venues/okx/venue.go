package okx

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
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
	c.Gate.Declare(accountOrders.name, accountOrders.limit)
	for path, limit := range map[string]int{
		orderPath: orderLimit, amendPath: orderLimit, cancelPath: orderLimit,
		algoPath: algoLimit, algoAmendPath: algoLimit, algoCancelPath: algoLimit,
	} {
		c.Gate.Declare(path, limit)
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
		AbsenceAfter:       absenceAfter,
		UnfilledRetention:  unfilledRetention,
	}
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := publicRequest("/api/v5/public/time", nil, 10, restclient.PriorityOrder)
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

const instrumentsPath = "/api/v5/public/instruments"

// Seed adds instruments that an earlier run has listed. It must be called before the
// first use. Those that the venue no longer lists are treated as delisted: their
// executions are reported in contracts, whose size only the list contains.
func (c *Connector) Seed(instruments []venues.Instrument) {
	c.seeded = &instrumentList{byID: make(map[string]*instrument, len(instruments))}
	for n := range instruments {
		if i := &instruments[n]; i.ContractSize.IsPositive() && i.QtyStep.IsPositive() {
			c.seeded.byID[i.VenueSymbol] = newInstrument(i)
		}
	}
}

// Instruments reads the linear perpetuals and futures. A record that cannot be decoded is
// left out and logged, and so is a kind of instrument that this region of the venue does
// not list.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	var listed []*instrument
	var rejected error
	for _, instType := range []string{instTypeSwap, instTypeFutures} {
		some, err := c.readInstruments(ctx, instType)
		switch {
		case err == nil:
			listed = append(listed, some...)
		case venues.CodeOf(err) == venues.CodeInvalidRequest:
			c.options.Log.Warn("kind of instrument not listed", zap.String("kind", instType), zap.Error(err))
			rejected = err
		default:
			return nil, err
		}
	}
	if len(listed) == 0 {
		return nil, errors.Join(restclient.Unreadable("GET", instrumentsPath, payload.Missing("data")), rejected)
	}
	fresh := newInstrumentList(listed, cmp.Or(c.instruments.Load(), c.seeded), time.Now())
	c.instruments.Store(fresh)
	return slices.Clone(fresh.set.All()), nil
}

func (c *Connector) readInstruments(ctx context.Context, instType string) ([]*instrument, error) {
	var rows []instrumentRecord
	err := c.call(ctx, request{
		method: "GET", path: instrumentsPath, query: restclient.Params{{"instType", instType}}, priority: restclient.PriorityReconcile,
		limit: rateLimit{name: instrumentsPath, limit: 20, scope: instType},
	}, &rows)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	listed := make([]*instrument, 0, len(rows))
	for n := range rows {
		if !rows[n].isSupported() {
			continue
		}
		k, err := rows[n].instrument(now)
		if err != nil {
			c.options.Log.Error("instrument left out", zap.Error(err))
			continue
		}
		listed = append(listed, k)
	}
	return listed, nil
}

// listAgeMin is how old the list must be to be read again for an instrument that it
// lacks.
const listAgeMin = time.Minute

// instrument finds an instrument by symbol. The list is read if it was never read.
func (c *Connector) instrument(ctx context.Context, symbol string) (*instrument, error) {
	if err := c.ensureInstruments(ctx, false); err != nil {
		return nil, err
	}
	if k := c.instruments.Load().find(symbol); k != nil {
		return k, nil
	}
	return nil, payload.NoInstrument(symbol)
}

// byVenueSymbol finds an instrument by the venue's symbol, for the rows of an answer; nil
// if it is not supported. If a supported one is unknown the list is read again, because a
// row cannot be decoded without the contract's size.
func (c *Connector) byVenueSymbol(ctx context.Context, instID string) (*instrument, error) {
	if err := c.ensureInstruments(ctx, false); err != nil {
		return nil, err
	}
	k, err := c.cachedByVenueSymbol(instID)
	if !errors.Is(err, payload.ErrNoInstrument) {
		return k, err
	}
	if err := c.ensureInstruments(ctx, true); err != nil {
		return nil, err
	}
	return c.cachedByVenueSymbol(instID)
}

// cachedByVenueSymbol is byVenueSymbol without reading the list. The form of the name
// matters only for an instrument that is not in the list.
func (c *Connector) cachedByVenueSymbol(instID string) (*instrument, error) {
	if k := c.instruments.Load().byVenueSymbol(instID); k != nil {
		return k, nil
	}
	if unsupported, err := isUnsupported(instID); unsupported || err != nil {
		return nil, err
	}
	return nil, errors.Join(payload.UnknownValue("instId", instID), payload.ErrNoInstrument)
}

// ensureInstruments reads the list if there is none, or if a fresh one is required and
// the last one is old.
func (c *Connector) ensureInstruments(ctx context.Context, fresh bool) error {
	required := func() bool {
		list := c.instruments.Load()
		return list == nil || fresh && time.Since(list.readAt) > listAgeMin
	}
	if !required() {
		return nil
	}
	if err := c.listing.Acquire(ctx); err != nil {
		return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's instruments are not known yet").Because(err)
	}
	defer c.listing.Release()
	if !required() {
		return nil
	}
	_, err := c.Instruments(ctx)
	return err
}

// OpenAccount returns access to an account. Nothing is sent.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if credentials.APIKey.Reveal() == "" || credentials.APISecret.Reveal() == "" || credentials.Passphrase.Reveal() == "" {
		return nil, venues.Errorf(venues.CodeUnauthorized, "API key, secret and passphrase are required")
	}
	return newAccount(c, credentials), nil
}
