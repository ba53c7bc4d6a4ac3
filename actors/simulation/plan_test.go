package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// plan is the actions of a seed, sorted by time.
type plan struct {
	venues     []venues.Venue
	operations []*operation
	steps      []planned
	length     time.Duration
	// dailyLoss locks the accounts; most seeds have no such limit.
	dailyLoss venues.Optional
	// hedged reports whether the accounts are in hedge mode.
	hedged bool
	// inbound is nil unless the seed has channels.
	inbound *inbound
	// outbound is nil unless the seed has endpoints.
	outbound *outbound
}

// planned is one action at a time.
type planned struct {
	at   time.Duration
	name string
	do   func(*world)
}

// hedgeRate is the number of seeds per seed with accounts in hedge mode.
const hedgeRate = 6

func drawPlan(s *swarm, rng *rand.Rand) *plan {
	p := &plan{venues: venues.All(), length: time.Duration(10+rng.IntN(50)) * time.Second}
	if rng.IntN(8) != 0 { // all three together are slow and rarely find more
		p.venues = []venues.Venue{venues.All()[rng.IntN(3)]}
	}
	if rng.IntN(3) == 0 {
		p.dailyLoss = venues.Some(decimal.NewFromInt(1 + rng.Int64N(400)))
	}
	p.drawOperations(rng)
	p.drawMarket(rng)
	p.drawProcess(s, rng)
	p.drawDisk(s, rng)
	p.drawRejections(s)
	p.drawPowerFailures(s)
	p.hedged = s.random("hedge", 1).IntN(hedgeRate) == 0
	p.drawSignals(s)
	p.drawEndpoints(s)
	slices.SortStableFunc(p.steps, func(a, b planned) int { return int(a.at - b.at) })
	slices.SortStableFunc(p.operations, func(a, b *operation) int { return a.index - b.index })
	return p
}

func (p *plan) add(at time.Duration, name string, do func(*world)) {
	p.steps = append(p.steps, planned{at, name, do})
}

func (p *plan) call(at time.Duration, op *operation) {
	op.index, op.at = len(p.operations), at
	p.operations = append(p.operations, op)
	p.add(at, op.kind, func(w *world) { w.launch(op) })
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

func (p *plan) drawOperations(rng *rand.Rand) {
	for i := range 8 + rng.IntN(20) {
		at := between(rng, 500*time.Millisecond, p.length)
		op := &operation{
			customer: pick(rng, customers...), exchange: pick(rng, p.venues...), symbol: pick(rng, symbols...),
			target: rng.IntN(8), draw: rng.IntN(1 << 20), spec: drawSpec(rng),
		}
		switch n := rng.IntN(100); {
		case n < 55 || i < 2:
			p.drawPlace(rng, at, op, fmt.Sprintf("r%d", i/2)) // the customers share names
		case n < 70:
			op.kind = "amend"
			p.call(at, op)
		case n < 83:
			op.kind = "cancel"
			p.call(at, op)
		case n < 87:
			op.kind = "cancel_all"
			p.call(at, op)
		case n < 94:
			op.kind, op.request = "close", fmt.Sprintf("close%d", i)
			p.call(at, op)
		case n < 97:
			op.kind = "funds"
			p.call(at, op)
		default:
			op.kind = "leverage"
			p.call(at, op)
		}
	}
}

// drawPlace adds an order, with the repeats of an impatient client.
func (p *plan) drawPlace(rng *rand.Rand, at time.Duration, op *operation, request string) {
	op.kind = "place"
	if rng.IntN(10) != 0 {
		op.request = request
	}
	p.call(at, op)
	if op.request == "" || rng.IntN(3) != 0 {
		return
	}
	for range 1 + rng.IntN(3) {
		repeat := *op
		if rng.IntN(4) == 0 {
			repeat.body = 1 + rng.IntN(3)
		}
		wait := pick(rng, 0, between(rng, 0, 3*time.Millisecond), between(rng, 0, 50*time.Millisecond), between(rng, 0, 30*time.Second))
		p.call(at+wait, &repeat)
	}
}

func drawSpec(rng *rand.Rand) specDraw {
	d := specDraw{
		side: pick(rng, venues.Buy, venues.Sell), tif: venues.GoodTillCancel,
		qty: decimal.New(1+rng.Int64N(400), -2), reduceOnly: rng.IntN(8) == 0,
	}
	away := func(low, high int64) int64 { // below a buy's market, above a sell's
		n := low + rng.Int64N(high-low)
		if d.side == venues.Buy {
			return -n
		}
		return n
	}
	entry := int64(0)
	switch n := rng.IntN(100); {
	case n < 45:
		d.kind, d.price = venues.TypeLimit, away(1, 200)
		d.postOnly = rng.IntN(5) == 0
	case n < 60:
		d.kind, d.price = venues.TypeLimit, away(-60, 10)
		d.tif = pick(rng, venues.GoodTillCancel, venues.ImmediateOrCancel, venues.FillOrKill)
	case n < 80:
		d.kind, d.tif = venues.TypeMarket, venues.ImmediateOrCancel
	case n < 90:
		d.kind, d.trigger = venues.TypeStopMarket, away(-200, -5)
	default:
		d.kind, d.trigger = venues.TypeStopLimit, away(-200, -5)
		d.price = d.trigger - away(0, 20)
	}
	entry = d.price
	if entry == 0 {
		entry = d.trigger
	}
	if rng.IntN(3) == 0 && !d.reduceOnly {
		d.stopLoss = entry + away(20, 300)
	}
	if rng.IntN(4) == 0 && !d.reduceOnly {
		d.takeProfit = entry - away(20, 300)
	}
	return d
}

// drawMarket moves the prices, fills resting orders, and makes another program use the
// same accounts.
func (p *plan) drawMarket(rng *rand.Rand) {
	for range rng.IntN(16) {
		exchange, symbol, at := pick(rng, p.venues...), pick(rng, symbols...), between(rng, time.Second, p.length)
		n, qty, s := rng.IntN(10), decimal.New(1+rng.Int64N(300), -2), pick(rng, simcore.Buy, simcore.Sell)
		price := decimal.NewFromInt(startPrice + rng.Int64N(800) - 400)
		customer, foreignID := pick(rng, customers...), rng.IntN(1<<20)
		p.add(at, "market", func(w *world) {
			core := w.venues[exchange].core
			switch {
			case n < 5:
				w.trace("market %s %s moves to %s", exchange, symbol, price)
				_ = core.MovePrice(symbol, price)
			case n < 8:
				got, _ := core.HouseTrade(symbol, s, qty, decimal.Zero)
				w.trace("market %s %s: house takes %s", exchange, symbol, got)
			case n < 9:
				w.trace("outside %s %s order", exchange, symbol)
				w.tradeOutside(exchange, simcore.OrderRequest{Account: customer, Symbol: symbol, Side: s, Qty: qty, Price: price}, foreignID)
			default:
				w.trace("outside %s %s cancels", exchange, symbol)
				if open := core.OpenOrders(customer, symbol); len(open) > 0 {
					_, _ = core.Cancel(customer, symbol, simcore.OrderRef{ID: open[foreignID%len(open)].ID})
				}
			}
		})
	}
}

// tradeOutside places an order or a stop that the service did not place: without a
// client id, or with one that is used more than once, at every venue.
func (w *world) tradeOutside(exchange venues.Venue, r simcore.OrderRequest, draw int) {
	if draw%2 == 0 {
		r.ClientID = fmt.Sprintf("web%d", draw%12)
	}
	core := w.venues[exchange].core
	r.PosSide = w.plan.posSide(r.Side, draw%4 == 0)
	if draw%3 != 0 {
		_, _ = core.Place(r)
		return
	}
	if r.ClientID != "" {
		r.ClientID = fmt.Sprintf("stop%d", draw)
	}
	trigger := r.Price
	r.Type, r.Price = simcore.Market, decimal.Zero
	_, _ = core.PlaceConditional(simcore.ConditionalRequest{
		OrderRequest: r, Rising: trigger.GreaterThan(core.LastPrice(r.Symbol)), TriggerBy: simcore.TriggerOnLast, TriggerPrice: trigger,
	})
}

// callTimes are the times at which calls begin.
func (p *plan) callTimes() []time.Duration {
	var times []time.Duration
	for _, op := range p.operations {
		times = append(times, op.at)
	}
	return times
}

// drawProcess kills and stops the service.
func (p *plan) drawProcess(s *swarm, rng *rand.Rand) {
	for _, f := range []fault{faultKill, faultKill, faultStop} {
		at, survive, orderly := between(rng, time.Second, p.length+10*time.Second), rng.IntN(6), f == faultStop
		down := pick(rng, between(rng, 0, 50*time.Millisecond), between(rng, 0, 20*time.Second), between(rng, 0, 3*time.Minute))
		night := rng.Float64() < s.odds[faultLongNight]
		if !s.on(f) || rng.IntN(2) == 0 {
			continue
		}
		if soon := between(rng, 0, 60*time.Millisecond); rng.IntN(3) != 0 {
			// During a call, where crashes matter.
			at = pick(rng, p.callTimes()...) + soon
		}
		if night {
			down = time.Duration(pick(rng, 3, 30, 80)) * time.Hour
		}
		p.add(at, string(f), func(w *world) {
			if w.process == nil {
				return
			}
			if orderly {
				w.stop()
			} else {
				w.kill(survive)
			}
			if night {
				w.struck(faultLongNight, "")
			}
			w.scheduler.Advance(down)
			w.start()
		})
	}
}

// powerFailureWait bounds the wait for a batch that a power failure can lose.
const powerFailureWait = 5 * time.Second

func (p *plan) drawPowerFailures(s *swarm) {
	if !s.on(faultPowerFailure) {
		return
	}
	rng := s.random("power failures", 1)
	for range 3 + rng.IntN(4) {
		at, survive := pick(rng, p.callTimes()...), rng.IntN(3)
		p.add(at, string(faultPowerFailure), func(w *world) {
			const step = persistence.SyncDelayMax / 5
			for began := time.Now(); w.process != nil && time.Since(began) < powerFailureWait; {
				pending, queued := w.memory.Pending(), w.memory.Queued()
				switch written := pending - queued; {
				case written > 0:
					w.cutPower(min(survive, written-1))
					return
				case pending > 0:
					w.scheduler.Advance(step)
				default:
					w.scheduler.AdvanceUntil(powerFailureWait-time.Since(began), func() bool { return w.memory.Pending() > 0 })
					w.scheduler.Advance((step - time.Since(began)%step) % step)
				}
			}
		})
	}
}

// drawDisk makes commits fail. After a commit with unknown outcome the store rejects
// all others until it is opened again, like the real one.
func (p *plan) drawDisk(s *swarm, rng *rand.Rand) {
	for _, f := range []fault{faultCommitFails, faultCommitUnknown, faultCommitLost} {
		for range rng.IntN(3) {
			at := between(rng, time.Second, p.length)
			mended := at + between(rng, 100*time.Millisecond, 10*time.Second)
			if !s.on(f) {
				continue
			}
			p.add(at, string(f), func(w *world) { w.breakStore(f) })
			p.add(mended, "mend", func(w *world) { w.mendStore(f) })
		}
	}
}

// drawRejections makes the store reject single commits.
func (p *plan) drawRejections(s *swarm) {
	if !s.on(faultCommitRefused) {
		return
	}
	rng := s.random("refusals", 1)
	for range 1 + rng.IntN(12) {
		at := between(rng, time.Second, p.length)
		if rng.IntN(2) == 0 {
			at = pick(rng, p.callTimes()...) + between(rng, 0, 60*time.Millisecond)
		}
		p.add(at, string(faultCommitRefused), func(w *world) {
			w.struck(faultCommitRefused, "")
			w.memory.FailNext(persistence.ErrUnavailable)
		})
	}
}

func (w *world) breakStore(f fault) {
	w.struck(f, "")
	w.trace("the store's next answer: %s", f)
	switch f {
	case faultCommitUnknown:
		w.memory.FailNext(persistence.ErrOutcomeUnknown)
	case faultCommitLost:
		w.memory.LoseNextReply()
	default: // the disk is full
	}
	w.memory.RejectAll(persistence.ErrUnavailable)
}

// mendStore frees space, or opens a failed store again.
func (w *world) mendStore(f fault) {
	w.trace("the store is mended")
	if f == faultCommitFails {
		w.memory.RejectAll(nil)
	} else if w.process != nil {
		w.kill(0)
		w.start()
	}
}
