package account

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors"
	"venuegate/actors/account/risk"
	"venuegate/persistence"
	"venuegate/venues"
)

// Messages of the account actor. Commands and queries come from Client and are rejected
// when the mailbox is full; events and results are always accepted.
//
//	message          kind     from              answer
//	placeOrder       command  Client            the order
//	checkOrder       query    Client            the results of its checks
//	amendOrder       command  Client            the order
//	cancelOrder      command  Client            the order
//	changeLeverage   command  Client            the change
//	getFunds         query    Client            balances and positions
//	getReady         query    Client            -
//	configure        command  Client            -
//	awaitHalt        query    Client            the report of a halt
//	unlock           command  Client            -
//	getRisk          query    Client            the loss of the day
//	getOpen          query    Client            the open orders, in memory and at the venue
//	getOpenReport    query    Client            the number of open orders, and the unknown ones
//	observed         event    private stream    -
//	...Done          result   effects           -
//	lookedUp...      result   effects           -
//	tick, ...Due     timer    -                 -
//
// Those of checks, leverage, attached protection and lists of open orders are declared with
// their handlers.
type (
	placeOrder struct {
		orderReply
		cmd        venues.PlaceOrder
		attempt    int
		instrument *venues.Instrument
		mark       venues.Optional
	}
	amendOrder struct {
		orderReply
		cmd        venues.AmendOrder
		instrument *venues.Instrument
		mark       venues.Optional
	}
	cancelOrder struct {
		orderReply
		cmd venues.CancelOrder
	}
	changeLeverage struct {
		actors.Reply[venues.LeverageChange]
		cmd venues.ChangeLeverage
	}
	getFunds struct {
		fundsReply
		// part is what the caller requires.
		part fundsPart
		// mustRead demands a reading that begins after the call.
		mustRead bool
	}
	getReady struct {
		actors.Reply[struct{}]
	}
	configure struct {
		actors.Reply[struct{}]
		control persistence.VenueAccount
	}
	awaitHalt struct {
		actors.Reply[venues.HaltReport]
	}
	unlock struct {
		actors.Reply[struct{}]
	}
	getRisk struct {
		actors.Reply[venues.RiskReport]
	}
	getOpen struct {
		actors.Reply[openOrders]
		symbol string
		// read is set if the caller requires the venue's list.
		read bool
	}
)

// observed is one event of the private connection; exactly one field is set.
type observed struct {
	actors.Internal
	report          *venues.ExecutionReport
	position        *venues.Position
	balancesChanged bool
	connected       bool
	lost            bool
}

// Results of effects.
type (
	loadDone struct {
		account   persistence.AccountState
		orders    []loadedOrder
		positions []loadedPosition
		risk      persistence.RiskRecord
		// control is the account's record, with its limits and halt.
		control persistence.VenueAccount
		// today sums up the stored fills of the day.
		today risk.Day
		err   error
	}
	loadedPosition struct {
		record persistence.PositionRecord
		// fills are those after the record's cut.
		fills []persistence.FillRecord
	}
	loadedOrder struct {
		record persistence.OrderRecord
		claim  *persistence.IdempotencyRecord
		fills  []persistence.FillRecord
	}
	placeDone struct {
		orderID string
		report  venues.ExecutionReport
		err     error
	}
	cancelDone placeDone
	amendDone  placeDone
	queryDone  struct {
		orderID string
		report  venues.ExecutionReport
		err     error
		// began is when the query was sent.
		began time.Time
	}
	absenceCheckDone struct {
		// orders are the ids of the orders that awaited the check when the reading began.
		orders      []string
		open        []venues.ExecutionReport
		fills       []venues.Fill
		knownOrders map[venueKey]bool
		err         error
	}
	lookedUp struct {
		report venues.ExecutionReport
		found  *loadedOrder
	}
	lookedUpFills struct {
		symbol       string
		venueOrderID string
		fills        []venues.Fill
		// unattributed are the fills that the store has without an order.
		unattributed []persistence.FillRecord
		report       *venues.ExecutionReport
		found        *loadedOrder
		err          error
		// began is when the query was sent.
		began time.Time
	}
	fillsDone struct {
		orderID string
		// retry is the wait before the fills are fetched again if some are missing.
		retry        time.Duration
		fills        []venues.Fill
		unattributed []persistence.FillRecord
		err          error
	}
	fundsDone struct {
		funds    Funds
		part     fundsPart
		versions fundsVersions
		err      error
	}
	reconcileDone struct {
		kind reconcileKind
		// isPostponed is set if nothing was read.
		isPostponed bool

		startedAt time.Time
		// open has the listed orders, notInMemory those of them that were looked up in the
		// store.
		open         []venues.ExecutionReport
		notInMemory  []lookedUp
		answers      []queryDone
		fills        []venues.Fill
		unattributed []persistence.FillRecord
		fillsRead    map[string]bool
		// unlisted are symbols that the venue does not list any more, so that nothing was
		// read.
		unlisted []string
		funds    Funds
		versions fundsVersions
		hedge    bool
		err      error
	}
	haltReadDone struct {
		open     []venues.ExecutionReport
		funds    Funds
		versions fundsVersions
		// maxMarketQty has the largest quantity of a market order of the instruments that
		// limit it.
		maxMarketQty map[string]decimal.Decimal
		err          error
	}
)

// Timers.
type (
	tick     struct{}
	fillsDue struct{ callFills }
	loadDue  struct{}
)
