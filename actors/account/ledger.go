package account

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// recentMax bounds the executions of an instrument that can still change
	// their order; older ones are counted in for good.
	recentMax = 32
	// recentSpan is how far before the first execution of an instrument others
	// may still be found and put in their place.
	recentSpan = time.Minute
	// feeDecimals bounds the digits of a fee that is split between the position
	// that an execution closed and the one that it opened.
	feeDecimals = 12
)

type holding = persistence.PositionLife

// openQty is what has entered and not left. It is negative while executions that
// entered are still to come.
func openQty(l *holding) decimal.Decimal {
	if l == nil {
		return decimal.Zero
	}
	return l.EntryQty.Add(l.UnpricedEntry).Sub(l.ExitQty).Sub(l.UnpricedExit)
}

// execution is what the accounting needs of a fill.
type execution struct {
	executionKey
	side venues.Side
	// position is the one that it belongs to in hedge mode; empty leaves it to
	// the side.
	position    venues.PositionSide
	qty, price  decimal.Decimal
	fee         venues.Optional
	feeCurrency string
	cause
	heardAt time.Time
}

// cause is what an order tells of its executions.
type cause struct {
	// reason is why a position ends that they end.
	reason  venues.CloseReason
	comment string
	// sentAt is when the order was made here; zero for those made elsewhere.
	sentAt time.Time
}

// note writes a cause into the record of an execution.
func (c cause) note(r *persistence.FillRecord) {
	r.Closes, r.Comment = "", c.comment
	if c.reason != venues.ClosedManual {
		r.Closes = c.reason
	}
}

// executionKey puts executions in the order in which they took place. Those of one
// millisecond are told apart by the numbers of their trades; an account that traded
// with itself has two of one number.
type executionKey struct {
	at time.Time
	// trade is the venue's id of the trade, a slash, and that of the order.
	trade string
}

func (k executionKey) compare(other executionKey) int {
	if byTime := k.at.Compare(other.at); byTime != 0 {
		return byTime
	}
	trade, order, _ := strings.Cut(k.trade, "/")
	otherTrade, otherOrder, _ := strings.Cut(other.trade, "/")
	return cmp.Or(compareNumbers(trade, otherTrade), compareNumbers(order, otherOrder))
}

// compareNumbers compares ids that venues count up.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func executionOf(f *venues.Fill, why cause, heardAt time.Time) execution {
	return execution{
		executionKey: executionKey{f.ExecutedAt.UTC().Truncate(time.Millisecond), f.VenueTradeID + "/" + f.VenueOrderID},
		side:         f.Side, position: f.PositionSide, qty: f.Qty, price: f.Price,
		fee: f.Fee, feeCurrency: f.FeeCurrency, cause: why, heardAt: heardAt,
	}
}

// split parts an execution in two that add up to it.
func (e execution) split(qty decimal.Decimal) (first, rest execution) {
	first, rest = e, e
	first.qty, rest.qty = qty, e.qty.Sub(qty)
	if e.fee.Valid && rest.qty.IsPositive() {
		first.fee.Decimal = e.fee.Decimal.Mul(qty).DivRound(e.qty, feeDecimals)
		rest.fee.Decimal = e.fee.Decimal.Sub(first.fee.Decimal)
	}
	return first, rest
}

// lives are the open positions of one instrument.
type lives struct{ long, short *holding }

func (v *lives) of(side venues.PositionSide) *holding {
	if side == venues.Long {
		return v.long
	}
	return v.short
}

func (v *lives) set(side venues.PositionSide, l *holding) {
	if side == venues.Long {
		v.long = l
	} else {
		v.short = l
	}
}

func (v *lives) clone() lives {
	c := lives{}
	for _, side := range positionSides() {
		if l := v.of(side); l != nil {
			copied := *l
			c.set(side, &copied)
		}
	}
	return c
}

func positionSides() [2]venues.PositionSide { return [2]venues.PositionSide{venues.Long, venues.Short} }

// openedBy is the side of the position that a side of an order opens.
func openedBy(side venues.Side) venues.PositionSide {
	if side == venues.Buy {
		return venues.Long
	}
	return venues.Short
}

// ended is a position that has become flat.
type ended struct {
	side venues.PositionSide
	life holding
	// by is the execution that ended it, an index of the book's recent ones;
	// turned says that it opened the opposite position as well.
	by     int
	turned bool
	// heardAt is when the last of its executions became known.
	heardAt time.Time
}

// apply counts an execution in. In one-way mode it reduces the opposite position
// first and opens its own with what is left: a position that turns round ends.
func (v *lives) apply(e execution) []ended {
	own := openedBy(e.side)
	if e.position != "" {
		if e.position == own {
			return v.enter(own, e)
		}
		return v.exit(e.position, e)
	}
	opposite := openedBy(e.side.Opposite())
	open := openQty(v.of(opposite))
	if !open.IsPositive() {
		return v.enter(own, e)
	}
	out, rest := e.split(decimal.Min(open, e.qty))
	list := v.exit(opposite, out)
	if !rest.qty.IsPositive() {
		return list
	}
	for i := range list {
		list[i].turned = true
	}
	return append(list, v.enter(own, rest)...)
}

func (v *lives) enter(side venues.PositionSide, e execution) []ended {
	l := v.begin(side, e)
	l.OpenCost = costWithEntry(l, e)
	l.EntryQty = l.EntryQty.Add(e.qty)
	l.EntryNotional = l.EntryNotional.Add(e.qty.Mul(e.price))
	addFee(l, e)
	return v.end(side)
}

func (v *lives) exit(side venues.PositionSide, e execution) []ended {
	l := v.begin(side, e)
	l.OpenCost = costOfPart(l, openQty(l).Sub(e.qty))
	l.ExitQty = l.ExitQty.Add(e.qty)
	l.ExitNotional = l.ExitNotional.Add(e.qty.Mul(e.price))
	l.Reason = e.reason
	addFee(l, e)
	return v.end(side)
}

// begin is the position that an execution belongs to.
func (v *lives) begin(side venues.PositionSide, e execution) *holding {
	l := v.of(side)
	if l == nil {
		l = &holding{OpenedAt: venues.At(e.at)}
		v.set(side, l)
	}
	if l.Comment == "" {
		l.Comment = e.comment
	}
	return l
}

// end takes a life out that has become flat.
func (v *lives) end(side venues.PositionSide) []ended {
	l := v.of(side)
	if !openQty(l).IsZero() {
		return nil
	}
	v.set(side, nil)
	return []ended{{side: side, life: *l}}
}

func addFee(l *holding, e execution) {
	switch {
	case !e.fee.Valid || l.FeesMixed:
	case l.FeeCurrency != "" && e.feeCurrency != l.FeeCurrency:
		l.FeesMixed, l.Fee = true, venues.Optional{}
	default:
		l.Fee, l.FeeCurrency = venues.Some(l.Fee.Decimal.Add(e.fee.Decimal)), e.feeCurrency
	}
}

// book is the accounting of one instrument. It is a function of its executions,
// whatever the order in which they became known: those after the cut are kept,
// and counted anew when one is found that comes before others.
type book struct {
	symbol string
	base   lives
	cut    executionKey
	// knownSince is when the base was taken from the venue's own list.
	knownSince time.Time
	recent     []execution

	// now is base with the recent ones; over are the positions that ended with
	// them, the oldest first.
	now  lives
	over []ended

	heardAt time.Time
	told    toldEnds
	// doubtSince is when the venue's list of positions began to disagree.
	doubtSince time.Time
	// dirty says that the record is to be stored, touched that the step has it
	// on its list.
	dirty, touched bool
	// hedged says that the newest execution named its position.
	hedged bool
}

func newBook(symbol string) *book {
	return &book{symbol: symbol, told: toldEnds{}}
}

// add counts an execution in, and gives the positions that ended before the cut
// by it. Whoever calls has seen to it that none is added twice.
func (b *book) add(e execution) []ended {
	b.heardAt, b.hedged = e.heardAt, e.position != ""
	if b.cut.at.IsZero() {
		b.cut.at, b.dirty = e.at.Add(-recentSpan), true
	}
	switch {
	case !e.at.After(b.knownSince):
		return nil // it is part of what the venue's list has told
	case e.compare(b.cut) <= 0:
		b.dirty = true
		list := b.base.apply(e)
		b.count()
		return list
	}
	i, _ := slices.BinarySearchFunc(b.recent, e, func(x, y execution) int { return x.compare(y.executionKey) })
	b.recent = slices.Insert(b.recent, i, e)
	b.count()
	return nil
}

// explain gives an execution the cause that it has after all. One that is counted
// in for good was told as it was known.
func (b *book) explain(key executionKey, why cause) {
	if i, found := slices.BinarySearchFunc(b.recent, key, func(x execution, key executionKey) int { return x.compare(key) }); found {
		b.recent[i].cause = why
		b.count()
	}
}

// count makes now and over of base and the recent ones.
func (b *book) count() {
	b.now, b.over = b.base.clone(), b.over[:0]
	var heardAt time.Time
	for i, e := range b.recent {
		if e.heardAt.After(heardAt) {
			heardAt = e.heardAt
		}
		for _, over := range b.now.apply(e) {
			over.by, over.heardAt = i, heardAt
			b.over = append(b.over, over)
		}
	}
}

// settle counts the recent executions up to one in for good.
func (b *book) settle(through int) {
	for _, e := range b.recent[:through+1] {
		b.base.apply(e)
	}
	b.cut = b.recent[through].executionKey
	b.recent = slices.Delete(b.recent, 0, through+1)
	b.dirty = true
	b.count()
}

// adjust brings a position to the quantity that the venue tells, after so many of
// the recent executions, where others in between are not to be had. It gives the
// positions that have ended by then.
func (b *book) adjust(through int, side venues.PositionSide, qty decimal.Decimal, entryPrice venues.Optional, at time.Time) []ended {
	var list []ended
	for _, over := range b.over {
		if over.by < through {
			list = append(list, over)
		}
	}
	if through > 0 {
		b.settle(through - 1)
	}
	if len(b.recent) > 0 && !at.Before(b.recent[0].at) {
		at = b.recent[0].at.Add(-time.Millisecond)
	}
	b.knownSince, b.dirty = at, true
	l := b.base.of(side)
	missing := qty.Sub(openQty(l))
	if missing.IsZero() {
		return list
	}
	if l == nil {
		l = &holding{}
		b.base.set(side, l)
	}
	if l.OpenCost = costOfPart(l, qty); entryPrice.Valid {
		l.OpenCost = qty.Mul(entryPrice.Decimal)
	}
	switch {
	case missing.IsNegative():
		l.UnpricedExit = l.UnpricedExit.Sub(missing)
	case entryPrice.Valid:
		l.EntryQty = l.EntryQty.Add(missing)
		l.EntryNotional = l.EntryNotional.Add(missing.Mul(entryPrice.Decimal))
	default:
		l.UnpricedEntry = l.UnpricedEntry.Add(missing)
	}
	list = append(list, b.base.end(side)...)
	b.count()
	return list
}

// restore takes a stored record and the executions after its cut.
func (b *book) restore(r persistence.PositionRecord, executions []execution) {
	b.base = lives{r.Long, r.Short}
	b.cut = executionKey{r.CutAt.Time, r.CutTrade}
	b.knownSince = r.KnownSince.Time
	for _, e := range executions {
		if e.compare(b.cut) > 0 {
			b.add(e)
		}
	}
	b.count()
	b.dirty = false
}

func (b *book) record(customer string, exchange venues.Venue) persistence.PositionRecord {
	stored := b.base.clone()
	return persistence.PositionRecord{
		Customer: customer, Exchange: exchange, Symbol: b.symbol, Long: stored.long, Short: stored.short,
		CutAt: venues.At(b.cut.at), CutTrade: b.cut.trade, KnownSince: venues.At(b.knownSince),
	}
}

// pnl is what a position that has ended brought, without fees. It is unknown if
// any of its executions was never told.
func pnl(side venues.PositionSide, l *holding) venues.Optional {
	if l.UnpricedEntry.IsPositive() || l.UnpricedExit.IsPositive() {
		return venues.Optional{}
	}
	gain := l.ExitNotional.Sub(l.EntryNotional)
	if side == venues.Short {
		gain = gain.Neg()
	}
	return venues.Some(gain)
}
