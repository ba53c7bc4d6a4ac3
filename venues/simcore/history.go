package simcore

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// historyDays is how many days before the opening of a market have candles, besides
	// the day of the opening.
	historyDays = 365
	// historyDaysKept is how many of the newest days are kept once they are generated:
	// those that statistics of 24 hours read.
	historyDaysKept = 2
	dayMinutes      = int64(day / time.Minute)
	// minuteSwing divides a price to give the largest move of a generated minute, daySwing
	// that of a generated day.
	minuteSwing = 1200
	daySwing    = 32
)

// history generates the minutes of the year before a market opened. They are decided by
// the seed and the opening, and the last one closes at the price at which the market
// opened. Only the prices at the beginning of each day are stored. It is safe for
// concurrent use.
type history struct {
	// rand returns the random numbers of one purpose.
	rand func(purpose string) *rand.Rand
	// unit is the smallest quantity of a trade, in lots.
	unit int64
	// end is the minute in which the market opened, at the price closing.
	end     time.Time
	closing int64
	// opens are the prices at the beginning of the days, the newest first.
	opens []int64

	mu   sync.Mutex
	kept [historyDaysKept][]bar
}

func newHistory(rand func(purpose string) *rand.Rand, unit, ticks int64, opening time.Time) *history {
	h := &history{rand: rand, unit: unit, end: opening.UTC().Truncate(time.Minute), closing: ticks}
	rng, price := rand("days"), ticks
	h.opens = make([]int64, historyDays+1)
	for n := range h.opens {
		swing := price * h.minutesOf(n) / dayMinutes / daySwing
		price = max(1, price+rng.Int64N(2*swing+1)-swing)
		h.opens[n] = price
	}
	return h
}

// start returns the beginning of a day; day 0 is that of the opening, day 1 the one
// before.
func (h *history) start(n int) time.Time {
	return h.end.Truncate(day).Add(-time.Duration(n) * day)
}

// dayOf returns the number of the day of a time.
func (h *history) dayOf(t time.Time) int { return int(h.start(0).Sub(t.Truncate(day)) / day) }

// begin returns the start of the oldest minute.
func (h *history) begin() time.Time { return h.start(historyDays) }

// minutesOf returns the number of minutes of a day before the opening.
func (h *history) minutesOf(n int) int64 {
	if n > 0 {
		return dayMinutes
	}
	return int64(h.end.Sub(h.start(0)) / time.Minute)
}

// minutes returns the minutes of a day, oldest first. It uses buffer for those that are
// not kept. The result must not be changed.
func (h *history) minutes(n int, buffer []bar) []bar {
	if n >= historyDaysKept {
		return h.generate(n, buffer)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kept[n] == nil {
		h.kept[n] = h.generate(n, make([]bar, 0, h.minutesOf(n)))
	}
	return h.kept[n]
}

// generate replaces dst by the minutes of a day. Their prices are a random walk, tilted so
// that it ends at the price at the beginning of the next day.
func (h *history) generate(n int, dst []bar) []bar {
	dst = dst[:0]
	start, count, from, to := h.start(n), h.minutesOf(n), h.opens[n], h.closing
	if n > 0 {
		to = h.opens[n-1]
	}
	rng := h.rand(strconv.FormatInt(start.Unix(), 10))
	swing := max(2, from/minuteSwing)
	walk := make([]int64, count+1)
	for i := int64(1); i <= count; i++ {
		walk[i] = walk[i-1] + rng.Int64N(2*swing+1) - swing
	}
	price := func(i int64) int64 { return max(1, from+walk[i]+(to-from-walk[count])*i/count) }
	for i := range count {
		b := flatBar(start.Add(time.Duration(i)*time.Minute), price(i))
		b.last = price(i + 1)
		b.high = max(b.open, b.last) + rng.Int64N(swing)
		b.low = max(1, min(b.open, b.last)-rng.Int64N(swing))
		b.trades = 20 + rng.IntN(200)
		b.lots = h.unit * int64(b.trades)
		b.quote = b.lots * ((b.high + b.low) / 2)
		b.takerLots, b.takerQuote = b.lots/2, b.quote/2
		dst = append(dst, b)
	}
	return dst
}

// sum returns the minutes from a time until the opening as one bar, and false if there are
// none.
func (h *history) sum(from time.Time) (total bar, found bool) {
	var buffer []bar
	for n := min(h.dayOf(from), historyDays); n >= 0; n-- {
		buffer = h.minutes(n, buffer)
		for _, minute := range buffer {
			switch {
			case minute.start.Before(from):
			case !found:
				total, found = minute, true
			default:
				total.merge(minute)
			}
		}
	}
	return total, found
}

// bars appends the bars of an interval that begin within [from, to) and before the
// interval of the opening, newest first, until there are limit.
func (h *history) bars(dst []bar, interval Interval, from, to time.Time, limit int) []bar {
	if opening := interval.Start(h.end); opening.Before(to) {
		to = opening
	}
	if from.Before(h.begin()) {
		from = h.begin()
	}
	if !from.Before(to) || len(dst) == limit {
		return dst
	}
	// Every minute of the last interval that begins before to.
	end := interval.End(interval.Start(to.Add(-time.Nanosecond)))
	var buffer []bar
	fits := func(minute bar) bool { return len(dst) > 0 && !minute.start.Before(dst[len(dst)-1].start) }
	for n := h.dayOf(end.Add(-time.Nanosecond)); n <= historyDays; n++ {
		minutes := h.minutes(n, buffer)
		for _, minute := range slices.Backward(minutes) {
			if !minute.start.Before(end) {
				continue
			}
			if last := len(dst) - 1; fits(minute) {
				start := dst[last].start
				minute.merge(dst[last])
				minute.start = start
				dst[last] = minute
				continue
			}
			start := interval.Start(minute.start)
			if start.Before(from) || len(dst) == limit {
				return dst
			}
			minute.start = start
			dst = append(dst, minute)
		}
		if n >= historyDaysKept {
			buffer = minutes
		}
	}
	return dst
}
