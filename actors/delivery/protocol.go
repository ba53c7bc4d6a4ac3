package delivery

import (
	"time"

	"venuegate/actors"
	"venuegate/persistence"
)

// Messages of the delivery actor.
//
//	message          kind     from               answer
//	wake             event    Client             -
//	resend           command  Client             -
//	resendAll        command  Client             how many
//	test             command  Client             what came of it
//	loaded           result   own effect         -
//	eventsRead       result   own effect         -
//	pendingRead      result   own effect         -
//	deliveryFound    result   own effect         -
//	undeliveredRead  result   own effect         -
//	lapsedRead       result   own effect         -
//	attempted        result   own attempt        -
//	tested           result   own attempt        -
//	committed        result   journal            -
//	tick, poll       timer    itself             -
type (
	// wake says that the customer has events up to a sequence.
	wake   struct{ seq uint64 }
	resend struct {
		resendReply
		eventID string
	}
	resendAll struct{ actors.Reply[int] }
	test      struct{ actors.Reply[Tested] }
	// tick: something is due. poll: what was told may have been lost.
	tick struct{}
	poll struct{}
	// loadDue: the store may take a commit again.
	loadDue struct{}
)

// resendReply says that a delivery begins anew, durably.
type resendReply = actors.Reply[struct{}]

// Results of effects.
type (
	loaded struct {
		cursor persistence.EndpointCursor
		// begun is false before the endpoint's first cursor is stored.
		begun bool
		rows  []persistence.Delivery
		err   error
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
	// lapsedRead are pending deliveries that will not be sent.
	lapsedRead struct {
		rows []persistence.Delivery
		err  error
	}
	attempted struct {
		eventID string
		// number counts the attempts from 1.
		number     int
		attempt    persistence.Attempt
		began, end time.Time
		// lost: the event itself is not kept any more. unread: it could not be
		// read now, and nothing was tried.
		lost   bool
		unread error
	}
	tested struct {
		in      test
		event   persistence.Event
		attempt persistence.Attempt
		began   time.Time
		end     time.Time
	}
	committed struct {
		after []effect
		err   error
	}
)
