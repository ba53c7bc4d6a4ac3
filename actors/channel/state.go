package channel

import (
	"encoding/hex"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const (
	// AnswerWithin is how long after receipt a signal is answered with what is
	// known: a little less than the interface's second, for the way back.
	AnswerWithin = 850 * time.Millisecond
	// unfinishedMax bounds the signals of a channel that are not through.
	unfinishedMax = 1000
	// recentMax bounds the bodies of a chart that are remembered: more than its
	// rate lets through within the repeat window.
	recentMax = 1024
	// impliedPrefix begins the request id of a chart's signal that has none.
	impliedPrefix = "implied-"
)

// state is what a channel is doing. Messages in; a batch and effects out.
type state struct {
	channel persistence.Channel
	fence   persistence.Fence

	tasks map[string]*task
	// recent are the bodies without a requestId that a chart has sent within the
	// repeat window.
	recent map[string]recent
	// stopping says that another incarnation is to come: what has not begun is
	// left to it.
	stopping bool
	out      output
}

type recent struct {
	signalID string
	at       time.Time
}

// task is a signal that is not through.
type task struct {
	persistence.SignalRecord
	// durable says that its first commit was taken.
	durable bool
	// called says that its turn has come.
	called bool
	// resumed says that an earlier incarnation may have carried out a step.
	resumed bool
	// waiter is the caller who waits for the answer.
	waiter *accept
	// sentAt is when the step under way began.
	sentAt time.Time
	// flatSince is when its position was first expected to be flat.
	flatSince time.Time
	// closing is the newest of its steps that has made an order which closes.
	closing step
	// unguarding says that the withdrawal of the protection is waited for.
	unguarding bool
	// newest is the newest order that it made.
	newest *venues.Order
}

// moment is the time and the source of ids of one step.
type moment struct {
	now   time.Time
	newID func(prefix string) string
}

// output is what a step asks for: after happens once batch is durable.
type output struct {
	batch persistence.Batch
	after []effect
	// taken is the signal whose first commit this is.
	taken string
}

func newState(fence persistence.Fence) *state {
	return &state{fence: fence, tasks: map[string]*task{}, recent: map[string]recent{}}
}

// take ends a step.
func (s *state) take() output {
	out := s.out
	if !out.batch.Empty() {
		out.batch.Fence = s.fence
	}
	s.out = output{}
	return out
}

func (s *state) after(e effect) { s.out.after = append(s.out.after, e) }

func (s *state) put(t *task, now time.Time) {
	t.UpdatedAt = venues.At(now)
	s.out.batch.Puts = append(s.out.batch.Puts, t.SignalRecord)
}

// loaded takes up the signals that an earlier incarnation has left.
func (s *state) loaded(in loaded) {
	for _, r := range in.recent {
		if r.Status != persistence.SignalRejected {
			s.remember(&r)
		}
	}
	for _, r := range in.unfinished {
		t := &task{SignalRecord: r, durable: true, resumed: true}
		s.tasks[t.ID] = t
		s.line(t)
	}
}

// accept takes a signal, refuses it by a rule, or recognizes a repeat.
func (s *state) accept(m moment, in accept) {
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
	verdicts := judge(&s.channel, &t.Signal, in.fault)
	for i := range verdicts {
		s.noteVerdict(m, t, &verdicts[i])
	}
	if n := len(verdicts); n > 0 && verdicts[n-1].refusal != nil {
		t.waiter = &in
		s.end(m, t, persistence.SignalRejected, verdicts[n-1].refusal)
		return
	}
	s.claim(t)
	s.out.taken = t.ID
	t.waiter = &in
	if t.Action == venues.ActionNotify {
		s.notify(m, t)
		return
	}
	s.tasks[t.ID] = t
	s.put(t, m.now)
	s.remember(&t.SignalRecord)
	s.line(t)
	s.after(armAnswer{id: t.ID, at: t.ReceivedAt.Add(AnswerWithin)})
}

func (s *state) open(m moment, in *accept) *task {
	t := &task{SignalRecord: persistence.SignalRecord{
		Signal: in.signal, ID: m.newID(persistence.PrefixSignal), Status: persistence.SignalAccepted,
		Attempt: in.attempt, Test: s.channel.TestMode, ExpiresAt: venues.At(expiry(&s.channel, &in.signal)),
	}}
	if t.RequestID == "" {
		t.RequestID = impliedPrefix + t.ID
	}
	return t
}

// claim takes the signal's requestId in the commit of the signal.
func (s *state) claim(t *task) {
	record := s.claimOf(t)
	s.out.batch.Absent = append(s.out.batch.Absent, record.Key())
	s.out.batch.Puts = append(s.out.batch.Puts, record)
}

func (s *state) claimOf(t *task) persistence.IdempotencyRecord {
	return persistence.IdempotencyRecord{
		Customer: t.Customer, Scope: signalScope(s.channel.ID), RequestID: t.RequestID, Attempt: t.Attempt,
		OrderID: t.ID, BodyHash: t.BodyHash, FirstReceived: t.ReceivedAt,
	}
}

// isRepeat says whether a chart has just sent the same body.
func (s *state) isRepeat(m moment, in *venues.Signal) (string, bool) {
	if in.RequestID != "" || s.channel.AllowRepeats {
		return "", false
	}
	first, seen := s.recent[hex.EncodeToString(in.BodyHash)]
	return first.signalID, seen && m.now.Sub(first.at) < persistence.ChartRepeatWindow
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

// durable notes that the signal's first commit was taken.
func (s *state) durable(id string) {
	if t, known := s.tasks[id]; known {
		t.durable = true
		if s.stopping {
			s.reply(t, nil)
		}
	}
}

// notTaken undoes a signal whose first commit was refused: it is simply not
// there.
func (s *state) notTaken(id string, cause error) {
	t, known := s.tasks[id]
	if !known {
		return
	}
	delete(s.tasks, id)
	delete(s.recent, hex.EncodeToString(t.BodyHash))
	s.after(replyOutcome{to: t.waiter.Reply, err: cause})
}

// line puts the signal in the lane of its account and symbol.
func (s *state) line(t *task) {
	s.after(enterLane{id: t.ID, exchange: t.Exchange, symbol: t.Symbol, receivedAt: t.ReceivedAt.Time})
	s.after(armExpiry{id: t.ID, at: t.ExpiresAt.Time})
}

// answerDurable answers every caller whose signal is durable with what is known.
func (s *state) answerDurable() {
	for _, t := range s.tasks {
		if t.durable {
			s.reply(t, nil)
		}
	}
}

// isOver says whether a channel that was removed has nothing left to do.
func (s *state) isOver() bool { return !s.channel.RemovedAt.IsZero() && len(s.tasks) == 0 }

// answerDue answers a caller who has waited long enough with what is known.
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
		order = nil // that of an earlier step is not what was asked for
	}
	s.after(replyOutcome{to: t.waiter.Reply, out: outcome{answer: answerOf(&t.SignalRecord, order)}, err: err})
	t.waiter = nil
}

// end makes a signal final. Nothing was placed by one that is rejected without
// an order: its requestId is free again, unless it was made from what was sent,
// where another attempt would be a replay.
func (s *state) end(m moment, t *task, status persistence.SignalStatus, refusal *venues.Error) {
	t.Status, t.Step = status, ""
	if refusal != nil {
		t.Error = faultOf(refusal)
	}
	_, taken := s.tasks[t.ID]
	if taken && status == persistence.SignalRejected && len(t.OrderIDs) == 0 && !t.Implied {
		free := s.claimOf(t)
		free.FreedAt = venues.At(m.now)
		s.out.batch.Puts = append(s.out.batch.Puts, free)
	}
	s.noteAnswer(m, t)
	s.put(t, m.now)
	var err error
	if status == persistence.SignalRejected {
		err = refusal
	}
	s.reply(t, err)
	if taken {
		s.after(leave{t.ID})
		delete(s.tasks, t.ID)
	}
}

func faultOf(e *venues.Error) *venues.OrderFault {
	reason, _ := e.Details["reason"].(string)
	if rule, is := e.Details["rule"].(string); is {
		reason = rule
	}
	return &venues.OrderFault{Code: e.Code, Message: e.Message, Reason: reason, VenueCode: e.VenueCode, VenueMessage: e.VenueMessage}
}
