package simulation_test

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// feed is one private stream of one process.
type feed struct {
	*port
	sink venues.PrivateSink

	mu     sync.Mutex
	closed bool
	// up is false while the connection is lost; stalled is true while it delivers
	// nothing and that was not detected.
	up      bool
	stalled bool
	// last is when the newest message arrives; later ones do not overtake it.
	last  time.Time
	count int
}

// OpenPrivate implements venues.Account.
func (p *port) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	f := &feed{port: p, sink: sink}
	p.venue.mu.Lock()
	p.feeds[p.customer] = f
	p.venue.mu.Unlock()
	f.connect()
	return f
}

// Close implements venues.PrivateFeed.
func (f *feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// whileOpen calls a function unless the stream has ended.
func (f *feed) whileOpen(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed && !f.process.isDead() {
		do()
	}
}

func (f *feed) connect() {
	occasion := f.process.occasion("connect/" + string(f.exchange) + f.customer)
	rng := f.w.swarm.random(occasion, f.w.count(occasion))
	time.AfterFunc(between(rng, time.Millisecond, 200*time.Millisecond), func() {
		f.whileOpen(func() {
			f.up, f.stalled = true, false
			f.sink.Connected()
		})
	})
	breaksAfter, downFor := between(rng, time.Second, 90*time.Second), between(rng, 50*time.Millisecond, 10*time.Second)
	if f.w.swarm.on(faultDisconnect) {
		time.AfterFunc(breaksAfter, func() { f.interrupt(downFor) })
	}
	silentAfter, silentFor := between(rng, time.Second, 60*time.Second), between(rng, time.Second, 40*time.Second)
	if f.w.swarm.on(faultStalled) {
		time.AfterFunc(silentAfter, func() { f.fallSilent(silentFor) })
	}
}

// interrupt breaks the connection and opens another one.
func (f *feed) interrupt(downFor time.Duration) {
	f.whileOpen(func() {
		if f.w.swarm.healed.Load() || !f.up {
			return
		}
		f.w.struck(faultDisconnect, "")
		f.up = false
		f.sink.Lost(errors.New("connection reset"))
		time.AfterFunc(downFor, f.connect)
	})
}

// fallSilent keeps the connection but delivers nothing, until that is detected.
func (f *feed) fallSilent(silentFor time.Duration) {
	f.whileOpen(func() {
		if f.w.swarm.healed.Load() || !f.up || f.stalled {
			return
		}
		f.w.struck(faultStalled, "")
		f.stalled = true
		time.AfterFunc(silentFor, func() {
			f.whileOpen(func() {
				if f.stalled {
					f.up, f.stalled = false, false
					f.sink.Lost(errors.New("silence"))
					f.connect()
				}
			})
		})
	})
}

// push delivers one message, possibly late, twice or never.
func (f *feed) push(key string, deliver func(venues.PrivateSink)) {
	f.whileOpen(func() {
		f.count++
		rng := f.w.swarm.random("event/"+string(f.exchange)+f.customer+strconv.Itoa(f.process.number), f.count)
		struck := f.w.swarm.draw(rng, streamFaults[:3], 1)
		if struck != faultNone {
			f.w.struck(struck, key)
		}
		if !f.up || f.stalled || struck == faultDropped {
			return
		}
		at := time.Now().Add(between(rng, 100*time.Microsecond, 20*time.Millisecond))
		if struck == faultDelayed {
			at = at.Add(between(rng, 10*time.Millisecond, 8*time.Second))
		} else {
			if !at.After(f.last) {
				at = f.last.Add(1)
			}
			f.last = at
		}
		f.deliver(at, deliver)
		if struck == faultDoubled {
			f.deliver(at.Add(between(rng, time.Microsecond, 3*time.Second)), deliver)
		}
	})
}

func (f *feed) deliver(at time.Time, deliver func(venues.PrivateSink)) {
	time.AfterFunc(time.Until(at), func() { f.whileOpen(func() { deliver(f.sink) }) })
}

// happened converts the engine's events into messages. It is called with the engine's
// lock held.
func (v *venue) happened(e simcore.Event) {
	switch body := e.Body.(type) {
	case simcore.OrderEvent:
		v.orderEvent(body)
	case simcore.ConditionalEvent:
		if body.Conditional.Order == nil && body.Conditional.Status != simcore.ConditionalTriggering &&
			body.Conditional.Status != simcore.ConditionalTriggered && body.Conditional.Status != simcore.ConditionalFinished {
			r := reportConditional(body.Conditional)
			v.tell(body.Conditional.Request.Account, r)
		}
	}
}

func (v *venue) tell(customer string, r venues.ExecutionReport) {
	if f := v.feedOf(customer); f != nil {
		f.push(r.ClientOrderID, func(sink venues.PrivateSink) { sink.Report(r) })
	}
}

func (v *venue) feedOf(customer string) *feed {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.feeds[customer]
}

func (v *venue) orderEvent(e simcore.OrderEvent) {
	r := reportOrder(e.Order)
	if e.Fill != nil {
		r.Fill = reportFill(e.Fill, v.exchange)
		if a, attached := e.Order.Detail.(*attachment); attached {
			v.attach(e.Order, a)
		}
	}
	v.tell(e.Order.Account, r)
	if e.Fill == nil {
		return
	}
	for _, p := range v.positionReports(e.Order.Account, e.Order.Symbol, e.Position) {
		if f := v.feedOf(e.Order.Account); f != nil {
			f.push("", func(sink venues.PrivateSink) { sink.Position(p) })
		}
	}
	if f := v.feedOf(e.Order.Account); f != nil {
		f.push("", venues.PrivateSink.BalancesChanged)
	}
}

// positionReports returns the stream's reports of a changed position: a reversed position
// is reported as the close of one side and the opening of the other.
func (v *venue) positionReports(customer, symbol string, now simcore.PositionView) []venues.Position {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := customer + "/" + symbol + "/" + now.Side.String()
	before := v.positions[key]
	v.positions[key] = now.Qty
	var reports []venues.Position
	if !before.IsZero() && before.Sign() != now.Qty.Sign() {
		ended := reportPosition(v.exchange, symbol, before, venues.Optional{})
		ended.Qty = decimal.Zero
		reports = append(reports, ended)
	}
	if !now.Qty.IsZero() {
		reports = append(reports, reportPosition(v.exchange, symbol, now.Qty, venues.Some(now.EntryPrice)))
	}
	return reports
}
