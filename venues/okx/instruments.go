package okx

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

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
		limit: rateLimit{name: instrumentsPath, requests: 20, scope: instType},
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
	if supported, err := isSupportedName(instID); !supported || err != nil {
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

// instrumentList is the venue's instruments at one time. It is immutable.
type instrumentList struct {
	set  *venues.InstrumentSet
	byID map[string]*instrument // by venue symbol
	// delisted has, by symbol, the instruments that the venue listed earlier and no
	// longer lists. They are also in byID, because their last orders and
	// executions are still reported, in contracts of their size.
	delisted map[string]*instrument
	readAt   time.Time
}

// newInstrumentList returns the list of the instruments that the venue lists now. before is
// the list that it replaces, or nil; its other instruments become delisted.
func newInstrumentList(listed []*instrument, before *instrumentList, now time.Time) *instrumentList {
	list := make([]venues.Instrument, 0, len(listed))
	c := &instrumentList{byID: make(map[string]*instrument, len(listed)), delisted: map[string]*instrument{}, readAt: now}
	for _, k := range listed {
		list = append(list, k.Instrument)
		c.byID[k.VenueSymbol] = k
	}
	c.set = venues.NewInstrumentSet(list)
	if before == nil {
		return c
	}
	for name, k := range before.byID {
		if c.byID[name] == nil {
			gone := *k
			gone.Status = venues.InstrumentClosed
			c.byID[name], c.delisted[k.Symbol] = &gone, &gone
		}
	}
	return c
}

// find finds an instrument by symbol; nil if there is none. It is safe on nil.
func (l *instrumentList) find(symbol string) *instrument {
	if l == nil {
		return nil
	}
	if i, ok := l.set.Find(symbol); ok {
		return l.byID[i.VenueSymbol]
	}
	return l.delisted[venues.NormalizeSymbol(symbol)]
}

// byVenueSymbol finds an instrument by the venue's symbol; nil if there is none. It is
// safe on nil.
func (l *instrumentList) byVenueSymbol(instID string) *instrument {
	if l == nil {
		return nil
	}
	return l.byID[instID]
}
