package account

import (
	"context"
	"slices"
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/venues"
)

// reads requests a part of the funds and returns a function that reports whether the caller
// was answered.
func (b *fixture) reads(part fundsPart) (isAnswered func() bool) {
	return b.requests(getFunds{part: part})
}

func (b *fixture) requests(in getFunds) (isAnswered func() bool) {
	answered := false
	in.fundsReply = actors.ReplyFunc(func(Funds, error) { answered = true })
	b.runReplies(b.step(func(step stepContext) { b.state.getFunds(step, in) }))
	return func() bool { return answered }
}

func (b *fixture) runReplies(effects []effect) {
	for _, e := range effects {
		if r, ok := e.(replyFunds); ok {
			r.run(nil, nil)
		}
	}
}

// running returns the reading of funds that was requested since the last call.
func (b *fixture) running() (call callFunds, isRunning bool) {
	for _, e := range b.pendingEffects {
		if c, ok := e.(callFunds); ok {
			call, isRunning = c, true
		}
	}
	b.pendingEffects = nil
	return call, isRunning
}

// answers ends a reading of funds.
func (b *fixture) answers(call callFunds, began time.Time) {
	b.runReplies(b.step(func(step stepContext) {
		b.state.fundsRead(step, fundsDone{part: call.part, versions: call.versions, funds: Funds{ReadAt: began}})
	}))
}

func (b *fixture) connect() {
	b.step(func(step stepContext) { b.state.observe(step, observed{connected: true}) })
}

func TestCallersShareAReading(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	var callers []func() bool
	for range 100 {
		callers = append(callers, b.reads(balancesPart))
	}
	if n := count(b.pendingEffects, func(e effect) bool { _, ok := e.(callFunds); return ok }); n != 1 {
		t.Fatalf("%d readings for 100 callers, want 1", n)
	}
	call, _ := b.running()
	if call.part != balancesPart {
		t.Errorf("reading %+v, want one of the balances", call)
	}
	b.answers(call, b.now)
	for i, isAnswered := range callers {
		if !isAnswered() {
			t.Fatalf("caller %d was not answered", i)
		}
	}
}

// Funds in memory are returned while the stream reports what changes, and a short time
// without it.
func TestFundsAreReadAgainWhenTheyMayBeOutdated(t *testing.T) {
	for name, c := range map[string]struct {
		streamed bool
		change   func(*fixture)
		after    time.Duration
		part     fundsPart
		reads    bool
	}{
		"soon":                          {true, nil, fundsMax - time.Second, bothParts, false},
		"later":                         {true, nil, fundsMax, bothParts, true},
		"soon, without the stream":      {false, nil, fundsFresh - time.Millisecond, bothParts, false},
		"later, without the stream":     {false, nil, fundsFresh, bothParts, true},
		"after an order, the balances":  {true, func(b *fixture) { b.open(limitOrder("r1"), venues.StatusOpen) }, 0, balancesPart, true},
		"after an order, the positions": {true, func(b *fixture) { b.open(limitOrder("r1"), venues.StatusOpen) }, 0, positionsPart, false},
		"after a change of leverage":    {true, func(b *fixture) { b.step(func(step stepContext) { b.state.leverageChanged(step) }) }, 0, positionsPart, true},
		"after a loss of the stream":    {true, func(b *fixture) { b.step(func(step stepContext) { b.state.observe(step, observed{lost: true}) }) }, fundsFresh, positionsPart, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			if c.streamed {
				b.connect()
			}
			b.reads(bothParts)
			call, _ := b.running()
			b.answers(call, b.now)
			if c.change != nil {
				c.change(b)
			}
			b.now = b.now.Add(c.after)
			b.pendingEffects = nil
			isAnswered := b.reads(c.part)
			if _, isRunning := b.running(); isRunning != c.reads || isAnswered() == c.reads {
				t.Errorf("reading = %t, answered = %t, want a reading = %t", isRunning, isAnswered(), c.reads)
			}
		})
	}
}

// A caller gets what its own order has changed, or what was read after its call if it demands
// that: a reading that began before does not answer it.
func TestReadingFromBeforeDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *fixture)
		in     getFunds
	}{
		"an order":           {func(b *fixture) { b.open(limitOrder("r1"), venues.StatusOpen) }, getFunds{part: balancesPart}},
		"a demanded reading": {func(*fixture) {}, getFunds{part: balancesPart, mustRead: true}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, venues.Capabilities{})
			b.connect()
			before := b.reads(balancesPart)
			call, _ := b.running()
			began := b.now
			c.change(b)
			after := b.requests(c.in)
			b.answers(call, began)
			if !before() || after() {
				t.Fatalf("answered %t and %t, want only the earlier caller", before(), after())
			}
			call, isRunning := b.running()
			if !isRunning {
				t.Fatal("no second reading, want one")
			}
			b.answers(call, b.now)
			if !after() {
				t.Error("the second caller was not answered")
			}
		})
	}
}

// A reading that took long, for example behind the venue's limits, changes no balance that was
// read since it began.
func TestOlderBalancesDoNotReplaceNewerOnes(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	read := func(equity string, began time.Time) {
		b.step(func(step stepContext) {
			balance := venues.Balance{Currency: "USDT", Equity: venues.MustDecimal(equity)}
			b.state.applyFunds(step, Funds{Balances: []venues.Balance{balance}, ReadAt: began}, bothParts, b.state.fundsVersions())
		})
	}
	read("2", b.now)
	read("1", b.now.Add(-time.Minute))
	if got := b.state.funds.balances[0].Equity.String(); got != "2" || !b.state.funds.balancesRead.at.Equal(b.now) {
		t.Errorf("equity %s, read at %s; want 2, read at %s", got, b.state.funds.balancesRead.at, b.now)
	}
	read("3", b.now)
	if got := b.state.funds.balances[0].Equity.String(); got != "3" {
		t.Errorf("equity %s after another reading, want 3", got)
	}
}

// However often funds change and are read, the venue is queried at a bounded rate.
func TestReadingsForCallersAreBounded(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.connect()
	readings := 0
	for range 600 {
		b.step(func(step stepContext) { b.state.leverageChanged(step) })
		b.state.funds.plannedDue = time.Time{}
		b.reads(bothParts)
		b.pass(100 * time.Millisecond)
		if call, isRunning := b.running(); isRunning {
			readings++
			b.answers(call, b.now)
		}
	}
	if most := int(time.Minute/fundsEvery) + fundsBurst; readings > most || readings < most/2 {
		t.Errorf("%d readings in a minute, want at most %d", readings, most)
	}
}

// The P&L of the balances is that of the positions when they were read: a position that is
// reported as larger afterwards changes it with the next reading.
func TestBalancesFollowTheMarksOfTheirPositions(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.prices = map[string]string{"BTCUSDT": "100"}
	position := func(qty string) venues.Position {
		return venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal(qty)}
	}
	b.step(func(step stepContext) {
		read := Funds{Balances: []venues.Balance{{Currency: "USDT"}}, Positions: []venues.Position{position("1")}, ReadAt: b.now}
		b.state.applyFunds(step, read, bothParts, b.state.fundsVersions())
	})
	b.now = b.now.Add(time.Second)
	b.prices["BTCUSDT"] = "110"
	b.step(func(step stepContext) { b.state.positionReported(step, position("3")) })
	b.prices["BTCUSDT"] = "120"
	if got := venues.FormatDecimal(b.state.currentBalances(b.stepContext())[0].UnrealizedPnl); got != "20" {
		t.Errorf("unrealized P&L = %s, want 20, that of the position that was read", got)
	}
}

// readVenue records its readings of funds.
type readVenue struct {
	venues.Account
	reads []string
}

func (v *readVenue) Balances(context.Context) ([]venues.Balance, error) {
	v.reads = append(v.reads, "balances")
	return nil, nil
}

func (v *readVenue) Positions(context.Context) ([]venues.Position, error) {
	v.reads = append(v.reads, "positions")
	return nil, nil
}

// Balances are valued at the marks of their arrival, so that nothing may be read after them:
// it could wait for the venue's limits.
func TestBalancesAreReadLast(t *testing.T) {
	venue := &readVenue{}
	a := &account{deps: Deps{Venue: venue}}
	if _, err := a.fetchFunds(t.Context(), bothParts); err != nil {
		t.Fatal(err)
	}
	if want := []string{"positions", "balances"}; !slices.Equal(venue.reads, want) {
		t.Errorf("readings = %v, want %v", venue.reads, want)
	}
}
