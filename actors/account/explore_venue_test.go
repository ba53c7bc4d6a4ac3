package account

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// exploredVenue is a venue with one instrument. Each request waits until an action of the
// exploration processes or answers it. Changes, queries of unknown outcomes and lists of open
// orders are processed at a time of their own; the other reads happen at once.
type exploredVenue struct {
	venues.Account // nothing else is called
	killVenue
	world *world

	mu    sync.Mutex
	calls []*call
	// orphans are the requests that may still arrive although the account no longer waits.
	orphans []*call
	// readings are the results of the readings under way.
	readings []reading
	// events are those that the private stream has not delivered.
	events []venues.ExecutionReport
	// placedAt are the times when orders were accepted, by client id; sent counts requests.
	placedAt map[string]time.Time
	sent     map[string]int
}

type reading struct {
	ctx    context.Context
	result any
}

// Kinds of calls.
type callKind string

const (
	callsPlace  callKind = "place"
	callsCancel callKind = "cancel"
	callsAmend  callKind = "amend"
	callsQuery  callKind = "query"
	callsOpen   callKind = "open orders"
	callsFills  callKind = "fills"
	callsClient callKind = "client" // a client, between its read and its command
)

// call is a request on its way to the venue, or its answer on its way back.
type call struct {
	kind     callKind
	clientID string
	args     any
	sentAt   time.Time
	deadline time.Time
	// isProcessed is set once the venue has processed it.
	isProcessed bool
	report      venues.ExecutionReport
	err         error
	lag         bool
	release     chan error
}

func (c *call) isChange() bool {
	return c.kind == callsPlace || c.kind == callsCancel || c.kind == callsAmend
}

// park waits until the call is released, and returns how.
func (v *exploredVenue) park(ctx context.Context, c *call) error {
	c.sentAt, c.release = time.Now(), make(chan error, 1)
	v.mu.Lock()
	v.calls = append(v.calls, c)
	v.mu.Unlock()
	select {
	case err := <-c.release:
		return err
	case <-ctx.Done():
		v.mu.Lock()
		defer v.mu.Unlock()
		v.abandon(c)
		return errTimeout
	}
}

// abandon ends the wait for a call, if it is still waited for. A change that is on its way may
// still arrive.
func (v *exploredVenue) abandon(c *call) {
	i := slices.Index(v.calls, c)
	if i < 0 {
		return
	}
	v.calls = slices.Delete(v.calls, i, i+1)
	if c.isChange() && !c.isProcessed {
		v.orphans = append(v.orphans, c)
	}
}

// answer releases a call.
func (v *exploredVenue) answer(c *call, err error) {
	v.abandon(c)
	if errors.Is(err, venues.ErrNotSent) {
		v.orphans = slices.DeleteFunc(v.orphans, func(o *call) bool { return o == c })
	}
	c.release <- err
	v.world.x.kit.Settle()
}

// disconnect ends all calls and the private stream with their process.
func (v *exploredVenue) disconnect() {
	for _, c := range slices.Clone(v.calls) {
		v.abandon(c)
	}
	v.events, v.readings = nil, nil
}

// expire drops the requests that came too late.
func (v *exploredVenue) expire() {
	v.orphans = slices.DeleteFunc(v.orphans, func(c *call) bool { return time.Now().After(c.deadline) })
}

func (v *exploredVenue) change(ctx context.Context, c *call) (venues.ExecutionReport, error) {
	if err := v.park(ctx, c); err != nil {
		return venues.ExecutionReport{}, err
	}
	return c.report, c.err
}

func (v *exploredVenue) Place(ctx context.Context, r venues.OrderRequest) (venues.ExecutionReport, error) {
	v.world.checkSent(&r)
	return v.change(ctx, &call{kind: callsPlace, clientID: r.ClientOrderID, args: r, deadline: r.Deadline})
}

func (v *exploredVenue) Amend(ctx context.Context, r venues.AmendRequest) (venues.ExecutionReport, error) {
	return v.change(ctx, &call{kind: callsAmend, clientID: r.ClientOrderID, args: r, deadline: time.Now().Add(requestLife)})
}

func (v *exploredVenue) Cancel(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	return v.change(ctx, &call{kind: callsCancel, clientID: ref.ClientOrderID, args: ref, deadline: time.Now().Add(requestLife)})
}

func (v *exploredVenue) Order(ctx context.Context, ref venues.OrderRef) (venues.ExecutionReport, error) {
	c := &call{kind: callsQuery, clientID: ref.ClientOrderID, args: ref}
	if venues.IsOutcomeQuery(ctx) {
		return v.change(ctx, c)
	}
	v.look(c, false)
	v.note(ctx, c.report)
	return c.report, c.err
}

func (v *exploredVenue) OpenOrders(ctx context.Context) ([]venues.ExecutionReport, error) {
	c := &call{kind: callsOpen}
	if err := v.park(ctx, c); err != nil {
		return nil, err
	}
	var open []venues.ExecutionReport
	for _, o := range v.orders {
		if !o.Status.IsClosed() && v.isShown(o, c.lag) {
			open = append(open, reportOf(o))
		}
	}
	v.note(ctx, open)
	return open, nil
}

func (v *exploredVenue) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	c := &call{kind: callsFills}
	if err := v.park(ctx, c); err != nil {
		return nil, err
	}
	fills := slices.DeleteFunc(v.fillsSince(q.From), func(f venues.Fill) bool {
		return c.lag && !v.isShown(v.byID("", f.VenueOrderID), true)
	})
	v.note(ctx, fills)
	return fills, nil
}

func (v *exploredVenue) Mode(context.Context) (venues.AccountMode, error) {
	return venues.AccountMode{}, nil
}
func (v *exploredVenue) Balances(context.Context) ([]venues.Balance, error) { return nil, nil }
func (v *exploredVenue) Positions(context.Context) ([]venues.Position, error) {
	return v.funds().Positions, nil
}

func (v *exploredVenue) Traded(context.Context, time.Time, time.Time) ([]string, error) {
	if len(v.fills) > 0 {
		return []string{instrument().Symbol}, nil
	}
	return nil, nil
}

// note records what a reading has returned, until it ends.
func (v *exploredVenue) note(ctx context.Context, result any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.readings = append(v.readings, reading{ctx, result})
}

func (v *exploredVenue) byID(clientID, venueID string) *killOrder {
	for _, o := range v.orders {
		if o.ClientOrderID == clientID || o.VenueOrderID == venueID {
			return o
		}
	}
	return nil
}

// isShown reports whether the venue shows an order in a read that may lag.
func (v *exploredVenue) isShown(o *killOrder, lag bool) bool {
	return !lag || !time.Now().Before(v.placedAt[o.ClientOrderID].Add(exploredConfig.Capabilities.AbsenceAfter))
}

func (v *exploredVenue) lagsAny() bool {
	return slices.ContainsFunc(v.orders, func(o *killOrder) bool { return !v.isShown(o, true) })
}

// look processes a query.
func (v *exploredVenue) look(c *call, lag bool) {
	c.isProcessed = true
	ref := c.args.(venues.OrderRef)
	if o := v.byID(ref.ClientOrderID, ref.VenueOrderID); o != nil && v.isShown(o, lag) {
		c.report = reportOf(o)
		return
	}
	c.err = notFound()
}

// arrive processes a change at the venue.
func (v *exploredVenue) arrive(c *call, decision int) {
	v.orphans = slices.DeleteFunc(v.orphans, func(o *call) bool { return o == c })
	c.isProcessed = true
	o := v.find(c.clientID)
	isLate := time.Now().After(c.deadline)
	switch {
	case c.kind == callsPlace && (isLate || decision == decideReject):
		c.err = venues.Errorf(venues.CodeOrderRejected, "rejected")
	case c.kind == callsPlace && decision == decideUnfilled:
		c.err = venues.Errorf(venues.CodeOrderRejected, "not filled").With("reason", venues.ReasonIOCNotFilled)
	case c.kind == callsPlace:
		c.report = v.accept(c.args.(venues.OrderRequest))
	case o == nil || o.Status.IsClosed() || isLate:
		c.err = notFound()
	case c.kind == callsCancel:
		v.end(o)
		c.report = reportOf(o)
	default:
		o.Price = c.args.(venues.AmendRequest).Price
		v.report(o, nil)
		c.report = reportOf(o)
	}
}

func (v *exploredVenue) accept(r venues.OrderRequest) venues.ExecutionReport {
	v.now = time.Now()
	_, _ = v.place(r, false)
	o := v.orders[len(v.orders)-1]
	o.TimeInForce = r.TimeInForce
	v.placedAt[o.ClientOrderID] = v.now
	v.world.checkAccepted(o)
	v.report(o, nil)
	if r.TimeInForce == venues.ImmediateOrCancel {
		v.fillLot(o)
	}
	return reportOf(o)
}

// fillLot executes one lot of an order.
func (v *exploredVenue) fillLot(o *killOrder) {
	v.now = time.Now()
	v.fill(o, decimal.New(1, 0))
	v.report(o, o.Fill)
}

// end cancels an order.
func (v *exploredVenue) end(o *killOrder) {
	o.Status = venues.StatusCancelled
	v.report(o, nil)
}

// report sends an event to the private stream.
func (v *exploredVenue) report(o *killOrder, f *venues.Fill) {
	o.VenueTime = time.Now()
	r := reportOf(o)
	r.Fill = f
	v.events = append(v.events, r)
}

// reportOf returns the report of an order without its last execution.
func reportOf(o *killOrder) venues.ExecutionReport {
	r := o.ExecutionReport
	r.Fill = nil
	return r
}
