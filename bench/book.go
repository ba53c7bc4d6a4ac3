package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"venuegate/actors/book"
	"venuegate/venues"
	"venuegate/venues/binance"
)

const (
	// bookMessages is how many messages of a synthetic minute are replayed,
	// bookLevels the depth of the book, bookChanges the changes of a message.
	bookMessages = 5000
	bookLevels   = 1000
	bookChanges  = 19
	bookMid      = 1_000_000 // in ticks
	bookSeed     = 1
)

var bookScenario = Scenario{
	Name: "book",
	Does: "raw Binance bytes to an updated book with its sequence checked, against a hand scanner that checks nothing",
	Run:  measureBook,
}

var bookInstrument = venues.Instrument{
	Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT",
	TickSize: venues.MustDecimal("0.1"), QtyStep: venues.MustDecimal("0.001"),
}

func measureBook(_ context.Context, o Options) ([]Figure, error) {
	messages := depthMessages()
	var ours, limit, allocs []float64
	for range o.Rounds {
		begun := time.Now()
		probe := newScanBook()
		for _, m := range messages {
			probe.apply(m)
		}
		limit = append(limit, perSecond(len(messages), begun))

		mirror := newMirror()
		reader := binance.NewDepthReader(&bookInstrument)
		var before, after runtime.MemStats
		now := time.Now()
		runtime.ReadMemStats(&before)
		begun = time.Now()
		for _, m := range messages {
			u, err := reader.Read(m, now)
			if err != nil {
				return nil, err
			}
			mirror.Update(u)
		}
		ours = append(ours, perSecond(len(messages), begun))
		runtime.ReadMemStats(&after)
		allocs = append(allocs, float64(after.Mallocs-before.Mallocs)/float64(len(messages)))
		if err := agree(mirror, probe); err != nil {
			return nil, err
		}
	}
	return []Figure{
		{Name: fmt.Sprintf("%d changes a message, %d levels a side", bookChanges, bookLevels), Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: "messages/s", HigherIsBetter: true, Goal: ">= 0.70"},
		{Name: "allocations", Ours: spreadOf(allocs), Unit: "a message", Goal: "0"},
	}, nil
}

func perSecond(n int, begun time.Time) float64 { return float64(n) / time.Since(begun).Seconds() }

// agree proves that both have done the same work.
func agree(mirror *book.Mirror, probe *scanBook) error {
	bid, ask := mirror.Best()
	if !mirror.Live() || bid != probe.bids.best(1) || ask != probe.asks.best(-1) {
		return errors.New("the book and the probe differ")
	}
	return nil
}

// depthMessages is a synthetic minute in the venue's form: changes crowd around
// the best price.
func depthMessages() [][]byte {
	random := rand.New(rand.NewPCG(bookSeed, bookSeed))
	messages := make([][]byte, bookMessages)
	for n := range messages {
		m := fmt.Appendf(nil, `{"e":"depthUpdate","E":1723161256501,"T":1723161256493,"s":"BTCUSDT","U":%d,"u":%d,"pu":%d`, 100*n+2, 100*n+101, 100*n+1)
		for _, side := range []struct {
			name string
			sign int
		}{{"b", -1}, {"a", 1}} {
			m = append(m, `,"`+side.name+`":[`...)
			for i := range bookChanges / 2 {
				if i > 0 {
					m = append(m, ',')
				}
				away := 1 + min(int(random.ExpFloat64()*15), bookLevels-1)
				price := bookMid + side.sign*away
				qty := random.IntN(4) * random.IntN(5000)
				m = fmt.Appendf(m, `["%d.%d0","%d.%03d"]`, price/10, price%10, qty/1000, qty%1000)
			}
			m = append(m, ']')
		}
		messages[n] = append(m, '}')
	}
	return messages
}

func newMirror() *book.Mirror {
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot, u.LastSeq = "BTCUSDT", true, 1
	for i := range int64(bookLevels) {
		u.Bids = append(u.Bids, venues.Level{Price: bookMid - 1 - i, Qty: 1})
		u.Asks = append(u.Asks, venues.Level{Price: bookMid + 1 + i, Qty: 1})
	}
	m := book.NewMirror()
	m.Update(u)
	return m
}

// scanBook is the probe: it takes every pair of numbers for a level of the side
// whose list it stands in, and keeps sorted slices. It checks nothing.
type scanBook struct{ bids, asks scanSide }

// scanSide is sorted with the best level last, by sign times price.
type scanSide []venues.Level

func newScanBook() *scanBook {
	b := &scanBook{}
	for i := range int64(bookLevels) {
		b.bids = append(b.bids, venues.Level{Price: bookMid - bookLevels + i, Qty: 1})
		b.asks = append(b.asks, venues.Level{Price: -(bookMid + bookLevels - i), Qty: 1})
	}
	return b
}

func (s scanSide) best(sign int64) venues.Level {
	last := s[len(s)-1]
	return venues.Level{Price: sign * last.Price, Qty: last.Qty}
}

func (b *scanBook) apply(message []byte) {
	at := bytes.Index(message, []byte(`"b":[`)) + 5
	at = b.bids.scan(message, at, 1)
	at += bytes.Index(message[at:], []byte(`"a":[`)) + 5
	b.asks.scan(message, at, -1)
}

// scan reads `["price","qty"],...]` and returns where the list ended.
func (s *scanSide) scan(message []byte, at int, sign int64) int {
	for message[at] != ']' {
		if message[at] == ',' {
			at++
		}
		price, next := number(message, at+2, 1)
		qty, end := number(message, next+3, 3)
		s.set(venues.Level{Price: sign * price, Qty: qty})
		at = end + 2
	}
	return at
}

// number reads digits with a point and keeps the decimals wanted.
func number(message []byte, at, decimals int) (n int64, end int) {
	left := -1
	for ; message[at] != '"'; at++ {
		switch {
		case message[at] == '.':
			left = decimals
		case left != 0:
			n = n*10 + int64(message[at]-'0')
			left--
		}
	}
	return n, at
}

func (s *scanSide) set(level venues.Level) {
	list := *s
	at := len(list)
	for at > 0 && list[at-1].Price > level.Price {
		at--
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
