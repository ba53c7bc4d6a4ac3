package delivery

import (
	"time"

	"venuegate/actors"
	"venuegate/persistence"
)

// Messages of the delivery actor.
//
//	message          kind     from               reply
//	wake             event    Client             -
//	resend           command  Client             -
//	resendAll        command  Client             the number of deliveries
//	test             command  Client             the outcome
//	loaded           result   own effect         -
//	eventsRead       result   own effect         -
//	pendingRead      result   own effect         -
//	deliveryFound    result   own effect         -
//	undeliveredRead  result   own effect         -
//	expiredRead      result   own effect         -
//	attemptDone      result   own attempt        -
//	testDone         result   own attempt        -
//	expireMore       effect   own commit         -
//	nextUndelivered  effect   own commit         -
//	tick, poll       timer    itself             -
type (
	// wake reports that the customer has events up to a sequence.
	wake   struct{ seq uint64 }
	resend struct {
		resendReply
		eventID string
	}
	// resendAll restarts the undelivered deliveries that were queued at since or later.
	resendAll struct {
		actors.Reply[int]
		since time.Time
	}
	test struct{ actors.Reply[TestResult] }
	// tick: something is due. poll: a wake may have been lost.
	tick struct{}
	poll struct{}
	// loadDue: the load is to be repeated.
	loadDue struct{}
)

// resendReply is answered when the restart of a delivery is durable.
type resendReply = actors.Reply[struct{}]

// Results of effects.
type (
	loaded struct {
		cursor persistence.EndpointCursor
		// hasCursor is false before the endpoint's first cursor is stored.
		hasCursor bool
		rows      []persistence.Delivery
		err       error
	}
	eventsRead struct {
		events []persistence.Event
		err    error
	}
	pendingRead struct {
		rows []persistence.Delivery
		err  error
	}
	deliveryFound struct {
		in   resend
		rows []persistence.Delivery
		err  error
	}
	undeliveredRead struct {
		in   resendAll
		sent int
		page persistence.Page[persistence.Delivery]
		err  error
	}
	// expiredRead has pending deliveries that will not be sent.
	expiredRead struct {
		rows []persistence.Delivery
		err  error
	}
	attemptDone struct {
		eventID string
		// number is the number of the attempt, from 1.
		number     int
		attempt    persistence.Attempt
		began, end time.Time
		// lost: the event has been purged. unread: it could not be read now, and
		// nothing was attempted.
		lost   bool
		unread error
	}
	testDone struct {
		in      test
		event   persistence.Event
		attempt persistence.Attempt
		began   time.Time
		end     time.Time
	}
)
