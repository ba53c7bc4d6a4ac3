package account

import (
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/account/deadline"
	"venuegate/actors/account/protection"
	"venuegate/persistence"
	"venuegate/venues"
)

// Lines that an operator is called for. Each is logged once, when what it says is durable,
// with the fields customer, exchange, symbol, order_id and, if the client has named the
// request, request_id and traceparent.

// unknownWarnAfter is the age at which an unknown outcome is logged. Most are resolved
// within seconds.
const unknownWarnAfter = 30 * time.Second

type (
	// warnStop: a stop was triggered, or could not do what it was placed for.
	warnStop struct {
		orderRef
		fired  bool
		kind   string
		reason string
		origin venues.Origin
	}
	warnUnknown struct {
		orderRef
		since  time.Time
		origin venues.Origin
	}
	warnLock struct{ lock persistence.RiskLock }
)

func (e warnStop) run(a *account, _ *actors.Context) {
	message := "stop failed"
	if e.fired {
		message = "stop fired"
	}
	a.warn(message, e.origin, zap.String("symbol", e.ref.Symbol), zap.String("order_id", e.orderID),
		zap.String("kind", e.kind), zap.String("reason", e.reason))
}

func (e warnUnknown) run(a *account, _ *actors.Context) {
	a.warn("order unknown", e.origin, zap.String("symbol", e.ref.Symbol), zap.String("order_id", e.orderID),
		zap.Time("since", e.since))
}

func (e warnLock) run(a *account, _ *actors.Context) {
	a.warn("risk lock", venues.Origin{}, zap.String("limit", e.lock.Limit),
		zap.String("threshold", venues.FormatDecimal(e.lock.Threshold)), zap.String("actual", venues.FormatDecimal(e.lock.Actual)),
		zap.Time("until", e.lock.Until.Time))
}

func (a *account) warn(message string, origin venues.Origin, fields ...zap.Field) {
	fields = append([]zap.Field{zap.String("customer", a.deps.Customer), zap.String("exchange", string(a.deps.Exchange))}, fields...)
	if origin.RequestID != "" {
		fields = append(fields, zap.String("request_id", origin.RequestID))
	}
	if origin.Traceparent != "" {
		fields = append(fields, zap.String("traceparent", origin.Traceparent))
	}
	a.logger.Warn(message, fields...)
}

// warnIfStop warns of a stop that was triggered, or that its venue had accepted and has
// ended without a trigger and without a request.
func (s *state) warnIfStop(o *order, previous venues.OrderStatus, fired bool) {
	reason := ""
	switch {
	case !o.Type.IsStop():
		return
	case fired:
	case previous == venues.StatusUntriggered && (o.Status == venues.StatusRejected || o.Status == venues.StatusExpired):
		reason = string(o.Status)
		if o.Error != nil && o.Error.Reason != "" {
			reason = o.Error.Reason
		}
	default:
		return
	}
	s.after(warnStop{s.named(o), fired, o.stopKind(), reason, s.originOf(o)})
}

// warnUnprotected warns of a position whose protection has failed. An alarm that is
// repeated while the position stays open is logged once.
func (s *state) warnUnprotected(o *order, alarm string) {
	if alarm == protection.AlarmUnprotected && o.unprotectedWarned {
		return
	}
	o.unprotectedWarned = o.unprotectedWarned || alarm == protection.AlarmUnprotected
	s.after(warnStop{s.named(o), false, "protection", alarm, s.originOf(o)})
}

// named returns an order as the warnings name it.
func (s *state) named(o *order) orderRef {
	return orderRef{orderID: o.OrderID, ref: venues.OrderRef{Symbol: o.Symbol}}
}

// originOf returns the origin of an order. A leg has that of its entry.
func (x *orderIndex) originOf(o *order) venues.Origin {
	if entry, known := x.orders[o.EntryOrderID]; known && o.origin == (venues.Origin{}) {
		return entry.origin
	}
	return o.origin
}

// unknownWarnDue returns when the unknown outcome of the order is logged; zero for never.
func (o *order) unknownWarnDue() time.Time {
	if o.Status != venues.StatusUnknown || o.unknownWarned {
		return time.Time{}
	}
	return o.UnknownSince.Add(unknownWarnAfter)
}

// warnUnknownIfDue logs an outcome that has been unknown for too long.
func (s *state) warnUnknownIfDue(step stepContext, o *order) {
	if deadline.Passed(o.unknownWarnDue(), step.now) {
		o.unknownWarned = true
		s.after(warnUnknown{s.named(o), o.UnknownSince.Time, s.originOf(o)})
	}
}
