package simcore

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// The pace and shape of the simulated market.
const (
	// flowBehindMax bounds how much missed time is made up for after a pause.
	flowBehindMax = 400 * time.Millisecond
	// milli is the number of units of the fair price in a tick.
	milli = 1000
	// flowLevelSlack is how many levels beyond the depth may accumulate.
	flowLevelSlack = 40
	// flowNear is how many levels from the best one are refreshed.
	flowNear = 12
	// flowMarkSteps is the number of steps between two mark prices.
	flowMarkSteps = 10
	// flowReversion is the divisor of the pull of the fair price back to its anchor.
	flowReversion = 50_000
	// flowTradeOdds is the mean number of steps between two trades.
	flowTradeOdds = 5
)

// levelValue is the typical value of a level of the house.
var levelValue = decimal.NewFromInt(20_000)

// houseMaker is the market maker of one book. Its prices are in thousandths of a
// tick.
type houseMaker struct {
	rng     *rand.Rand
	fair    int64
	anchor  int64
	mark    int64
	swing   int64
	spacing int64
	unit    int64
	depth   int
	steps   int
	paused  bool
	// pending is the part of a trade that is due, in units of a trade per second times a
	// nanosecond.
	pending int64
}

func (x *Exchange) openMarket(s *symbol) {
	start, _ := s.prices.count(s.StartPrice)
	unit := s.sizes.floor(levelValue.Div(s.notional(s.StartPrice, 1)).Mul(s.sizes.value(1)))
	s.maker = &houseMaker{
		rng:     x.newRand("flow " + s.Canonical),
		fair:    start * milli,
		anchor:  start * milli,
		mark:    start * milli,
		swing:   max(1, start*milli/66_000),
		spacing: max(1, start*4/1000/int64(x.options.BookDepth)),
		unit:    max(1, unit),
		depth:   x.options.BookDepth,
	}
	s.lastTicks = start
	now := x.clock.Now()
	s.candles = newCandles(x.newPast(s, start, now), start, now)
	x.setMark(s, s.StartPrice, s.StartPrice)
	x.placeLadder(s, start-1, start+1)
}

// newRand returns the random numbers of one purpose. They are decided by the seed.
func (x *Exchange) newRand(purpose string) *rand.Rand {
	return rand.New(rand.NewPCG(x.options.Seed, hash64(purpose)))
}

// runFlow runs the steps that are due by the base clock.
func (x *Exchange) runFlow(base time.Time) {
	step := x.options.FlowStep
	steps := base.Sub(x.lastStep) / step
	if steps <= 0 {
		return
	}
	x.lastStep = x.lastStep.Add(steps * step)
	if x.options.Quiet {
		return
	}
	for range min(steps, max(1, flowBehindMax/step)) {
		for _, name := range x.names {
			if s := x.symbols[name]; !s.halted && !s.maker.paused {
				x.step(s)
			}
		}
	}
}

// step advances one market by one step.
func (x *Exchange) step(s *symbol) {
	m := s.maker
	m.walk()
	if m.depth == 0 {
		return
	}
	fair := m.fair / milli
	if x.options.TradesPerSecond > 0 {
		x.withdraw(s, Sell, fair)
		x.withdraw(s, Buy, fair+1)
	}
	x.sweep(s, Buy, fair)
	x.sweep(s, Sell, fair+1)
	x.setHouse(s, Buy, fair, m.size())
	x.setHouse(s, Sell, fair+1, m.size())
	x.refreshNear(s, Buy)
	x.refreshNear(s, Sell)
	if x.options.TradesPerSecond > 0 {
		x.houseTrades(s)
	} else if m.rng.IntN(flowTradeOdds) == 0 {
		x.houseTakes(s)
	}
	x.resizeLadder(s, Buy)
	x.resizeLadder(s, Sell)
	m.steps++
	if m.steps%flowMarkSteps == 0 {
		x.stepMark(s)
	}
}

func (m *houseMaker) walk() {
	m.fair += m.rng.Int64N(2*m.swing+1) - m.swing - (m.fair-m.anchor)/flowReversion
	m.fair = max(m.fair, 2*milli)
}

// size returns a random quantity for a level.
func (m *houseMaker) size() int64 {
	return max(1, m.unit*(1+m.rng.Int64N(40))/16)
}

func (x *Exchange) stepMark(s *symbol) {
	m := s.maker
	m.mark += (m.fair - m.mark) / 4
	basis := m.rng.Int64N(max(1, m.mark/10_000)) - m.mark/20_000
	x.setMark(s, s.milliPrice(m.mark), s.milliPrice(m.mark+basis))
}

func (s *symbol) milliPrice(n int64) decimal.Decimal {
	return decimal.New(n*s.prices.unit, s.prices.exp-3)
}

// sweep takes everything that rests at the limit or better on the other side.
func (x *Exchange) sweep(s *symbol, side Side, limit int64) {
	if lots := s.book.of(side.Opposite()).lotsWithin(limit); lots > 0 {
		x.take(s, &taker{side: side, lots: lots, limit: limit, limited: true})
	}
}

// withdraw removes the levels of the house at the limit or better, so that sweep takes
// nothing but orders.
func (x *Exchange) withdraw(s *symbol, side Side, limit int64) {
	half := s.book.of(side)
	for _, l := range slices.Backward(half.levels) {
		if half.better(limit, l.ticks) {
			return
		}
		if l.houseLots() > 0 {
			x.setHouse(s, side, l.ticks, 0)
		}
	}
}

func (x *Exchange) setHouse(s *symbol, side Side, ticks, lots int64) {
	if ticks < 1 {
		return
	}
	s.book.of(side).findOrAdd(ticks).setHouse(lots)
	x.noteLevel(s, side, ticks)
}

// refreshNear sets new quantities at one or two levels near the best.
func (x *Exchange) refreshNear(s *symbol, side Side) {
	m, half := s.maker, s.book.of(side)
	for range 1 + m.rng.IntN(2) {
		near := min(flowNear, len(half.levels))
		if near == 0 {
			return
		}
		l := half.levels[len(half.levels)-1-m.rng.IntN(near)]
		x.setHouse(s, side, l.ticks, m.size())
	}
}

// houseTakes takes from the best few levels of a random side.
func (x *Exchange) houseTakes(s *symbol) {
	side := Buy
	if s.maker.rng.IntN(2) == 0 {
		side = Sell
	}
	best := s.book.of(side.Opposite()).best()
	if best == nil {
		return
	}
	lots := max(1, s.maker.size()/4)
	limit := best.ticks + int64(side)*s.maker.spacing*2
	x.take(s, &taker{side: side, lots: lots, limit: limit, limited: true})
}

// houseTrades makes the trades of a step. Each takes a part of the best level of a random
// side, so small that all of a step together take about as much as houseTakes.
func (x *Exchange) houseTrades(s *symbol) {
	m := s.maker
	m.pending += int64(x.options.TradesPerSecond) * int64(x.options.FlowStep)
	trades := m.pending / int64(time.Second)
	m.pending %= int64(time.Second)
	for range trades {
		side := Buy
		if m.rng.IntN(2) == 0 {
			side = Sell
		}
		best := s.book.of(side.Opposite()).best()
		if best == nil {
			return
		}
		lots := min(best.lots, max(1, m.size()/(4*trades)))
		x.take(s, &taker{side: side, lots: lots, limit: best.ticks, limited: true})
	}
}

// resizeLadder adds and removes levels of the house to keep their number near the
// depth.
func (x *Exchange) resizeLadder(s *symbol, side Side) {
	m, half := s.maker, s.book.of(side)
	count, worst := houseExtent(half)
	for ; count > m.depth+flowLevelSlack; count-- {
		x.setHouse(s, side, worst, 0)
		_, worst = houseExtent(half)
	}
	for ; count < m.depth; count++ {
		worst -= int64(side) * m.spacing
		if worst < 1 {
			return
		}
		x.setHouse(s, side, worst, m.size())
	}
}

// houseExtent returns the number of levels with liquidity of the house and the worst
// of their prices.
func houseExtent(half *bookSide) (count int, worst int64) {
	for _, l := range half.levels {
		if l.houseLots() == 0 {
			continue
		}
		if count == 0 {
			worst = l.ticks
		}
		count++
	}
	return count, worst
}

// placeLadder places levels of the house behind the two best prices. The outermost come
// first, because a level is added cheaply if it is the best.
func (x *Exchange) placeLadder(s *symbol, bid, ask int64) {
	m := s.maker
	sizes := make([]int64, 2*m.depth)
	for i := range sizes {
		sizes[i] = m.size()
	}
	for i := m.depth - 1; i >= 0; i-- {
		x.setHouse(s, Buy, bid-int64(i)*m.spacing, sizes[2*i])
		x.setHouse(s, Sell, ask+int64(i)*m.spacing, sizes[2*i+1])
	}
}

// clearHouse removes all liquidity of the house from a book.
func (x *Exchange) clearHouse(s *symbol) {
	x.dropHouse(s, Buy, nil)
	x.dropHouse(s, Sell, nil)
}
