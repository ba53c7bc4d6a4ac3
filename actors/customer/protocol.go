package customer

import (
	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// Messages of the customer actor.
//
//	message           kind     from               reply
//	connectAccount    command  Client             -
//	recordAccount     command  Client             -
//	removeAccount     command  Client             -
//	configure         command  Client, endpoints  -
//	stop              command  Client             -
//	subscribe         command  Client             the subscription
//	resync, leave     command  subscription       -
//	orderChanged ...  event    accounts           -
//	owned             result   own effect         -
type (
	connectAccount struct {
		actors.Reply[struct{}]
		account persistence.VenueAccount
	}
	recordAccount struct {
		actors.Reply[struct{}]
		account persistence.VenueAccount
	}
	removeAccount struct {
		actors.Reply[struct{}]
		exchange venues.Venue
	}
	// configure stores a record with the journal row that explains it, and makes the
	// child follow it. If was is set, the record must still be equal to it. Without a
	// record it stores the row alone.
	configure struct {
		actors.Reply[struct{}]
		record persistence.Record
		entry  persistence.JournalEntry
		was    persistence.Record
	}
	stop struct {
		actors.Reply[struct{}]
	}
	subscribe struct {
		actors.Reply[venues.Subscription]
		kind venues.TopicKind
		sink venues.FrameSink
	}
	resync struct {
		actors.Internal
		sub *subscription
	}
	leave struct {
		actors.Internal
		sub *subscription
	}
	reconciled struct {
		actors.Internal
		exchange  venues.Venue
		orders    []venues.Order
		positions []venues.Position
		balances  []venues.Balance
	}
	orderChanged struct {
		actors.Internal
		order venues.Order
	}
	positionChanged struct {
		actors.Internal
		position venues.Position
	}
	balancesChanged struct {
		actors.Internal
		exchange venues.Venue
		balances []venues.Balance
	}
)

// Results of effects.
type (
	owned struct {
		fence     persistence.Fence
		accounts  []persistence.VenueAccount
		channels  []persistence.Channel
		endpoints []persistence.Endpoint
		err       error
	}
	ownDue        struct{}
	snapshotsDue  struct{}
	openAccount   struct{ account persistence.VenueAccount }
	connectStored struct {
		in  connectAccount
		err error
	}
	accountRecorded struct {
		in  recordAccount
		err error
	}
	configured struct {
		in  configure
		err error
	}
	accountRemoved struct {
		in  removeAccount
		err error
	}
)
