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
//	accept      command  Client        the signal's state, at the latest after AnswerWithin
//	changed     event    Client        -
//	loaded      result   own reading   -
//	granted     event    signal queue  -
//	stepDone    result   own effect    -
//	found       result   own effect    -
//	flatRead    result   own effect    -
//	dryRunDone  result   own effect    -
//	answerDue   timer
//	retryDue    timer
//	expiryDue   timer
type (
	accept struct {
		actors.Reply[outcome]
		signal venues.Signal
		// attempt is the next one under the signal's requestId. rejection is the reason
		// why no rule needs to be checked: the instrument cannot be traded.
		attempt   int
		rejection *venues.Error
	}

	// changed is another version of the channel's record, which is durable.
	changed struct {
		actors.Internal
		record persistence.Channel
	}
	loaded struct {
		record     persistence.Channel
		unfinished []persistence.SignalRecord
		// recent are the signals that a new one may repeat.
		recent []persistence.SignalRecord
		err    error
	}
	granted struct {
		actors.Internal
		id  string
		err error
	}
	// stepDone is the result of a step: an order, or the results of a cancel.
	stepDone struct {
		id      string
		step    planStep
		order   venues.Order
		results []venues.CancelResult
		err     error
	}
	// found is the order that one of the steps has created, or nil.
	found struct {
		id    string
		steps []planStep
		step  planStep
		order *venues.Order
		err   error
	}
	flatRead struct {
		id   string
		left remainder
		err  error
	}
	dryRunDone struct {
		id    string
		notes []persistence.JournalField
		err   error
	}
	answerDue struct{ id string }
	retryDue  struct{ id string }
	expiryDue struct{ id string }
)

// outcome is the answer to accept: the response, or the signal that it repeats.
type outcome struct {
	answer   venues.SignalResponse
	repeatOf string
}

// planStep is one step of a signal's plan.
type planStep string

const (
	stepOpen   planStep = "open"
	stepClose  planStep = "close"
	stepFlat   planStep = "flat"
	stepCancel planStep = "cancel"
)

// closings are the steps that close a position, in order; each closes what the one
// before has left. A plan has no more of them.
var closings = []planStep{stepClose, "close2", "close3", "close4", "close5"}

func (s planStep) closes() bool { return slices.Contains(closings, s) }

// next returns the closing after this one, if there is another.
func (s planStep) next() (planStep, bool) {
	i := slices.Index(closings, s) + 1
	if i == len(closings) {
		return s, false
	}
	return closings[i], true
}

// wait returns the delay before a closing. The first one needs no time for the market
// to recover.
func (s planStep) wait() time.Duration {
	if s == stepClose {
		return flatEvery
	}
	return closeEvery << (slices.Index(closings, s) - 1)
}

// scope returns the scope in which the step's order claims the signal's requestId.
func (s planStep) scope(channelID string) string {
	if s.closes() {
		return channelID + ":" + string(s)
	}
	return channelID
}

// signalScope returns the scope in which signals claim their requestId.
func signalScope(channelID string) string { return channelID + ":signal" }
