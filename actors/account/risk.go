package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// riskReadEvery is how old the unrealized P&L may become while a daily loss
	// limit is set and a position is open.
	riskReadEvery = 5 * time.Second
	// lockDrainMax is how long a lock waits for orders that are being sent, so
	// that none leaves after it is durable. No venue executes them later.
	lockDrainMax = orderLifeMax
)

// What closes an account to increasing orders.
const (
	limitDailyLoss = "daily_loss"
	limitHalted    = "halted"
)

// Rules of risk_rejected.
const (
	ruleMaxNotional   = "max_order_notional"
	ruleMaxOpenOrders = "max_open_orders"
)

const day = 24 * time.Hour

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(day) }

// risk is what keeps an account from losing more than it may.
type risk struct {
	limits persistence.RiskLimits
	halted bool
	// hedge is the account's position mode: an order without reduceOnly opens.
	hedge  bool
	record persistence.RiskRecord
	dayResult
	// feesDue is when the price of what is uncounted is looked for again.
	feesDue time.Time
	// locking is a lock that waits for what is being sent, until lockingDue.
	locking    *persistence.RiskLock
	lockingDue time.Time
	readDue    time.Time
}

// dayResult is what the executions since day have brought: the realized P&L less the
// fees, but for those that are uncounted, by currency.
type dayResult struct {
	day       time.Time
	earned    decimal.Decimal
	uncounted map[string]uncounted
}

type limitEvent struct {
	Limit     string `json:"limit"`
	Threshold string `json:"threshold"`
	Actual    string `json:"actual"`
	Action    string `json:"action"`
}

// beginDay starts the count anew at 00:00 UTC, and with it ends a lock.
func (s *state) beginDay(m moment) {
	today := dayOf(m.now)
	if today.After(s.risk.day) {
		s.risk.dayResult = dayResult{day: today}
	}
	if !s.ready || !today.After(s.risk.record.Day.Time) {
		return
	}
	s.risk.record.Day = venues.At(today)
	s.risk.record.Baseline = venues.Some(s.unrealized())
	s.risk.record.Forgiven = decimal.Zero
	s.risk.record.Uncounted = nil
	if lock := s.risk.record.Lock; lock != nil && !m.now.Before(lock.Until.Time) {
		s.risk.record.Lock = nil
		s.journal(m, "risk.unlocked", string(s.exchange), persistence.JournalField{Name: "by", Value: "day_end"})
	}
	s.putRisk()
}

// restoreRisk takes what was stored.
func (s *state) restoreRisk(m moment, in loadDone) {
	s.risk.limits = in.control.Limits
	s.risk.dayResult, s.risk.record = in.today, in.risk
	s.restoreHalt(m, in.control)
}

func (s *state) putRisk() {
	s.risk.record.Customer, s.risk.record.Exchange = s.customer, s.exchange
	s.out.batch.Puts = append(s.out.batch.Puts, s.risk.record)
}

// unrealized is the unrealized P&L of the open positions. Of a position that an
// execution has reduced since the venue told it, the part that is left counts:
// the rest is realized.
func (s *state) unrealized() decimal.Decimal {
	sum := decimal.Zero
	for key, p := range s.funds.positions {
		gain := p.UnrealizedPnl.Decimal
		if b := s.ledger.books[p.Symbol]; b != nil && b.heardAt.After(s.funds.asOf[key]) {
			left := decimal.Max(decimal.Zero, openQty(b.now.of(p.Side)))
			if left.LessThan(p.Qty) {
				gain = gain.Mul(left).DivRound(p.Qty, avgPriceDecimals)
			}
		}
		sum = sum.Add(gain)
	}
	return sum
}

// dailyLoss is the loss since 00:00 UTC over all sources: what the executions
// lost with their fees, and what the open positions have lost since then. A gain
// is a negative loss.
func (s *state) dailyLoss() decimal.Decimal {
	change := decimal.Zero
	if s.risk.record.Baseline.Valid {
		change = s.unrealized().Sub(s.risk.record.Baseline.Decimal)
	}
	return s.risk.earned.Add(change).Neg().Sub(s.risk.record.Forgiven)
}

// judge looks at the limits at the end of each step.
func (s *state) judge(m moment) {
	if !s.ready {
		return
	}
	s.beginDay(m)
	s.countFees(m)
	limit := s.risk.limits.DailyLoss
	if s.risk.locking == nil && s.risk.record.Lock == nil && limit.Valid {
		if loss := s.dailyLoss(); loss.GreaterThanOrEqual(limit.Decimal) {
			s.risk.locking = &persistence.RiskLock{
				Limit: limitDailyLoss, Threshold: limit.Decimal, Actual: loss, At: venues.At(m.now), Until: venues.At(dayOf(m.now).Add(day)),
			}
			s.risk.lockingDue = m.now.Add(lockDrainMax)
		}
	}
	if s.risk.locking != nil && (!s.isSending() || isDue(s.risk.lockingDue, m.now)) {
		s.lock(m)
	}
	s.watchRisk(m)
}

// lock makes the lock durable, in the commit of its event.
func (s *state) lock(m moment) {
	lock := s.risk.locking
	s.risk.locking, s.risk.lockingDue = nil, time.Time{}
	s.risk.record.Lock = lock
	s.putRisk()
	threshold, actual := venues.FormatDecimal(lock.Threshold), venues.FormatDecimal(lock.Actual)
	s.emit(m, persistence.EventRiskLimitReached, limitEvent{
		Limit: lock.Limit, Threshold: threshold, Actual: actual, Action: string(venues.CodeTradingLocked),
	})
	s.journal(m, "risk.locked", string(s.exchange),
		persistence.JournalField{Name: "limit", Value: lock.Limit},
		persistence.JournalField{Name: "threshold", Value: threshold},
		persistence.JournalField{Name: "actual", Value: actual},
		persistence.JournalField{Name: "until", Value: lock.Until.UTC().Format(venues.TimeFormat)})
}

// unlock ends a lock by hand. The loss so far is set aside: the next one counts
// from here.
func (s *state) unlock(m moment, in unlock) {
	if !s.ready {
		in.Reject(s.maintenance())
		return
	}
	if s.risk.locking != nil {
		s.lock(m)
	}
	if s.risk.record.Lock != nil {
		s.risk.record.Forgiven = s.risk.record.Forgiven.Add(s.dailyLoss())
		s.risk.record.Lock = nil
		s.putRisk()
		s.journal(m, "risk.unlocked", string(s.exchange), persistence.JournalField{Name: "by", Value: "administrator"})
	}
	s.after(replyDone{in.Reply})
}

// watchRisk keeps reading positions while their P&L matters.
func (s *state) watchRisk(m moment) {
	switch {
	case !s.risk.limits.DailyLoss.Valid || len(s.funds.positions) == 0:
		s.risk.readDue = time.Time{}
	case s.risk.readDue.IsZero():
		s.risk.readDue = m.now.Add(riskReadEvery)
	case isDue(s.risk.readDue, m.now):
		s.risk.readDue = m.now.Add(riskReadEvery)
		s.readFunds()
	}
}

func (s *state) riskDue() time.Time {
	due := earlier(s.risk.lockingDue, s.risk.readDue)
	if s.risk.limits.DailyLoss.Valid {
		due = earlier(due, s.risk.feesDue)
	}
	if s.ready {
		due = earlier(due, s.risk.record.Day.Add(day))
	}
	return due
}

// isClosed says whether increasing orders are refused. It is so from the moment
// of the decision on, before the lock is durable.
func (s *state) isClosed() bool {
	return s.risk.halted || s.risk.locking != nil || s.risk.record.Lock != nil
}

// lockRefusal is the answer to an increasing order while the account is closed
// to them.
func (s *state) lockRefusal() *venues.Error {
	lock := s.risk.record.Lock
	if lock == nil {
		lock = s.risk.locking
	}
	e := venues.Errorf(venues.CodeTradingLocked, "only orders that reduce a position are taken")
	if s.risk.halted || lock == nil {
		return e.With("limit", limitHalted)
	}
	return e.With("limit", lock.Limit).
		With("threshold", venues.FormatDecimal(lock.Threshold)).With("actual", venues.FormatDecimal(lock.Actual)).
		With("until", lock.Until.UTC().Format(venues.TimeFormat))
}

// reduces says whether an order can only make a position smaller: by its flag,
// or because it is not larger than what the venue and the executions both show
// open on the other side, less what other orders may take of it. In hedge mode
// an order without the flag opens.
func (s *state) reduces(spec *venues.OrderSpec, but *order) bool {
	if spec.ReduceOnly {
		return true
	}
	b := s.ledger.books[spec.Symbol]
	if b == nil || s.isHedged(b) {
		return false
	}
	side := openedBy(spec.Side.Opposite())
	listed := s.funds.positions[(&venues.Position{Symbol: spec.Symbol, Side: side}).Key()]
	left := decimal.Min(listed.Qty, openQty(b.now.of(side)))
	for _, o := range s.live {
		if o != but && o.Symbol == spec.Symbol && o.Side == spec.Side {
			left = left.Sub(o.RemainingQty())
		}
	}
	return spec.Qty.LessThanOrEqual(left)
}

// admitRisk holds an order against the account's limits. Orders that reduce are
// always let through.
func (s *state) admitRisk(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if s.reduces(spec, nil) {
		return nil
	}
	if s.isClosed() {
		return s.lockRefusal()
	}
	if most := s.risk.limits.MaxOpenOrders; most > 0 {
		if open := s.openOrders(); open >= most {
			return venues.Errorf(venues.CodeRiskRejected, "too many open orders").
				With("rule", ruleMaxOpenOrders).With("limit", most).With("given", open+1)
		}
	}
	return s.checkNotional(spec, mark)
}

func (s *state) checkNotional(spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	most := s.risk.limits.MaxOrderNotional
	if !most.Valid {
		return nil
	}
	price := mark
	if spec.Price.Valid {
		price = spec.Price
	} else if !price.Valid {
		price = spec.TriggerPrice
	}
	refusal := venues.Errorf(venues.CodeRiskRejected, "the order is too large").
		With("rule", ruleMaxNotional).With("limit", venues.FormatDecimal(most.Decimal))
	if !price.Valid {
		return refusal // what it would cost is not known
	}
	if given := spec.Qty.Mul(price.Decimal); given.GreaterThan(most.Decimal) {
		return refusal.With("given", venues.FormatDecimal(given))
	}
	return nil
}

// openOrders counts the orders that are not closed, without protection.
func (s *state) openOrders() int {
	n := 0
	for _, o := range s.live {
		if !o.Status.IsClosed() && o.EntryOrderID == "" && o.Source != venues.SourceProtection {
			n++
		}
	}
	return n
}

// admitAmendRisk lets an order grow, or change its price, only within the limits.
func (s *state) admitAmendRisk(o *order, spec *venues.OrderSpec, mark venues.Optional) *venues.Error {
	if o.isLoweredTo(spec) || s.reduces(spec, o) {
		return nil
	}
	if s.isClosed() {
		return s.lockRefusal()
	}
	return s.checkNotional(spec, mark)
}

// isLoweredTo says whether terms differ from an order's by a smaller quantity
// alone.
func (o *order) isLoweredTo(spec *venues.OrderSpec) bool {
	return spec.Qty.LessThanOrEqual(o.Qty) &&
		venues.EqualOptional(spec.Price, o.Price) && venues.EqualOptional(spec.TriggerPrice, o.TriggerPrice)
}

// depart is asked when an intent is durable, right before its request is handed
// over: the account may have been closed meanwhile, or the time may be over.
func (s *state) depart(orderID string, now time.Time) *venues.Error {
	o, known := s.orders[orderID]
	if !known {
		return nil
	}
	if isPast(o.sendBy, now) {
		return s.notSent(venues.ErrNotSent)
	}
	isExempt := s.reduces(&o.OrderSpec, o) || (o.lowered && !s.risk.halted)
	if s.isClosed() && !isExempt {
		return s.lockRefusal()
	}
	o.sending = true
	return nil
}

// mayLeaveClosed says whether an order that departs may leave even if the account
// is closed before it does.
func (s *state) mayLeaveClosed(orderID string) bool {
	o, known := s.orders[orderID]
	return !known || s.isClosed() || o.ReduceOnly || o.lowered
}

// isSending says whether a request for an increasing order may still be about to
// leave.
func (s *state) isSending() bool {
	for _, o := range s.live {
		if o.sending && !o.ReduceOnly {
			return true
		}
	}
	return false
}
