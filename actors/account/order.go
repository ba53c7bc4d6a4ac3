package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

// order is a record with what is only of use while it is being worked on.
type order struct {
	persistence.OrderRecord
	// dirty says that the step has touched the order.
	dirty bool
	// venueKeys are where byVenue has the order.
	venueKeys []venueKey
	// stored is the record as it was last put into a batch.
	stored persistence.OrderRecord
	// claim holds the order's request id until it is freed by proof.
	claim *persistence.IdempotencyRecord
	// trades, fillsQty and notional sum up the fills recorded so far. FilledQty
	// is more than fillsQty only after fillsHoldMax.
	trades   map[string]bool
	fillsQty decimal.Decimal
	notional decimal.Decimal
	// filledAt is the venue's time of the newest fill, or when one was told of that
	// never came.
	filledAt time.Time

	// termsAt is the venue's time of the newest report of price and quantity.
	termsAt time.Time
	// heard is how far the order has come as the private stream tells it, shown as
	// any report does; at toldDue the stream has missed the difference.
	heard, shown progress
	toldDue      time.Time

	// seenAt is when the venue last told that the order was alive.
	seenAt time.Time
	// triggered says that a stop was seen after its trigger.
	triggered bool

	// notes are journal rows for the next commit of the order.
	notes []persistence.JournalEntry

	// waiters are the callers who wait for the order to settle, until replyDue.
	waiters  []orderReply
	replyDue time.Time
	// refusal is what the venue or the proof said, for the waiters' answer.
	refusal *venues.Error

	// held is a report that tells of more fills than are known; it is applied
	// when the fills have arrived, or at heldDue without them.
	held    *venues.ExecutionReport
	heldDue time.Time

	inquiry inquiry
	change  change
	guard   guard
	// attachment is what the venue last told of an order that it made itself to
	// protect an entry.
	attachment *venues.Attachment
	// withdrawn says that a protecting order was cancelled from here, dismissed
	// that its position is gone while its entry goes on.
	withdrawn bool
	dismissed bool
	// released is how much of what a protecting order has closed its entry knows of.
	released decimal.Decimal
	// forced marks a liquidation.
	forced bool
	// lowered marks what is left of an order that was replaced by less of the same:
	// it opens nothing that was not open to the venue before.
	lowered bool
	// storing says that the intent is not durable yet. It may still be refused, so
	// nothing else is stored of the order until then.
	storing bool
	// sending says that the request is handed over and not answered; it is not
	// handed over at sendBy or later.
	sending bool
	sendBy  time.Time

	// restsSince is when the order came to need no looking after.
	restsSince time.Time
}

// venueKey is how a venue names an order within an account. Conditional orders
// are numbered on their own.
type venueKey struct {
	symbol, id    string
	isConditional bool
}

func (s *state) insert(r persistence.OrderRecord) *order {
	o := &order{OrderRecord: r, trades: map[string]bool{}}
	s.orders[o.OrderID], s.live[o.OrderID] = o, o
	if o.ClientOrderID != "" {
		s.byClient[o.ClientOrderID] = o
	}
	s.indexVenueID(o)
	if _, known := s.fillsUntil[o.Symbol]; !known {
		// Durable with the first order of its symbol: the order may have ended,
		// and be forgotten, before its fills were read.
		s.fillsUntil[o.Symbol] = o.CreatedAt.Time
		s.putFillsUntil()
	}
	return o
}

// changed says whether the record differs from the one last stored.
func (o *order) changed() bool {
	a, b := &o.OrderRecord, &o.stored
	return a.OrderID != b.OrderID || a.Status != b.Status || a.PendingAction != b.PendingAction ||
		a.VenueOrderID != b.VenueOrderID || a.ConditionalID != b.ConditionalID || a.ReplacedBy != b.ReplacedBy || a.Error != b.Error ||
		a.Protection != b.Protection || a.Closing != b.Closing || a.Amend != b.Amend || a.UnknownSince != b.UnknownSince || a.FeeCurrency != b.FeeCurrency ||
		!a.Qty.Equal(b.Qty) || !a.FilledQty.Equal(b.FilledQty) || !a.ReleasedQty.Equal(b.ReleasedQty) ||
		!venues.EqualOptional(a.Price, b.Price) || !venues.EqualOptional(a.TriggerPrice, b.TriggerPrice) ||
		!venues.EqualOptional(a.AvgPrice, b.AvgPrice) || !venues.EqualOptional(a.Fee, b.Fee)
}

// awaitsEnd says whether nothing needs to be durable yet: the order takes at
// once, the venue has it, and its caller waits for how it ends. One commit then
// tells both. A crash in between leaves the intent, and that is asked for.
func (o *order) awaitsEnd() bool {
	return len(o.waiters) > 0 && o.takesAtOnce() && !o.hasSettled() &&
		(o.Status == venues.StatusOpen || o.Status == venues.StatusPending) &&
		o.stored.Status == venues.StatusPending && o.FilledQty.IsZero() && o.change.kind == venues.PendingNone
}

func (s *state) indexVenueID(o *order) {
	key := venueKey{o.Symbol, o.VenueOrderID, o.ConditionalID}
	if o.VenueOrderID != "" && s.byVenue[key] != o {
		s.byVenue[key] = o
		o.venueKeys = append(o.venueKeys, key)
	}
}

func (s *state) forget(o *order) {
	delete(s.orders, o.OrderID)
	delete(s.live, o.OrderID)
	delete(s.unrecordedFills, o.OrderID)
	if s.byClient[o.ClientOrderID] == o {
		delete(s.byClient, o.ClientOrderID)
	}
	for _, key := range o.venueKeys {
		if s.byVenue[key] == o {
			delete(s.byVenue, key)
		}
	}
	delete(s.watched, o.OrderID)
}

// findReported finds the order that a report is about.
func (s *state) findReported(r *venues.ExecutionReport) *order {
	if o, ok := s.byClient[r.ClientOrderID]; ok && s.ids.isAbout(&o.OrderRecord, r) {
		return o
	}
	if o, ok := s.byVenue[venueKey{r.Symbol, r.VenueOrderID, r.ConditionalID}]; ok {
		return o
	}
	return s.orders[s.ids.orderOf(r)]
}

// findFilled finds the order of an execution, which only the engine makes.
func (s *state) findFilled(f *venues.Fill) *order {
	return s.byVenue[venueKey{symbol: f.Symbol, id: f.VenueOrderID}]
}
