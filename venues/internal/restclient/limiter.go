package restclient

import "time"

// budgetSlots is the number of slots of a budget's window. Units are available one slot
// later than they strictly could be.
const budgetSlots = 12

// Budget is one rate limit of a venue: at most limit units in any period of length
// window. Venues count in fixed or in sliding windows; a limit for any period satisfies
// both. A budget belongs to one Limiter.
type Budget struct {
	name   string
	limit  int
	window time.Duration
	// slots is a ring of the newest slots with the units used in each.
	slots          [budgetSlots + 1]slot
	exhaustedUntil time.Time
	// active: the gate lists the budget among those in use.
	active bool
}

type slot struct {
	index int64
	units int
}

// NewBudget returns an unused budget.
func NewBudget(name string, limit int, window time.Duration) *Budget {
	return &Budget{name: name, limit: limit, window: window}
}

func (b *Budget) slotLength() int64 { return int64(b.window) / budgetSlots }

func (b *Budget) slotAt(now time.Time) int64 { return now.UnixNano() / b.slotLength() }

// used returns the units of the window that ends now. The oldest slot counts as a whole
// although part of it may be older.
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

// freeAt returns when units fit below allowed: now if they fit, the end of the window if
// they never do.
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

// Cost is the units that a request takes from one budget.
type Cost struct {
	Budget *Budget
	Units  int
}

// Limiter decides which requests may be sent. It is deterministic: time is an argument.
// It is not safe for concurrent use; see Gate.
type Limiter struct {
	frozenUntil time.Time
}

// Decision is the result of Admit: Admitted, or not before RetryAt.
type Decision struct {
	Admitted bool
	// Frozen: the venue stopped all requests.
	Frozen  bool
	RetryAt time.Time
	// Budget is the name of the budget that is used up.
	Budget    string
	exhausted *Budget
}

// Admit takes the costs if all of them fit besides those of the requests ahead, else
// none. Costs above the limit are admitted alone, once the budget is unused. Only a
// freeze stops cancels.
func (l *Limiter) Admit(now time.Time, priority Priority, costs, ahead []Cost) Decision {
	if now.Before(l.frozenUntil) {
		return Decision{Frozen: true, RetryAt: l.frozenUntil}
	}
	var wait Decision
	for _, c := range costs {
		units, allowed := c.Units+unitsOf(ahead, c.Budget), max(c.Units, priority.share(c.Budget.limit))
		if at := c.Budget.freeAt(now, units, allowed); at.After(now) && at.After(wait.RetryAt) {
			wait = Decision{RetryAt: at, Budget: c.Budget.name, exhausted: c.Budget}
		}
	}
	if !wait.RetryAt.IsZero() && priority != PriorityCancel {
		return wait
	}
	for _, c := range costs {
		c.Budget.add(now, c.Units)
	}
	return Decision{Admitted: true}
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

// Observe adopts the venue's own counter if it is above ours: others share the limit, or
// a request cost more than expected. A lower one is ignored, because requests may be in
// progress.
func (l *Limiter) Observe(now time.Time, b *Budget, used int) {
	if own := b.used(now); used > own {
		b.add(now, used-own)
	}
}

// Freeze stops all requests until then. A freeze never becomes shorter.
func (l *Limiter) Freeze(until time.Time) {
	if until.After(l.frozenUntil) {
		l.frozenUntil = until
	}
}

// Exhaust stops all requests except cancels on one budget until then.
func (l *Limiter) Exhaust(b *Budget, until time.Time) {
	if until.After(b.exhaustedUntil) {
		b.exhaustedUntil = until
	}
}

// Resize adopts a limit that the venue publishes.
func (l *Limiter) Resize(b *Budget, limit int) {
	if limit > 0 {
		b.limit = limit
	}
}
