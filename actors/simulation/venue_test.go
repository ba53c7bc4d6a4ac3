package simulation_test

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/root"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// venue is one simulated venue with an account for each customer. It outlives the
// processes that use it.
type venue struct {
	rules
	w    *world
	core *simcore.Exchange
	// set is the instruments, which root's Market serves.
	set *venues.InstrumentSet

	mu sync.Mutex
	// feeds are the private streams by customer; positions the last reported ones.
	feeds     map[string]*feed
	positions map[string]decimal.Decimal
	lags      map[string]time.Duration
}

func openVenue(w *world, exchange venues.Venue, skew time.Duration) *venue {
	v := &venue{
		rules: venueRules(exchange), w: w, set: venues.NewInstrumentSet(instrumentsOf(exchange, w.plan.instruments())),
		feeds: map[string]*feed{}, positions: map[string]decimal.Decimal{}, lags: map[string]time.Duration{},
	}
	options := v.rules.core
	options.Instruments, options.Seed, options.Quiet, options.BookDepth, options.Name = listing(w.plan.instruments()), w.seed, true, bookDepth, string(exchange)
	options.StartBalance = decimal.NewFromInt(10_000_000)
	var err error
	if v.core, err = simcore.New(options); err != nil {
		w.t.Fatal(err)
	}
	v.core.Clock().SetOffset(skew)
	for _, customer := range customers {
		if _, err := v.core.CreateAccount(simcore.AccountRequest{ID: customer}); err != nil {
			w.t.Fatal(err)
		}
		if w.plan.hedged {
			if err := v.core.SetPositionMode(customer, simcore.Hedge); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	v.core.Subscribe(v.happened)
	return v
}

// lag is the delay of the replica that serves reads.
func (v *venue) lag(what string) time.Duration {
	if !v.w.swarm.on(faultReplicaLag) || v.w.swarm.healed.Load() {
		return 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	lag, known := v.lags[what]
	if !known {
		rng := v.w.swarm.random("lag/"+string(v.exchange)+"/"+what, 0)
		if rng.Float64() < v.w.swarm.odds[faultReplicaLag] {
			lag = between(rng, time.Millisecond, 5*time.Second)
			v.w.struck(faultReplicaLag, "")
		}
		v.lags[what] = lag
	}
	return lag
}

// visible reports whether reads show what happened at the venue at a time.
func (v *venue) visible(what string, at time.Time) bool {
	return !at.Add(v.lag(what)).After(v.core.Clock().Now())
}

// connector is the connector of one process.
type connector struct {
	venues.Clock
	venues.MarketData
	*venue
	process *process
}

func (c connector) Venue() venues.Venue               { return c.exchange }
func (c connector) RateLimits() []venues.RateLimit    { return nil }
func (c connector) Congestion() venues.Congestion     { return venues.Congestion{} }
func (c connector) Capabilities() venues.Capabilities { return c.caps }
func (c connector) Instruments(context.Context) ([]venues.Instrument, error) {
	return c.set.All(), nil
}

func (c connector) OpenAccount(credentials venues.Credentials) (venues.Account, error) {
	return &port{venue: c.venue, process: c.process, customer: credentials.APIKey.Reveal()}, nil
}

// market is root's view of the venue: the instruments and current prices.
type market struct {
	root.Market // methods that the simulation does not use
	*venue
}

func (m market) Instruments() *venues.InstrumentSet { return m.set }
func (m market) Ready() error                       { return nil }
func (m market) Mark(symbol string) venues.Optional {
	mark, known := m.core.Mark(symbol)
	if !known {
		return venues.Optional{}
	}
	return venues.Some(mark.Mark)
}
func (m market) LiveMark(symbol string) venues.Optional { return m.Mark(symbol) }
func (m market) LiveLast(symbol string) venues.Optional { return m.Mark(symbol) }

// port is one customer's account at a venue, for one process.
type port struct {
	*venue
	process  *process
	customer string
}

var _ venues.Account = (*port)(nil)

// Place implements venues.Trading.
func (p *port) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	p.w.sent(p, &r)
	return request(ctx, p, "place", r.ClientOrderID, func() (venues.ExecutionReport, error) {
		p.w.arrived(p, r.ClientOrderID)
		if r.Type.IsStop() {
			return p.placeStop(&r)
		}
		o, err := p.core.Place(p.orderRequest(&r))
		p.w.checkExposure(p, r.Symbol)
		if err != nil {
			return venues.ExecutionReport{}, rejection(err)
		}
		return p.acknowledged(reportOrder(o)), nil
	})
}

func (p *port) orderRequest(r *venues.OrderRequest) simcore.OrderRequest {
	request := simcore.OrderRequest{
		Account: p.customer, Symbol: r.Symbol, ClientID: r.ClientOrderID, Side: coreSide(r.Side), Qty: r.Qty,
		TimeInForce: coreTimeInForce(r.TimeInForce, r.PostOnly), ReduceOnly: r.ReduceOnly && !p.w.plan.hedged, Deadline: r.Deadline,
		PosSide: p.w.plan.posSide(coreSide(r.Side), r.ReduceOnly || r.ClosePosition),
	}
	if r.Type.IsMarket() {
		request.Type = simcore.Market
	} else {
		request.Price = r.Price.Decimal
	}
	if p.caps.AttachedProtection && (r.StopLoss.Valid || r.TakeProfit.Valid) {
		request.Detail = &attachment{stopLoss: r.StopLoss, takeProfit: r.TakeProfit}
	}
	return request
}

func (p *port) placeStop(r *venues.OrderRequest) (venues.ExecutionReport, error) {
	rising := r.TriggerDirection == venues.TriggerRising
	if r.TriggerDirection == "" {
		rising = r.TriggerPrice.Decimal.GreaterThanOrEqual(p.core.LastPrice(r.Symbol))
	}
	c, err := p.core.PlaceConditional(simcore.ConditionalRequest{
		OrderRequest: p.orderRequest(r), Rising: rising, TriggerBy: simcore.TriggerOnLast,
		TriggerPrice: r.TriggerPrice.Decimal, ClosePosition: r.ClosePosition,
	})
	if err != nil {
		return venues.ExecutionReport{}, rejection(err)
	}
	return p.acknowledged(reportConditional(c)), nil
}

// acknowledged returns the response to a change: on some venues only that it was
// received.
func (p *port) acknowledged(r venues.ExecutionReport) venues.ExecutionReport {
	if !p.caps.AsyncAck {
		return r
	}
	return venues.ExecutionReport{
		Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, VenueOrderID: r.VenueOrderID,
		Side: r.Side, Type: r.Type, Status: venues.StatusPending,
	}
}

// Amend implements venues.Trading.
func (p *port) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	return request(ctx, p, "amend", r.ClientOrderID, func() (venues.ExecutionReport, error) {
		if r.Type.IsStop() {
			c, err := p.core.Conditional(p.customer, coreRef(r.OrderRef))
			if err == nil && c.Status == simcore.ConditionalWaiting {
				return p.amendStop(&r, c)
			}
		}
		o, err := p.core.Amend(simcore.AmendRequest{
			Account: p.customer, Symbol: r.Symbol, Order: coreRef(r.OrderRef),
			Price: r.Price.Decimal, Qty: r.Qty, Deadline: r.Deadline,
		})
		if isReason(err, simcore.ReasonNoChange) {
			o, err = p.core.Order(p.customer, r.Symbol, coreRef(r.OrderRef))
		}
		if err != nil {
			return venues.ExecutionReport{}, rejection(err)
		}
		return p.acknowledged(reportOrder(o)), nil
	})
}

func (p *port) amendStop(r *venues.AmendRequest, c simcore.Conditional) (venues.ExecutionReport, error) {
	if !p.caps.AmendStops {
		return venues.ExecutionReport{}, venues.Errorf(venues.CodeInvalidRequest, "stops are not amended here")
	}
	amended, err := p.core.AmendConditional(simcore.ConditionalAmendment{
		Account: p.customer, Order: coreRef(r.OrderRef), Rising: c.Request.Rising,
		TriggerPrice: r.TriggerPrice.Decimal, Price: r.Price.Decimal, Qty: r.Qty,
	})
	if err != nil {
		return venues.ExecutionReport{}, rejection(err)
	}
	return p.acknowledged(reportConditional(amended)), nil
}

// Cancel implements venues.Trading.
func (p *port) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return request(ctx, p, "cancel", ref.ClientOrderID+ref.VenueOrderID, func() (venues.ExecutionReport, error) {
		if ref.Type.IsStop() {
			if c, err := p.core.CancelConditional(p.customer, coreRef(ref)); err == nil {
				return p.acknowledged(reportConditional(c)), nil
			}
		}
		o, err := p.core.Cancel(p.customer, ref.Symbol, coreRef(ref))
		if err != nil {
			return venues.ExecutionReport{}, rejection(err)
		}
		return p.acknowledged(reportOrder(o)), nil
	})
}

// SetLeverage implements venues.Trading.
func (p *port) SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (venues.LeverageChange, error) {
	return request(ctx, p, "leverage", symbol, func() (venues.LeverageChange, error) {
		if err := p.core.SetLeverage(p.customer, symbol, int(leverage.IntPart())); err != nil {
			return venues.LeverageChange{}, rejection(err)
		}
		return venues.LeverageChange{Exchange: p.exchange, Symbol: symbol, Leverage: leverage}, nil
	})
}

// attachment is the protection that is attached to an order; the venue places it with
// the first fill.
type attachment struct {
	stopLoss, takeProfit venues.Optional
	placed               bool
}

// attachedLeg is an order that the venue created to protect an entry.
type attachedLeg struct {
	entry, entryClientID string
	kind                 venues.LegKind
	price                venues.Optional
}

// attachment returns the attachment of the venue's report.
func (l *attachedLeg) attachment(fired bool) *venues.Attachment {
	a := &venues.Attachment{EntryClientID: l.entryClientID}
	if l.kind == venues.LegStopLoss {
		a.StopLoss = l.price
	} else {
		a.TakeProfit = l.price
	}
	if fired {
		a.Triggered = l.kind
	}
	return a
}

// attach protects the position that an order has opened.
func (v *venue) attach(o simcore.Order, a *attachment) {
	if a.placed {
		return
	}
	a.placed = true
	for i, price := range []venues.Optional{a.stopLoss, a.takeProfit} {
		if !price.Valid {
			continue
		}
		leg := &attachedLeg{strconv.FormatInt(o.ID, 10), o.ClientID, venues.LegStopLoss, price}
		if i == 1 {
			leg.kind = venues.LegTakeProfit
		}
		rising := (o.Side == simcore.Buy) == (i == 1)
		v.w.after("attach/"+strconv.FormatInt(o.ID, 10)+strconv.Itoa(i), time.Microsecond, time.Millisecond, func() {
			// Rejected if the price has passed it, or the position is closed.
			_, _ = v.core.PlaceConditional(simcore.ConditionalRequest{
				OrderRequest: simcore.OrderRequest{
					Account: o.Account, Symbol: o.Symbol, Side: o.Side.Opposite(), Type: simcore.Market,
					Qty: o.Qty(), ReduceOnly: o.PosSide == simcore.PositionBoth, PosSide: o.PosSide, ClientID: "attached" + strconv.FormatInt(o.ID, 10) + strconv.Itoa(i), Detail: leg,
				},
				Rising: rising, TriggerPrice: price.Decimal, RequiresPosition: true,
			})
		})
	}
}
