package alerts

import (
	"encoding/json"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// alertsMax bounds the alerts of a customer that are not removed.
	alertsMax = 1000
	// repeatGapMin is the shortest time between two firings of a repeating alert, so
	// that a price that moves around the value does not flood its receiver.
	repeatGapMin = time.Minute
	// watchRetryMin, doubling up to watchRetryMax, is the delay before a watch that
	// failed is repeated.
	watchRetryMin = time.Second
	watchRetryMax = time.Minute
)

// state is the state of the alerts: messages in; a batch and effects out.
type state struct {
	fence  persistence.Fence
	alerts map[string]*alert
	out    step.Output[effect]
}

// alert is a record and its watch.
type alert struct {
	persistence.Alert
	// generation rises with each change: results and hits of an earlier generation are
	// ignored.
	generation int
	watch      venues.PriceWatch
	failures   int
	// fired reports whether the alert fired before this start and was not changed
	// since: the condition may still hold, and has to cease to hold first.
	fired bool
}

func newState(fence persistence.Fence) *state {
	return &state{fence: fence, alerts: map[string]*alert{}}
}

// take ends a step and returns its output.
func (s *state) take() step.Output[effect] {
	out := s.out
	if !out.Batch.Empty() {
		out.Batch.Fence = s.fence
	}
	s.out = step.Output[effect]{}
	return out
}

func (s *state) loaded(list []persistence.Alert) {
	for _, record := range list {
		if record.RemovedAt.IsZero() {
			a := &alert{Alert: record, fired: !record.FiredAt.IsZero()}
			s.alerts[a.ID] = a
			s.begin(a)
		}
	}
}

// put stores a new or changed alert. FiredAt is kept from the stored one.
func (s *state) put(in put) {
	a, known := s.alerts[in.alert.ID]
	if !known {
		if len(s.alerts) >= alertsMax {
			in.Reject(venues.Errorf(venues.CodeInvalidRequest, "the customer has %d alerts; remove one first", alertsMax).With("limit", alertsMax))
			return
		}
		a = &alert{}
		s.alerts[in.alert.ID] = a
	}
	in.alert.FiredAt = a.FiredAt
	s.end(a)
	a.Alert, a.fired = in.alert, false
	s.store(a)
	s.out.Batch.Journal = append(s.out.Batch.Journal, in.entry)
	s.out.After = append(s.out.After, reply{in.Reply, a.Alert})
	if !a.RemovedAt.IsZero() {
		delete(s.alerts, a.ID)
		return
	}
	s.begin(a)
}

func (s *state) store(a *alert) { s.out.Batch.Puts = append(s.out.Batch.Puts, a.Alert) }

// begin watches an armed alert.
func (s *state) begin(a *alert) {
	if a.Status == persistence.AlertArmed {
		s.out.After = append(s.out.After, watch{
			id: a.ID, generation: a.generation, exchange: a.Exchange, symbol: a.Symbol, condition: a.watches(),
		})
	}
}

// watches returns the condition that the book watches: after a firing, one that must
// cease to hold first.
func (a *alert) watches() venues.PriceCondition {
	c := a.Condition
	switch {
	case a.fired && c.Op == venues.OpAbove:
		c.Op = venues.OpCrossesAbove
	case a.fired && c.Op == venues.OpBelow:
		c.Op = venues.OpCrossesBelow
	}
	return c
}

// end closes the watch. Its results and hits that are still under way are ignored.
func (s *state) end(a *alert) {
	a.generation++
	a.failures = 0
	if a.watch != nil {
		s.out.Now = append(s.out.Now, unwatch{a.watch})
		a.watch = nil
	}
}

func (s *state) watched(in watched) {
	a, known := s.alerts[in.id]
	switch {
	case !known || a.generation != in.generation:
		if in.watch != nil {
			s.out.Now = append(s.out.Now, unwatch{in.watch})
		}
	case in.err != nil:
		wait := min(watchRetryMin<<min(a.failures, 16), watchRetryMax)
		a.failures++
		s.out.Now = append(s.out.Now, retryWatch{after: wait, due: watchDue{a.ID, a.generation}})
	default:
		a.watch, a.failures = in.watch, 0
	}
}

func (s *state) watchDue(in watchDue) {
	if a, known := s.alerts[in.id]; known && a.generation == in.generation {
		s.begin(a)
	}
}

// hit fires an alert: the record and the event are one commit.
func (s *state) hit(m step.Context, in hit) {
	a, known := s.alerts[in.id]
	if !known || a.generation != in.generation || a.Status != persistence.AlertArmed {
		return
	}
	if a.Repeat && m.Now.Sub(a.FiredAt.Time) < repeatGapMin {
		return
	}
	a.FiredAt = venues.At(m.Now)
	if !a.Repeat {
		a.Status = persistence.AlertFired
		s.end(a)
	}
	s.store(a)
	s.emit(m, a, in.price)
}

// firedEvent is the payload of alert.fired.
type firedEvent struct {
	AlertID   string          `json:"alertId"`
	Exchange  venues.Venue    `json:"exchange"`
	Symbol    string          `json:"symbol"`
	Condition conditionMember `json:"condition"`
	Price     string          `json:"price"`
	FiredAt   venues.Time     `json:"firedAt"`
	Comment   string          `json:"comment"`
}

type conditionMember struct {
	Field venues.PriceField `json:"field"`
	Op    venues.PriceOp    `json:"op"`
	Value string            `json:"value"`
}

func (s *state) emit(m step.Context, a *alert, price venues.PriceHit) {
	data, err := json.Marshal(firedEvent{
		AlertID: a.ID, Exchange: a.Exchange, Symbol: a.Symbol, Condition: conditionMember{a.Condition.Field, a.Condition.Op, venues.FormatDecimal(a.Condition.Value)},
		Price: venues.FormatDecimal(price.Price), FiredAt: a.FiredAt, Comment: a.Comment,
	})
	if err != nil {
		panic("alerts: " + err.Error()) // plain strings
	}
	s.out.Batch.Events = append(s.out.Batch.Events, persistence.Event{
		ID: m.NewID(persistence.PrefixEvent), Type: persistence.EventAlertFired, CreatedAt: a.FiredAt, Data: data,
	})
	s.out.Batch.Journal = append(s.out.Batch.Journal, persistence.JournalEntry{
		ID: m.NewID(persistence.PrefixJournal), At: a.FiredAt, Kind: "alert.fired", Subject: a.ID, Symbol: a.Symbol, Result: "fired",
		Fields: []persistence.JournalField{
			{Name: "exchange", Value: string(a.Exchange)},
			{Name: "condition", Value: string(a.Condition.Field) + " " + string(a.Condition.Op) + " " + venues.FormatDecimal(a.Condition.Value)},
			{Name: "price", Value: venues.FormatDecimal(price.Price)},
		},
	})
}
