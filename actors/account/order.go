package account

import (
	"time"

	"venuegate/actors/account/deadline"
	"venuegate/persistence"
	"venuegate/venues"
)

// order is an order in memory. Its parts are defined in package protection and in
// tracking.go, submission.go, statusquery.go and change.go.
type order struct {
	// protectedOrder has the record, which is stored and published, and the bracket.
	protectedOrder
	tracking
	submission
	query  statusQuery
	change change

	// origin is that of the last command about the order since the start.
	origin venues.Origin
	// unknownWarned and unprotectedWarned are set once the unknown outcome or the lack of
	// protection is logged, until it ends.
	unknownWarned, unprotectedWarned bool

	// beganMark is set if the fill mark of the symbol is stored with the order's intent.
	beganMark bool
	// dirty reports that the current step has changed the order.
	dirty bool
	// stored is the record that was last put into a batch, a persistence.OrderRecord. Batch,
	// order and what is published share its memory.
	stored persistence.Record
	// journalRows are added to the journal with the order's next commit.
	journalRows []persistence.JournalEntry
	// venueKeys are the keys of the order in orderIndex.byVenue.
	venueKeys []venueKey
	// idleSince is when the order last left orderIndex.live.
	idleSince time.Time
}

// insertOrder adds an order to the index and begins the fill mark of its symbol.
func (s *state) insertOrder(r persistence.OrderRecord) *order {
	o := s.insert(r)
	if o.beganMark = s.fillMarks.begin(o.Symbol, o.CreatedAt.Time); o.beganMark {
		// The mark is stored with the first order of its symbol, which may end and be
		// evicted before its fills are read.
		s.storeMarks()
	}
	return o
}

// storedRecord returns the record that was last put into a batch; the zero record if there is
// none.
func (o *order) storedRecord() persistence.OrderRecord {
	r, _ := o.stored.(persistence.OrderRecord)
	return r
}

// changed reports whether the record must be stored again. It compares the fields that change
// on their own after the first commit; the others change only together with one of them.
func (o *order) changed() bool {
	a, b := &o.OrderRecord, o.storedRecord()
	return a.OrderID != b.OrderID || a.Status != b.Status || a.PendingAction != b.PendingAction ||
		a.VenueOrderID != b.VenueOrderID || a.ConditionalID != b.ConditionalID || a.ReplacedBy != b.ReplacedBy || a.Error != b.Error ||
		a.Protection != b.Protection || a.Closing != b.Closing || a.Amend != b.Amend || a.UnknownSince != b.UnknownSince || a.NotFoundSince != b.NotFoundSince || a.FeeCurrency != b.FeeCurrency ||
		!a.Qty.Equal(b.Qty) || !a.FilledQty.Equal(b.FilledQty) || !a.ReleasedQty.Equal(b.ReleasedQty) ||
		!venues.EqualOptional(a.Price, b.Price) || !venues.EqualOptional(a.TriggerPrice, b.TriggerPrice) ||
		!venues.EqualOptional(a.AvgPrice, b.AvgPrice) || !venues.EqualOptional(a.Fee, b.Fee)
}

// nextDue returns when the order needs state.tick next; zero for never.
func (o *order) nextDue() time.Time {
	return deadline.Earliest(o.replyDue, o.heldDue, o.query.due, o.streamDue, o.unknownWarnDue(), o.Bracket.Due(), o.change.replyDue)
}
