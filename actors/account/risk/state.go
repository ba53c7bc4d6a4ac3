package risk

import (
	"iter"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/deadline"
	"venuegate/actors/account/position"
	"venuegate/persistence"
	"venuegate/venues"
)

// readEvery is how old the unrealized P&L may become while a daily loss limit is set
// and a position is open.
const readEvery = 5 * time.Second

// State holds the limits of one account, the loss of the day and the lock. It is not safe
// for concurrent use.
type State struct {
	// Limits may be replaced at any time.
	Limits persistence.RiskLimits
	// Halted makes the account reduce-only, whatever its limits.
	Halted bool

	customer string
	exchange venues.Venue
	// requestLife is how long after its intent a venue may still execute a request.
	requestLife time.Duration
	positions   *position.State
	record      persistence.RiskRecord
	today       Day
	// carried is the baseline of the day by position key.
	carried map[string]position.Unrealized
	// feesDue is when the prices of the uncounted fees are looked up again.
	feesDue time.Time
	// locking is a lock that waits for requests that are being sent, until lockingDue.
	locking    *persistence.RiskLock
	lockingDue time.Time
	// readDue is when the positions are read again; zero if they need not be.
	readDue time.Time
}

// Account is the account during one step, as State uses it. The first six methods return
// values of the account, the others act as part of the step.
type Account interface {
	// Now returns the time of the step.
	Now() time.Time
	// Ready reports whether the account has read its venue since its start.
	Ready() bool
	// Price returns the mark price of a currency in the settlement currency of an
	// instrument, if it is known.
	Price(currency, symbol string) venues.Optional
	// Live iterates over the orders that can still change.
	Live() iter.Seq[Order]
	// Unrecorded iterates over the closed orders whose executions are not all recorded.
	Unrecorded() iter.Seq[Order]
	// IsSending reports whether the request of an increasing order may be in progress.
	IsSending() bool

	// Store stores the record with the step.
	Store(r persistence.RiskRecord)
	// LimitReached publishes a lock with the step.
	LimitReached(lock *persistence.RiskLock)
	// Journal adds a row to the journal with the step.
	Journal(kind string, fields ...persistence.JournalField)
	// ReadPositions requests a reading of the venue's list of positions.
	ReadPositions()
}

// Order is an order with the quantities that the limits count.
type Order struct {
	*persistence.OrderRecord
	// RecordedQty is the quantity of the executions that are recorded.
	RecordedQty decimal.Decimal
	// AmendQty is the quantity of a pending amend, which may be in force already.
	AmendQty venues.Optional
}

// NewState returns a State without limits. requestLife is how long after its intent a venue
// may still execute a request.
func NewState(customer string, exchange venues.Venue, requestLife time.Duration, positions *position.State) *State {
	return &State{customer: customer, exchange: exchange, requestLife: requestLife, positions: positions}
}

// Restore restores the state from the account's record, the risk record and the executions of
// the day.
func (s *State) Restore(control *persistence.VenueAccount, record persistence.RiskRecord, today Day) {
	s.Limits, s.record, s.today = control.Limits, record, today
}

// Record returns the record as it was last stored.
func (s *State) Record() persistence.RiskRecord { return s.record }

// SetHaltDone records that the halt ordered at haltedAt is completed.
func (s *State) SetHaltDone(a Account, haltedAt venues.Time) {
	s.record.HaltDone = haltedAt
	s.store(a)
}

func (s *State) store(a Account) {
	s.record.Customer, s.record.Exchange = s.customer, s.exchange
	a.Store(s.record)
}

// Check locks the account if a limit is reached. It must be called once at the end of each
// step.
func (s *State) Check(a Account) {
	if !a.Ready() {
		return
	}
	s.beginDay(a)
	s.priceFees(a)
	limit := s.Limits.DailyLoss
	if s.locking == nil && s.record.Lock == nil && limit.Valid {
		if loss := s.DailyLoss(); loss.GreaterThanOrEqual(limit.Decimal) {
			s.locking = &persistence.RiskLock{
				Limit: limitDailyLoss, Threshold: limit.Decimal, Actual: loss, At: venues.At(a.Now()), Until: venues.At(dayOf(a.Now()).Add(day)),
			}
			s.lockingDue = a.Now().Add(s.requestLife)
		}
	}
	if s.locking != nil && (!a.IsSending() || deadline.Passed(s.lockingDue, a.Now())) {
		s.lock(a)
	}
	s.watchPositions(a)
}

// watchPositions requests readings of the positions while their P&L counts for a limit.
func (s *State) watchPositions(a Account) {
	switch {
	case !s.Limits.DailyLoss.Valid || s.positions.ListedCount() == 0:
		s.readDue = time.Time{}
	case s.readDue.IsZero():
		s.readDue = a.Now().Add(readEvery)
	case deadline.Passed(s.readDue, a.Now()):
		s.readDue = a.Now().Add(readEvery)
		a.ReadPositions()
	}
}

// Due returns when Check has something to do; zero for never.
func (s *State) Due(a Account) time.Time {
	due := deadline.Earlier(s.lockingDue, s.readDue)
	if s.Limits.DailyLoss.Valid {
		due = deadline.Earlier(due, s.feesDue)
	}
	if a.Ready() {
		due = deadline.Earlier(due, s.record.Day.Add(day))
	}
	return due
}
