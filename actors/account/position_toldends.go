package account

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

const (
	// endFillsMax is how long the end of a position that the venue has told waits
	// for the executions that made it. Then it is told without their prices.
	endFillsMax = 10 * time.Second
	// endSkewMax is how far the venue's clock may be ahead: what took place by then
	// is part of the end.
	endSkewMax = time.Second
	// toldEndsMax bounds the ends of one position that wait for executions.
	toldEndsMax = 8
)

// toldEnd is the end of a position as the venue has told it.
type toldEnd struct {
	position venues.Position
	at, due  time.Time
	// compareDue is when the account is compared with its venue if the end still
	// waits; zero if it has been.
	compareDue time.Time
	// listed is the most that the venue has told of it; zero if isKnown.
	listed decimal.Decimal
	// isKnown says that the executions knew of nothing open then: they have shown
	// the end before, or know nothing of the position.
	isKnown bool
}

// isBefore says whether an execution belongs to what was opened after the end: it
// took place, and became known, when the end was told. That of an order which was
// sent since then is one, whatever the venue's clock says.
func (t *toldEnd) isBefore(e *execution) bool {
	return e.heardAt.After(t.at) && (e.sentAt.After(t.at) || e.at.After(t.at.Add(endSkewMax)))
}

// toldEnds are the ends that the venue has told and that no executions show yet,
// the oldest of each side first.
type toldEnds map[venues.PositionSide][]toldEnd

func (t toldEnds) first(side venues.PositionSide) (toldEnd, bool) { return t.nth(side, 0) }

func (t toldEnds) nth(side venues.PositionSide, n int) (toldEnd, bool) {
	if n >= len(t[side]) {
		return toldEnd{}, false
	}
	return t[side][n], true
}

func (t toldEnds) add(side venues.PositionSide, end toldEnd) { t[side] = append(t[side], end) }

func (t toldEnds) drop(side venues.PositionSide) {
	if t[side] = slices.Delete(t[side], 0, 1); len(t[side]) == 0 {
		delete(t, side)
	}
}

func (t toldEnds) due() time.Time {
	var due time.Time
	for _, ends := range t {
		for i := range ends {
			due = earlier(due, earlier(ends[i].due, ends[i].compareDue))
		}
	}
	return due
}

// compare says, once for each end, whether one waits for a comparison.
func (t toldEnds) compare(now time.Time) bool {
	isWanted := false
	for _, ends := range t {
		for i := range ends {
			if isDue(ends[i].compareDue, now) {
				isWanted, ends[i].compareDue = true, time.Time{}
			}
		}
	}
	return isWanted
}

// endUntold tells the ends whose executions have not come in time.
func (s *state) endUntold(m moment, b *book) {
	for _, side := range positionSides() {
		for {
			end, waiting := b.told.first(side)
			if !waiting || (!isDue(end.due, m.now) && len(b.told[side]) <= toldEndsMax) {
				break
			}
			s.endWithoutFills(m, b, side, &end)
		}
	}
}

// endWithoutFills settles an end by the venue's word. What was opened after it is
// another position.
func (s *state) endWithoutFills(m moment, b *book, side venues.PositionSide, end *toldEnd) {
	through := b.through(end)
	before := b.after(through)
	if end.isKnown || openQty(before.of(side)).IsZero() || s.isListedAgain(b, side, end, through) {
		// Nothing is known of what was opened either, or it was an older one that
		// ended. When the executions are found, they tell the end.
		b.told.drop(side)
		if _, listed := s.funds.positions[end.position.Key()]; !listed {
			end.position.Reason = s.closeReason(m, b, side, end.position.OpenedAt.Time)
			s.after(publishPosition{end.position})
		}
		return
	}
	for _, over := range b.adjust(through, side, decimal.Zero, venues.Optional{}, end.at.Add(endSkewMax)) {
		s.positionClosed(m, b, over)
	}
}

// isFlat says whether the executions show nothing of a side, nor an end of it that
// waits to be told.
func (b *book) isFlat(side venues.PositionSide) bool {
	return openQty(b.now.of(side)).IsZero() && !slices.ContainsFunc(b.over, func(over ended) bool { return over.side == side })
}

// isListedAgain says whether the venue lists the position as the executions have
// it, which know of nothing since the end.
func (s *state) isListedAgain(b *book, side venues.PositionSide, end *toldEnd, through int) bool {
	key := end.position.Key()
	p, listed := s.funds.positions[key]
	return listed && s.funds.asOf[key].After(end.at) && through == len(b.recent) && p.Qty.Equal(openQty(b.now.of(side)))
}

// through is how many of the recent executions are not of what was opened after
// an end.
func (b *book) through(end *toldEnd) int {
	if i := slices.IndexFunc(b.recent, func(e execution) bool { return end.isBefore(&e) }); i >= 0 {
		return i
	}
	return len(b.recent)
}

// after are the positions after so many of the recent executions.
func (b *book) after(n int) lives {
	v := b.base.clone()
	for _, e := range b.recent[:n] {
		v.apply(e)
	}
	return v
}
