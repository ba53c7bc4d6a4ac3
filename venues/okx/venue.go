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
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

// Connector is OKX without credentials. It is safe for concurrent use.
type Connector struct {
	options    Options
	gate       *restclient.Gate
	rest       *restclient.Client
	allowances allowances
	dials      *rate.Limiter    // of connections, of all streams
	doors      *restclient.Gate // frozen while connections are refused
	clock      restclient.Clock
	catalogue  atomic.Pointer[catalogue]
	remembered *catalogue      // of an earlier run; nil if there is none
	reading    restclient.Turn // held while the catalogue is read because it was needed
	notices    restclient.Notices
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
		options: o,
		gate:    gate,
		doors:   restclient.NewGate(),
		dials:   rate.NewLimiter(rate.Every(o.DialInterval), 1),
		rest:    restclient.New(restclient.Options{BaseURL: o.RESTURL, Timeout: o.Timeout, Dial: o.dial}, gate),
	}
}

// Close gives up idle connections. Feeds are closed by their owners.
func (c *Connector) Close() { c.rest.Close() }

// Venue is okx.
func (c *Connector) Venue() venues.Venue { return venues.OKX }

const (
	// absenceAfter is how long the venue may take to show what it has done.
	absenceAfter = 10 * time.Second
	// unfilledRetention is how long the venue keeps cancelled orders without a fill.
	unfilledRetention = 2 * time.Hour
)

// Capabilities of the venue. Protection travels with the order and stops can be
// amended; answers say "received"; books bring their snapshots; client ids are
// unique among open orders only. An order past its expTime is discarded, so that
// it can show up late by the venue's own delays alone; cancelled orders without a
// fill are kept for two hours.
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

// SyncClock measures the offset of the venue's clock. Call it every few minutes;
// a refused timestamp makes the connector measure by itself.
func (c *Connector) SyncClock(ctx context.Context) (time.Duration, error) {
	return c.clock.Sync(ctx, c.serverTime)
}

func (c *Connector) serverTime(ctx context.Context) (time.Time, error) {
	r := publicRequest("/api/v5/public/time", nil, 10, restclient.LaneOrder)
	var rows []struct {
		TS moment `json:"ts"`
	}
	if err := c.once(ctx, r, &rows); err != nil {
		return time.Time{}, err
	}
	if len(rows) != 1 || rows[0].TS.IsZero() {
		return time.Time{}, malformed(r, payload.Missing("ts"))
	}
	return rows[0].TS.Time, nil
}

const instrumentsPath = "/api/v5/public/instruments"

// Remember has the connector know instruments that an earlier run has listed, before
// anything is asked of it. Those that the venue lists no more are known as such: what
// was done in them is told in contracts, whose size nothing but the list tells.
func (c *Connector) Remember(instruments []venues.Instrument) {
	c.remembered = &catalogue{contracts: make(map[string]*contract, len(instruments))}
	for n := range instruments {
		if i := &instruments[n]; i.ContractSize.IsPositive() && i.QtyStep.IsPositive() {
			c.remembered.contracts[i.VenueSymbol] = contractOfInstrument(i)
		}
	}
}

// Instruments reads the catalogue: linear perpetuals and futures. A record that
// cannot be understood is left out and logged, and so is a kind of instrument that
// this region of the venue refuses to list.
func (c *Connector) Instruments(ctx context.Context) ([]venues.Instrument, error) {
	var contracts []*contract
	var refused error
	for _, instType := range []string{instTypeSwap, instTypeFutures} {
		some, err := c.readContracts(ctx, instType)
		switch {
		case err == nil:
			contracts = append(contracts, some...)
		case venues.CodeOf(err) == venues.CodeInvalidRequest:
			c.options.Log.Warn("kind of instrument not listed", zap.String("kind", instType), zap.Error(err))
			refused = err
		default:
			return nil, err
		}
	}
	if len(contracts) == 0 {
		return nil, errors.Join(restclient.Unreadable("GET", instrumentsPath, payload.Missing("data")), refused)
	}
	fresh := newCatalogue(contracts, cmp.Or(c.catalogue.Load(), c.remembered), time.Now())
	c.catalogue.Store(fresh)
	return slices.Clone(fresh.set.All()), nil
}

func (c *Connector) readContracts(ctx context.Context, instType string) ([]*contract, error) {
	var rows []instrumentRecord
	err := c.call(ctx, request{
		method: "GET", path: instrumentsPath, query: restclient.Params{{"instType", instType}}, lane: restclient.LaneReconcile,
		limit: allowance{name: instrumentsPath, limit: 20, scope: instType},
	}, &rows)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	contracts := make([]*contract, 0, len(rows))
	for n := range rows {
		if !rows[n].offered() {
			continue
		}
		k, err := rows[n].contract(now)
		if err != nil {
			c.options.Log.Error("instrument left out", zap.Error(err))
			continue
		}
		contracts = append(contracts, k)
	}
	return contracts, nil
}

// catalogueAgeMin is how old the catalogue must be to be read again because an
// instrument is not in it.
const catalogueAgeMin = time.Minute

// instrument finds an instrument by symbol. The catalogue is read if it never was.
func (c *Connector) instrument(ctx context.Context, symbol string) (*contract, error) {
	if err := c.haveCatalogue(ctx, false); err != nil {
		return nil, err
	}
	if k := c.catalogue.Load().find(symbol); k != nil {
		return k, nil
	}
	return nil, payload.NoInstrument(symbol)
}

// named finds an instrument by the venue's name, for the rows of an answer; nil
// if it is none of the service's. A name that should be known and is not makes
// the catalogue be read again: without the contract's size a row means nothing.
func (c *Connector) named(ctx context.Context, instID string) (*contract, error) {
	if err := c.haveCatalogue(ctx, false); err != nil {
		return nil, err
	}
	k, err := c.knownName(instID)
	if !errors.Is(err, payload.ErrNoInstrument) {
		return k, err
	}
	if err := c.haveCatalogue(ctx, true); err != nil {
		return nil, err
	}
	return c.knownName(instID)
}

// knownName is named without asking the venue. The catalogue comes first: what it
// offers is the service's whatever its name looks like.
func (c *Connector) knownName(instID string) (*contract, error) {
	if k := c.catalogue.Load().named(instID); k != nil {
		return k, nil
	}
	if foreign, err := isForeign(instID); foreign || err != nil {
		return nil, err
	}
	return nil, errors.Join(payload.UnknownWord("instId", instID), payload.ErrNoInstrument)
}

// haveCatalogue reads the catalogue if there is none, or a fresh one is wanted and
// the last is not new.
func (c *Connector) haveCatalogue(ctx context.Context, fresh bool) error {
	due := func() bool {
		now := c.catalogue.Load()
		return now == nil || fresh && time.Since(now.readAt) > catalogueAgeMin
	}
	if !due() {
		return nil
	}
	if err := c.reading.Take(ctx); err != nil {
		return venues.Errorf(venues.CodeExchangeUnavailable, "the venue's instruments are not known yet").Because(err)
	}
	defer c.reading.Give()
	if !due() {
		return nil
	}
	_, err := c.Instruments(ctx)
	return err
}

// OpenAccount prepares the use of an account; nothing is sent yet.
func (c *Connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	if credentials.APIKey.Reveal() == "" || credentials.APISecret.Reveal() == "" || credentials.Passphrase.Reveal() == "" {
		return nil, venues.Errorf(venues.CodeUnauthorized, "API key, secret and passphrase are required")
	}
	return newAccount(c, credentials), nil
}
