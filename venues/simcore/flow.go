package simcore

import (
	"math/rand/v2"
	"time"

	"github.com/shopspring/decimal"
)

// The pace and shape of the simulated market.
const (
	flowStep = 100 * time.Millisecond
	// flowStepsMax bounds how many steps are made up for after a pause.
	flowStepsMax = 4
	// milli is how finely the fair price moves within a tick.
	milli = 1000
	// flowLevelSlack is how many levels more than wanted may gather.
	flowLevelSlack = 40
	// flowNear is how many levels from the best the flow keeps busy.
	flowNear = 12
	// flowMarkSteps is how many steps lie between two mark prices.
	flowMarkSteps = 10
	// flowReversion pulls the fair price back to where it was put.
	flowReversion = 50_000
	// flowTradeOdds is one in how many steps a taker comes.
	flowTradeOdds = 5
)

// levelValue is the typical value of a level of the house.
var levelValue = decimal.NewFromInt(20_000)

// houseMaker keeps one book alive. Prices are in thousandths of a tick.
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
}

func (x *Exchange) openMarket(s *symbol) {
	start, _ := s.prices.count(s.StartPrice)
	unit := s.sizes.floor(levelValue.Div(s.notional(s.StartPrice, 1)).Mul(s.sizes.value(1)))
	s.maker = &houseMaker{
		rng:     rand.New(rand.NewPCG(x.options.Seed, hash64("flow "+s.Canonical))),
		fair:    start * milli,
		anchor:  start * milli,
		mark:    start * milli,
		swing:   max(1, start*milli/66_000),
		spacing: max(1, start*4/1000/int64(x.options.BookDepth)),
		unit:    max(1, unit),
		depth:   x.options.BookDepth,
	}
	s.lastTicks = start
	s.candles.invent(s, s.maker.rng, x.clock.Now())
	x.setMark(s, s.StartPrice, s.StartPrice)
	x.layLadder(s, start-1, start+1)
}

// runFlow makes the steps that are due by the base clock.
func (x *Exchange) runFlow(base time.Time) {
	steps := int(base.Sub(x.lastStep) / flowStep)
	if steps <= 0 {
		return
	}
	x.lastStep = base
	if x.options.Quiet {
		return
	}
	for range min(steps, flowStepsMax) {
		for _, name := range x.names {
			if s := x.symbols[name]; !s.halted && !s.maker.paused {
				x.step(s)
			}
		}
	}
}

// step moves one market by one step.
func (x *Exchange) step(s *symbol) {
	m := s.maker
	m.walk()
	if m.depth == 0 {
		return
	}
	fair := m.fair / milli
	x.sweep(s, Buy, fair)
	x.sweep(s, Sell, fair+1)
	x.setHouse(s, Buy, fair, m.size())
	x.setHouse(s, Sell, fair+1, m.size())
	x.stir(s, Buy)
	x.stir(s, Sell)
	if m.rng.IntN(flowTradeOdds) == 0 {
		x.houseTakes(s)
	}
	x.fitLadder(s, Buy)
	x.fitLadder(s, Sell)
	m.steps++
	if m.steps%flowMarkSteps == 0 {
		x.stepMark(s)
	}
}

func (m *houseMaker) walk() {
	m.fair += m.rng.Int64N(2*m.swing+1) - m.swing - (m.fair-m.anchor)/flowReversion
	m.fair = max(m.fair, 2*milli)
}

// size is a random quantity for a level.
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

// sweep takes whatever stands at the limit or better on the other side.
func (x *Exchange) sweep(s *symbol, side Side, limit int64) {
	if lots := s.book.of(side.Opposite()).lotsWithin(limit); lots > 0 {
		x.take(s, &taker{side: side, lots: lots, limit: limit, limited: true})
	}
}

func (x *Exchange) setHouse(s *symbol, side Side, ticks, lots int64) {
	if ticks < 1 {
		return
	}
	s.book.of(side).findOrAdd(ticks).setHouse(lots)
	x.noteLevel(s, side, ticks)
}

// stir gives a few levels near the best a new quantity.
func (x *Exchange) stir(s *symbol, side Side) {
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

// houseTakes prints a trade: a taker hits the best few levels.
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

// fitLadder keeps the number of house levels within what is wanted.
func (x *Exchange) fitLadder(s *symbol, side Side) {
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

// houseExtent counts the levels with house liquidity and finds the worst.
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

// layLadder puts fresh levels away from the two best prices.
func (x *Exchange) layLadder(s *symbol, bid, ask int64) {
	m := s.maker
	for i := int64(0); i < int64(m.depth); i++ {
		x.setHouse(s, Buy, bid-i*m.spacing, m.size())
		x.setHouse(s, Sell, ask+i*m.spacing, m.size())
	}
}

// clearHouse takes all liquidity of the house out of a book.
func (x *Exchange) clearHouse(s *symbol) {
	for _, side := range []Side{Buy, Sell} {
		half := s.book.of(side)
		for i := len(half.levels) - 1; i >= 0; i-- {
			if l := half.levels[i]; l.houseLots() > 0 {
				x.setHouse(s, side, l.ticks, 0)
			}
		}
	}
}
