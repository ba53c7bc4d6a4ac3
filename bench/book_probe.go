package bench

import (
	"bytes"
	"cmp"
	"slices"

	"venuegate/venues"
)

// probeSteps is how far a probe walks from the best level before it halves.
const probeSteps = 32

// probeBook is the limit of the book scenarios: it treats every pair of numbers after
// the names of the two sides as a level, and keeps sorted slices. It checks nothing.
type probeBook struct {
	form  probeForm
	sides [2]probeSide
}

// probeForm describes a venue's messages: the two sides in the order of the message.
type probeForm struct {
	sides [2]probeSideForm
	scale venues.Scale
}

type probeSideForm struct {
	opening string // the text before the first level
	sign    int64  // +1 for bids, -1 for asks
}

// probeSide is sorted with the best level last, by sign times price.
type probeSide []venues.Level

// newProbeBook returns a book with the levels of a snapshot.
func newProbeBook(form probeForm, u *venues.BookUpdate) *probeBook {
	b := &probeBook{form: form}
	for i, side := range form.sides {
		levels := u.Bids
		if side.sign < 0 {
			levels = u.Asks
		}
		for _, level := range levels {
			b.sides[i].set(venues.Level{Price: side.sign * level.Price, Qty: level.Qty})
		}
	}
	return b
}

// best returns the best level of a side.
func (b *probeBook) best(sign int64) venues.Level {
	for i, side := range b.form.sides {
		if levels := b.sides[i]; side.sign == sign && len(levels) > 0 {
			last := levels[len(levels)-1]
			return venues.Level{Price: sign * last.Price, Qty: last.Qty}
		}
	}
	return venues.Level{}
}

func (b *probeBook) apply(message []byte) {
	at := 0
	for i := range b.form.sides {
		side := &b.form.sides[i]
		at += bytes.Index(message[at:], []byte(side.opening)) + len(side.opening)
		at = b.sides[i].scan(message, at, side.sign, b.form.scale)
	}
}

// scan reads `["price","qty",...],...]` and returns where the list ended.
func (s *probeSide) scan(message []byte, at int, sign int64, scale venues.Scale) int {
	for message[at] != ']' {
		if message[at] == ',' {
			at++
		}
		price, next := probeNumber(message, at+2, scale.PriceDecimals)
		qty, end := probeNumber(message, next+3, scale.QtyDecimals)
		s.set(venues.Level{Price: sign * price, Qty: qty})
		for at = end + 1; message[at] != ']'; {
			at++
		}
		at++
	}
	return at
}

// probeNumber reads digits with a point and keeps the decimals wanted.
func probeNumber(message []byte, at, decimals int) (n int64, end int) {
	for ; message[at] >= '0'; at++ {
		n = n*10 + int64(message[at]-'0')
	}
	if message[at] == '.' {
		for at++; message[at] != '"'; at++ {
			if decimals > 0 {
				n = n*10 + int64(message[at]-'0')
				decimals--
			}
		}
	}
	for ; decimals > 0; decimals-- {
		n *= 10
	}
	return n, at
}

// set looks at the best levels one after the other, where most changes are, and
// halves from there.
func (s *probeSide) set(level venues.Level) {
	list := *s
	at := len(list)
	for at > 0 && list[at-1].Price > level.Price {
		if at--; len(list)-at == probeSteps {
			at, _ = slices.BinarySearchFunc(list[:at], level.Price+1, func(l venues.Level, price int64) int { return cmp.Compare(l.Price, price) })
			break
		}
	}
	exists := at > 0 && list[at-1].Price == level.Price
	switch {
	case exists && level.Qty == 0:
		*s = slices.Delete(list, at-1, at)
	case exists:
		list[at-1].Qty = level.Qty
	case level.Qty > 0:
		*s = slices.Insert(list, at, level)
	}
}
