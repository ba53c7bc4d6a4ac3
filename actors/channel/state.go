package channel

import (
	"encoding/hex"
	"time"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// AnswerWithin is the time from receipt to the response: a little less than the
	// second that the API promises, to allow for the way back.
	AnswerWithin = 850 * time.Millisecond
	// unfinishedMax bounds the unfinished signals of a channel.
	unfinishedMax = 1000
	// recentMax bounds the recent bodies of a chart: more than its rate limit allows
	// within the repeat window.
	recentMax = 1024
	// impliedPrefix starts the request id of a chart's signal that has none.
	impliedPrefix = "implied-"
)

// state is the state of a channel: messages in; a batch and effects out.
type state struct {
	channel persistence.Channel
	fence   persistence.Fence

	tasks map[string]*task
	// recent are the bodies without a requestId that a chart has sent within the
	// repeat window, by their hash.
	recent map[string]recent
	// stopping reports whether the actor is stopping: steps that have not begun are
	// left to the next incarnation.
	stopping bool
	out      step.Output[effect]
}

type recent struct {
	signalID string
	at       time.Time
}

// task is an unfinished signal.
type task struct {
	persistence.SignalRecord
	// durable reports whether its first commit is durable.
	durable bool
	// granted reports whether its slot in the signal queue is granted.
	granted bool
	// resumed reports whether an earlier incarnation may have carried out a step.
	resumed bool
	// waiter is the caller that has not been answered yet, or nil.
	waiter *accept
	// sentAt is when the current step began.
	sentAt time.Time
	// flatSince is when its position was first expected to be flat.
	flatSince time.Time
	// closing is the newest step that has created a closing order.
	closing planStep
	// withdrawing reports whether the cancellation of the protection is pending.
	withdrawing bool
	// newest is the newest order that it created.
	newest *venues.Order
}

func newState(fence persistence.Fence) *state {
	return &state{fence: fence, tasks: map[string]*task{}, recent: map[string]recent{}}
}

// take ends a step and returns its output.
func (s *state) take() step.Output[effect] {
	out := s.out
	if !out.Batch.Empty() {
		out.Batch.Fence = s.fence
		// On a full disk signals are refused that may open positions, or only notify.
		out.Batch.Reserve = out.Batch.Reserve || out.Creates == ""
	}
	s.out = step.Output[effect]{}
	return out
}

func (s *state) after(e effect) { s.out.After = append(s.out.After, e) }

func (s *state) put(t *task, now time.Time) {
	t.UpdatedAt = venues.At(now)
	s.out.Batch.Puts = append(s.out.Batch.Puts, t.SignalRecord)
}

// loaded resumes the signals that an earlier incarnation has left.
func (s *state) loaded(in loaded) {
	for _, r := range in.recent {
		if r.Status != persistence.SignalRejected {
			s.remember(&r)
		}
	}
	for _, r := range in.unfinished {
		t := &task{SignalRecord: r, durable: true, resumed: true}
		s.tasks[t.ID] = t
		s.enterQueue(t)
	}
}

// accept accepts a signal, rejects it by a rule, or recognizes a repeat.
func (s *state) accept(m step.Context, in accept) {
	if first, is := s.isRepeat(m, &in.signal); is {
		s.noteRepeat(m, first, &in.signal)
		s.after(replyOutcome{to: in.Reply, out: outcome{repeatOf: first}})
		return
	}
	if len(s.tasks) >= unfinishedMax {
		s.after(replyOutcome{to: in.Reply, err: busy()})
		return
	}
	t := s.open(m, &in)
	s.noteReceived(m, t)
	results := checkRules(&s.channel, &t.Signal, in.rejection)
	for i := range results {
		s.noteRule(m, t, &results[i])
	}
	if n := len(results); n > 0 && results[n-1].rejection != nil {
		t.waiter = &in
		s.end(m, t, persistence.SignalRejected, results[n-1].rejection)
		return
	}
	s.claim(t)
	s.out.Creates = t.ID
	s.out.Batch.Reserve = t.Action == venues.ActionClose || t.Action == venues.ActionCancelAll
	t.waiter = &in
	if t.Action == venues.ActionNotify {
		s.notify(m, t)
		return
	}
	s.tasks[t.ID] = t
	s.put(t, m.Now)
	s.remember(&t.SignalRecord)
	s.enterQueue(t)
	s.after(armAnswer{id: t.ID, at: t.ReceivedAt.Add(AnswerWithin)})
}

func (s *state) open(m step.Context, in *accept) *task {
	t := &task{SignalRecord: persistence.SignalRecord{
		Signal: in.signal, ID: m.NewID(persistence.PrefixSignal), Status: persistence.SignalAccepted,
		Attempt: in.attempt, Test: s.channel.TestMode, ExpiresAt: venues.At(expiry(&s.channel, &in.signal)),
	}}
	if t.RequestID == "" {
		t.RequestID = impliedPrefix + t.ID
	}
	return t
}

// claim claims the signal's requestId in the commit of the signal.
func (s *state) claim(t *task) {
	record := s.claimOf(t)
	s.out.Batch.Absent = append(s.out.Batch.Absent, record.Key())
	s.out.Batch.Puts = append(s.out.Batch.Puts, record)
}

func (s *state) claimOf(t *task) persistence.IdempotencyRecord {
	return persistence.IdempotencyRecord{
		Customer: t.Customer, Scope: signalScope(s.channel.ID), RequestID: t.RequestID, Attempt: t.Attempt,
		OrderID: t.ID, BodyHash: t.BodyHash, FirstReceived: t.ReceivedAt,
	}
}

// isRepeat reports whether a chart has just sent the same body, and returns the id of
// the first signal.
func (s *state) isRepeat(m step.Context, in *venues.Signal) (string, bool) {
	if in.RequestID != "" || s.channel.AllowRepeats {
		return "", false
	}
	first, seen := s.recent[hex.EncodeToString(in.BodyHash)]
	return first.signalID, seen && m.Now.Sub(first.at) < persistence.ChartRepeatWindow
}

func (s *state) remember(r *persistence.SignalRecord) {
	if s.channel.Kind != persistence.ChannelChart || !r.Implied {
		return
	}
	for key, old := range s.recent {
		if r.ReceivedAt.Sub(old.at) >= persistence.ChartRepeatWindow {
			delete(s.recent, key)
		}
	}
	if len(s.recent) < recentMax {
		s.recent[hex.EncodeToString(r.BodyHash)] = recent{r.ID, r.ReceivedAt.Time}
	}
}

// durable records that the signal's first commit is durable.
func (s *state) durable(id string) {
	if t, known := s.tasks[id]; known {
		t.durable = true
		if s.stopping {
			s.reply(t, nil)
		}
	}
}

// dropUnstored drops a signal whose first commit was refused.
func (s *state) dropUnstored(id string, cause error) {
	t, known := s.tasks[id]
	if !known {
		return
	}
	delete(s.tasks, id)
	delete(s.recent, hex.EncodeToString(t.BodyHash))
	s.after(replyOutcome{to: t.waiter.Reply, err: cause})
}

// enterQueue enters the signal in the queue of its account and symbol.
func (s *state) enterQueue(t *task) {
	s.after(enterQueue{id: t.ID, exchange: t.Exchange, symbol: t.Symbol, receivedAt: t.ReceivedAt.Time})
	s.after(armExpiry{id: t.ID, at: t.ExpiresAt.Time})
}

// answerDurable answers every caller whose signal is durable with its current state.
func (s *state) answerDurable() {
	for _, t := range s.tasks {
		if t.durable {
			s.reply(t, nil)
		}
	}
}

// isOver reports whether a removed channel has finished all its signals.
func (s *state) isOver() bool { return !s.channel.RemovedAt.IsZero() && len(s.tasks) == 0 }

// answerDue answers a caller, at the end of AnswerWithin, with the current state.
func (s *state) answerDue(id string) {
	if t, known := s.tasks[id]; known {
		s.reply(t, nil)
	}
}

func (s *state) reply(t *task, err error) {
	if t.waiter == nil {
		return
	}
	order := t.newest
	if !t.Status.IsFinal() {
		order = nil // the order of an earlier step is not the result
	}
	s.after(replyOutcome{to: t.waiter.Reply, out: outcome{answer: answerOf(&t.SignalRecord, order)}, err: err})
	t.waiter = nil
}

// end makes a signal final. The requestId of a rejected signal without an order is
// freed, since nothing was placed, unless the requestId was derived from the body,
// where another attempt would be a replay.
func (s *state) end(m step.Context, t *task, status persistence.SignalStatus, rejection *venues.Error) {
	t.Status, t.Step = status, ""
	if rejection != nil {
		t.Error = orderErrorOf(rejection)
	}
	_, taken := s.tasks[t.ID]
	if taken && status == persistence.SignalRejected && len(t.OrderIDs) == 0 && !t.Implied {
		free := s.claimOf(t)
		free.FreedAt = venues.At(m.Now)
		s.out.Batch.Puts = append(s.out.Batch.Puts, free)
	}
	s.noteAnswer(m, t)
	s.put(t, m.Now)
	var err error
	if status == persistence.SignalRejected {
		err = rejection
	}
	s.reply(t, err)
	if taken {
		s.after(leave{t.ID})
		delete(s.tasks, t.ID)
	}
}

func orderErrorOf(e *venues.Error) *venues.RejectReason {
	reason, _ := e.Details["reason"].(string)
	if rule, is := e.Details["rule"].(string); is {
		reason = rule
	}
	return &venues.RejectReason{Code: e.Code, Message: e.Message, Reason: reason, VenueCode: e.VenueCode, VenueMessage: e.VenueMessage}
}
