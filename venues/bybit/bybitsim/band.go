package bybitsim

import (
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// The band of limit prices follows the mark price, the index and the premium, which
// is the average distance of the mid price from the mark price.
const (
	premiumPace    = time.Second
	premiumSamples = 30
)

// premiums are the newest samples of each symbol, oldest first.
type premiums struct {
	mu      sync.Mutex
	paces   simnet.Schedule
	samples map[string][]decimal.Decimal
}

// sample takes the premium of all books when it is due. Books without two sides are
// skipped.
func (p *premiums) sample(x *simcore.Exchange, symbols []string, base time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.paces.Due(premiumPace, base) {
		return
	}
	for _, symbol := range symbols {
		book, listed := x.Book(symbol, 1)
		mark, _ := x.Mark(symbol)
		if !listed || len(book.Bids) == 0 || len(book.Asks) == 0 {
			continue
		}
		middle := book.Bids[0].Price.Add(book.Asks[0].Price).Div(two)
		list := append(p.samples[symbol], middle.Sub(mark.Mark))
		p.samples[symbol] = list[max(0, len(list)-premiumSamples):]
	}
}

var two = decimal.NewFromInt(2)

// average returns zero where there is no sample.
func (p *premiums) average(symbol string) decimal.Decimal {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.samples[symbol]
	if len(list) == 0 {
		return zero
	}
	return decimal.Avg(list[0], list[1:]...)
}

// band returns the range of limit prices: buys up to high, sells down to low. It is X of
// the mark price, more towards the index and the premium, and never more than Y.
func (s *Sim) band(l *listing) (low, high decimal.Decimal) {
	mark, _ := s.Exchange().Mark(l.Symbol)
	premium := s.premiums.average(l.Symbol)
	near, far := dec(l.limitX), dec(l.limitY)
	at := func(width decimal.Decimal) decimal.Decimal { return mark.Mark.Mul(one.Add(width)) }
	high = decimal.Min(at(far), decimal.Max(mark.Index, at(near).Add(decimal.Max(zero, premium))))
	low = decimal.Max(at(far.Neg()), decimal.Min(mark.Index, at(near.Neg()).Add(decimal.Min(zero, premium))))
	return l.roundTo(low, true), l.roundTo(high, false)
}

// priceInBand moves a limit price to the edge of the band, or rejects it where the
// account has chosen that.
func (s *Sim) priceInBand(account string, l *listing, side simcore.Side, price decimal.Decimal) (decimal.Decimal, *apiError) {
	low, high := s.band(l)
	inside := price
	if side == simcore.Buy && price.GreaterThan(high) {
		inside = high
	}
	if side == simcore.Sell && price.LessThan(low) {
		inside = low
	}
	if !inside.Equal(price) && s.rejectsFarPrices(account) {
		return price, errPriceRange
	}
	return inside, nil
}
