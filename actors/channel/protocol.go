package channel

import (
	"slices"
	"time"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Messages of the actor.
//
//	message     kind     sent by       reply
//	accept      command  Client        the signal as it stands when there is something to say
//	changed     event    Client        -
//	loaded      result   own reading   -
//	stored      result   journal       -
//	turn        event    lanes         -
//	acted       result   own effect    -
//	found       result   own effect    -
//	flatSeen    result   own effect    -
//	rehearsed   result   own effect    -
//	answerDue   timer
//	retryDue    timer
//	expiryDue   timer
type (
	accept struct {
		actors.Reply[outcome]
		signal venues.Signal
		// attempt is the next one under the signal's requestId; fault says why it
		// cannot be carried out, before any rule.
		attempt int
		fault   *venues.Error
	}

	// changed is another state of the channel's record, which is durable.
	changed struct {
		actors.Internal
		record persistence.Channel
	}
	loaded struct {
		record     persistence.Channel
		unfinished []persistence.SignalRecord
		// recent are the signals that a repeat could be of.
		recent []persistence.SignalRecord
		err    error
	}
	stored struct {
		output
		err error
	}
	turn struct {
		actors.Internal
		id  string
		err error
	}
	// acted is what became of a step: an order, or the results of a cancel.
	acted struct {
		id      string
		step    step
		order   venues.Order
		results []venues.CancelResult
		err     error
	}
	// found is the order that one of the steps has made, if any has.
	found struct {
		id    string
		steps []step
		step  step
		order *venues.Order
		err   error
	}
	flatSeen struct {
		id   string
		left left
		err  error
	}
	rehearsed struct {
		id    string
		notes []persistence.JournalField
		err   error
	}
	answerDue struct{ id string }
	retryDue  struct{ id string }
	expiryDue struct{ id string }
)

// outcome is what the caller of accept hears: the answer, or that the signal is
// a repeat of another one.
type outcome struct {
	answer   venues.SignalAnswer
	repeatOf string
}

// step of a plan.
type step string

const (
	stepOpen   step = "open"
	stepClose  step = "close"
	stepFlat   step = "flat"
	stepCancel step = "cancel"
)

// closings are the steps that close a position, in order: each of them what the
// one before has left. A plan makes no more.
var closings = []step{stepClose, "close2", "close3", "close4", "close5"}

func (s step) closes() bool { return slices.Contains(closings, s) }

// next is the closing after this one, if there may be another.
func (s step) next() (step, bool) {
	i := slices.Index(closings, s) + 1
	if i == len(closings) {
		return s, false
	}
	return closings[i], true
}

// wait before a closing begins; the first one does not wait for a market.
func (s step) wait() time.Duration {
	if s == stepClose {
		return flatEvery
	}
	return closeEvery << (slices.Index(closings, s) - 1)
}

// scope in which the step's order claims the signal's requestId.
func (s step) scope(channelID string) string {
	if s.closes() {
		return channelID + ":" + string(s)
	}
	return channelID
}

// signalScope is where signals themselves claim their requestId.
func signalScope(channelID string) string { return channelID + ":signal" }
