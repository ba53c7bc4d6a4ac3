package restclient

import "time"

// budgetSlots is into how many parts a budget's window is cut. Room returns one
// part later than it strictly could.
const budgetSlots = 12

// Budget is one allowance of a venue: at most limit units in any span of window.
// Venues count in fixed or in sliding spans; what holds in any span holds in
// theirs. Budgets belong to one Ledger.
type Budget struct {
	name   string
	limit  int
	window time.Duration
	// slots is a ring of the newest parts of time, with what was used in each.
	slots          [budgetSlots + 1]slot
	exhaustedUntil time.Time
}

type slot struct {
	index int64
	units int
}

// NewBudget makes an unused budget.
func NewBudget(name string, limit int, window time.Duration) *Budget {
	return &Budget{name: name, limit: limit, window: window}
}

func (b *Budget) slotLength() int64 { return int64(b.window) / budgetSlots }

func (b *Budget) slotAt(now time.Time) int64 { return now.UnixNano() / b.slotLength() }

// used counts the units of the window that ends now. The oldest part counts
// whole although some of it may lie outside.
func (b *Budget) used(now time.Time) int {
	newest, sum := b.slotAt(now), 0
	for _, s := range b.slots {
		if s.index >= newest-budgetSlots && s.index <= newest {
			sum += s.units
		}
	}
	return sum
}

func (b *Budget) add(now time.Time, units int) {
	index := b.slotAt(now)
	s := &b.slots[index%int64(len(b.slots))]
	if s.index != index {
		*s = slot{index: index}
	}
	s.units += units
}

// freeAt is when units fit under allowed: now if at once, at the end of the window
// if they never do.
func (b *Budget) freeAt(now time.Time, units, allowed int) time.Time {
	if now.Before(b.exhaustedUntil) {
		return b.exhaustedUntil
	}
	excess := b.used(now) + units - allowed
	if excess <= 0 {
		return now
	}
	newest := b.slotAt(now)
	index := newest - budgetSlots
	for ; index < newest; index++ {
		if s := b.slots[index%int64(len(b.slots))]; s.index == index {
			excess -= s.units
		}
		if excess <= 0 {
			break
		}
	}
	return time.Unix(0, (index+budgetSlots+1)*b.slotLength())
}

// Cost is what a request takes from one budget.
type Cost struct {
	Budget *Budget
	Units  int
}

// Ledger decides who may send. It is a pure machine: time comes in as a value,
// and it is not safe for concurrent use (see Gate).
type Ledger struct {
	frozenUntil time.Time
}

// Verdict on a request: Admitted, or not before RetryAt.
type Verdict struct {
	Admitted bool
	// Frozen says that the venue itself told us to be silent.
	Frozen  bool
	RetryAt time.Time
	// Budget names what ran short.
	Budget string
	short  *Budget
}

// Admit takes the costs if all of them fit beside those ahead, which are taken
// by others, else none. Units that never fit are let through alone, once the
// budget is unused. Cancels are refused by nothing but a freeze.
func (l *Ledger) Admit(now time.Time, lane Lane, costs, ahead []Cost) Verdict {
	if now.Before(l.frozenUntil) {
		return Verdict{Frozen: true, RetryAt: l.frozenUntil}
	}
	var refusal Verdict
	for _, c := range costs {
		units, allowed := c.Units+unitsOf(ahead, c.Budget), max(c.Units, lane.share(c.Budget.limit))
		if at := c.Budget.freeAt(now, units, allowed); at.After(now) && at.After(refusal.RetryAt) {
			refusal = Verdict{RetryAt: at, Budget: c.Budget.name, short: c.Budget}
		}
	}
	if !refusal.RetryAt.IsZero() && lane != LaneCancel {
		return refusal
	}
	for _, c := range costs {
		c.Budget.add(now, c.Units)
	}
	return Verdict{Admitted: true}
}

func unitsOf(costs []Cost, b *Budget) int {
	sum := 0
	for _, c := range costs {
		if c.Budget == b {
			sum += c.Units
		}
	}
	return sum
}

// Observe adopts the venue's own counter where it is above ours: others share
// the allowance, or a request cost more than we thought. A lower one says
// nothing, for requests may be under way.
func (l *Ledger) Observe(now time.Time, b *Budget, used int) {
	if own := b.used(now); used > own {
		b.add(now, used-own)
	}
}

// Freeze stops everything until then; a freeze never becomes shorter.
func (l *Ledger) Freeze(until time.Time) {
	if until.After(l.frozenUntil) {
		l.frozenUntil = until
	}
}

// Exhaust stops all but cancels on one budget until then.
func (l *Ledger) Exhaust(b *Budget, until time.Time) {
	if until.After(b.exhaustedUntil) {
		b.exhaustedUntil = until
	}
}

// Resize adopts a limit that the venue publishes.
func (l *Ledger) Resize(b *Budget, limit int) {
	if limit > 0 {
		b.limit = limit
	}
}
