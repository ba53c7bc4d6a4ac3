package simulation_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// signalSymbol is traded only by signals: a channel has opened every position in it.
const signalSymbol = "SOLUSDT"

// inbound is the plan of the first customer's channels. Most seeds have none.
type inbound struct {
	exchange venues.Venue
	// live trades, dryRun is always in test mode.
	live, dryRun persistence.Channel
	signals      []*signalCall
}

// signalCall is one request with a signal, and its response.
type signalCall struct {
	venues.Signal
	index int

	// The fields below are written once, with world.mu held.
	answer              venues.SignalResponse
	err                 error
	launched, done, cut bool
	began               time.Time
}

// stepWithin bounds a step of a signal. A step in progress when its channel is switched
// to test mode ends as it began.
const stepWithin = 8 * time.Second

// isDryRun reports whether an order should not have been placed because its channel
// was in test mode: its signal was received, or its step began, after the switch.
func (w *world) isDryRun(o *persistence.OrderRecord) bool {
	if o.ChannelID == "" || w.testMode.IsZero() || !o.CreatedAt.After(w.testMode) {
		return false
	}
	came := slices.ContainsFunc(w.plan.inbound.signals, func(b *signalCall) bool {
		return b.launched && b.RequestID == o.RequestID && b.began.Before(w.testMode)
	})
	return !came || o.CreatedAt.After(w.testMode.Add(stepWithin))
}

// channelRate is the number of seeds per seed with channels.
const channelRate = 3

// drawSignals uses separate generators, so that seeds without signals stay the same.
func (p *plan) drawSignals(s *swarm) {
	rng := s.random("signals", 1)
	if rng.IntN(channelRate) != 0 {
		return
	}
	in := &inbound{exchange: pick(rng, p.venues...)}
	in.live = persistence.Channel{
		ID: "hook_live", Customer: customers[0], Kind: persistence.ChannelWebhook,
		Rules: persistence.ChannelRules{
			Symbols: []string{signalSymbol}, MaxQty: venues.Some(decimal.New(10+rng.Int64N(20), -1)), MaxAgeSec: pick(rng, 0, 0, 5, 30),
			Opposite: pick(rng, "", persistence.OppositeIgnore, persistence.OppositeClose, persistence.OppositeReverse, persistence.OppositeReject),
		},
	}
	in.dryRun = persistence.Channel{ID: "hook_test", Customer: customers[0], Kind: persistence.ChannelWebhook, TestMode: true}
	p.inbound = in
	for range 2 + rng.IntN(8) {
		at := between(rng, time.Second, p.length)
		for range 1 + rng.IntN(3) { // they race
			p.drawSignal(rng, at+between(rng, 0, 5*time.Millisecond))
		}
	}
	p.drawMoves(rng, in.exchange)
	if rng.IntN(2) == 0 {
		p.drawSwitch(rng)
	}
}

// drawSignal adds a signal and the repeats of a sender without a response.
func (p *plan) drawSignal(rng *rand.Rand, at time.Duration) {
	in := p.inbound
	b := &signalCall{index: len(in.signals), Signal: venues.Signal{
		Customer: in.live.Customer, ChannelID: in.live.ID, Exchange: in.exchange, Symbol: signalSymbol, Source: venues.SourceWebhook,
		Comment: canary(in.live.Customer),
	}}
	b.RequestID, b.Implied, b.BodyHash = "s"+strconv.Itoa(b.index), rng.IntN(2) == 0, bodyHash(b.index)
	if rng.IntN(4) == 0 {
		b.ChannelID = in.dryRun.ID
	}
	switch n := rng.IntN(10); {
	case n < 7:
		b.Action, b.Side, b.Type = venues.ActionOrder, pick(rng, venues.Buy, venues.Sell), venues.TypeMarket
		b.Qty = venues.Some(decimal.New(1+rng.Int64N(150), -2))
		if rng.IntN(3) == 0 {
			b.Type, b.Price = venues.TypeLimit, venues.Some(decimal.NewFromInt(startPrice+rng.Int64N(600)-300))
		}
	case n < 8:
		b.Action = venues.ActionClose
	case n < 9:
		b.Action = venues.ActionCancelAll
	default:
		b.Action = venues.ActionNotify
	}
	p.beep(at, b)
	if rng.IntN(3) != 0 {
		return
	}
	for range 1 + rng.IntN(3) {
		again := *b
		p.beep(at+pick(rng, between(rng, 0, 20*time.Millisecond), between(rng, 0, 40*time.Second)), &again)
	}
}

func (p *plan) beep(at time.Duration, b *signalCall) {
	p.inbound.signals = append(p.inbound.signals, b)
	p.add(at, "signal", func(w *world) { w.signal(b) })
}

// drawMoves moves the price of the channel's instrument, which fills resting orders.
func (p *plan) drawMoves(rng *rand.Rand, exchange venues.Venue) {
	for range rng.IntN(6) {
		at, price := between(rng, time.Second, p.length), decimal.NewFromInt(startPrice+rng.Int64N(800)-400)
		p.add(at, "market", func(w *world) {
			w.trace("market %s %s moves to %s", exchange, signalSymbol, price)
			_ = w.venues[exchange].core.MovePrice(signalSymbol, price)
		})
	}
}

// drawSwitch switches the channel to test mode and back during the run.
func (p *plan) drawSwitch(rng *rand.Rand) {
	on := between(rng, time.Second, p.length)
	for at, mode := range map[time.Duration]bool{on: true, on + between(rng, time.Second, 20*time.Second): false} {
		p.add(at, "switch", func(w *world) { w.switchTestMode(mode) })
	}
}

// signal sends a signal.
func (w *world) signal(b *signalCall) {
	p := w.process
	if p == nil {
		return
	}
	w.mu.Lock()
	b.launched, b.began = true, time.Now()
	w.mu.Unlock()
	s := b.Signal
	s.ReceivedAt = venues.At(time.Now())
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		answer, err := p.tree.Accept(ctx, s)
		w.mu.Lock()
		defer w.mu.Unlock()
		b.answer, b.err, b.done, b.cut = answer, err, true, p.isDead()
	}()
	w.scheduler.Settle()
}

// switchTestMode switches the live channel. After it returns, no new signal may trade.
func (w *world) switchTestMode(on bool) {
	p := w.process
	if p == nil {
		return
	}
	record := w.plan.inbound.live
	record.TestMode = on
	w.mu.Lock()
	w.testMode = time.Time{}
	w.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), callWait)
		defer cancel()
		n := w.count("switch")
		row := persistence.JournalEntry{
			ID: fmt.Sprintf("jrn_switch%d", n), At: venues.At(time.Now()), Kind: "admin.hook", Subject: record.ID,
		}
		err := p.tree.ConfigurePart(ctx, record, row)
		w.mu.Lock()
		defer w.mu.Unlock()
		if on && err == nil && !p.isDead() && n == w.counts["switch"] {
			w.testMode = time.Now()
		}
	}()
	w.scheduler.Settle()
}

// instruments returns the instruments of every venue of the seed.
func (p *plan) instruments() []string {
	if p.inbound == nil {
		return symbols
	}
	return append(symbols[:len(symbols):len(symbols)], signalSymbol)
}

// checkExposure compares a channel's exposure at the venue with its limit: the position
// plus the resting orders that increase it.
func (w *world) checkExposure(p *port, symbol string) {
	in := w.plan.inbound
	if in == nil || symbol != signalSymbol || p.customer != in.live.Customer || p.exchange != in.exchange {
		return
	}
	leads := map[venues.PositionSide]decimal.Decimal{}
	for _, held := range p.openPositions(p.customer) {
		if held.Symbol == symbol {
			leads[held.Side] = held.Qty
		}
	}
	for _, o := range p.core.OpenOrders(p.customer, symbol) {
		if !o.ReduceOnly {
			opens := venues.Long
			if o.Side == simcore.Sell {
				opens = venues.Short
			}
			leads[opens] = leads[opens].Add(o.Qty().Sub(o.FilledQty()))
		}
	}
	for _, side := range []venues.PositionSide{venues.Long, venues.Short} {
		if most := in.live.Rules.MaxQty.Decimal; leads[side].GreaterThan(most) {
			w.violate("I-13", "the channel's exposure is %s %s %s, its limit %s", side, leads[side], symbol, most)
		}
	}
}
