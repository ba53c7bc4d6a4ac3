package venuetest

import (
	"net"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// Harness is one venue as the suite needs to know it.
type Harness struct {
	// Simulate makes a simulator that does not serve yet.
	Simulate func(Conditions) (Simulator, error)
	// Connect makes a connector for a simulator.
	Connect func(restURL, streamURL string, c Conditions) Connector
	Wire    Wire
	// Lacks names each capability that the venue has not, with the reason.
	Lacks map[Capability]string
	// entry is set while the suite runs over a connection for orders.
	entry *OrderEntry
}

// Simulator is what every simulated venue offers beside its wire.
type Simulator interface {
	Serve(venue, control net.Listener)
	Close() error
	DemoAccount() simcore.AccountInfo
	Control() *simcore.Control
	Exchange() *simcore.Exchange
}

// BookRestarter is a Simulator that can begin to number its books anew.
type BookRestarter interface{ RestartBooks() }

// PriceBander is a Simulator of a venue that moves a far price to the edge of its
// band unless the account's owner has chosen to have it refused.
type PriceBander interface{ RefuseFarPrices(account string) }

// Connector is a venue's connector with its end.
type Connector interface {
	venues.Connector
	Close()
}

// Conditions are what a case wants of simulator and connector.
type Conditions struct {
	// Lively lets the market move by itself; otherwise the simulator is quiet.
	Lively bool
	// ClockOffset is how far the venue's clock is ahead.
	ClockOffset time.Duration
	// OrdersMax, if positive, is how many orders the venue takes before it answers
	// that the limit is used up: in a window of a minute or more, so that the
	// slowest machine uses it up.
	OrdersMax int
	// SilenceMax, if positive, is after how long a stream without messages counts
	// as broken: books, and private streams that owe an event.
	SilenceMax time.Duration
	// ConnLifetime, if positive, is after how long the connector renews a public
	// connection by itself, or the venue asks it to.
	ConnLifetime time.Duration
	// Timeout of one request; a minute where the case names none.
	Timeout time.Duration
	// OrderEntry is how the connector enters orders.
	OrderEntry venues.OrderEntry
}

// Capability is something that not every venue can do.
type Capability string

// Capabilities that cases ask for.
const (
	// AttachedProtection: stop loss and take profit travel with an order.
	AttachedProtection Capability = "attached protection"
	// AmendStops: an untriggered stop is amended in place.
	AmendStops Capability = "amending stops"
	// StreamSnapshots: the book stream brings its own snapshots.
	StreamSnapshots Capability = "book snapshots on the stream"
	// RESTSnapshots: a book is a REST snapshot joined to the stream.
	RESTSnapshots Capability = "books joined to a REST snapshot"
	// BookRestarts: the venue may begin to number a book anew.
	BookRestarts Capability = "books numbered anew"
	// ClientIDReuse: the id of a closed order is free again.
	ClientIDReuse Capability = "client ids used again"
	// ClientIDForever: a client id is never accepted twice.
	ClientIDForever Capability = "client ids unique for ever"
	// ContractUnits: the venue counts contracts that are not one base coin.
	ContractUnits Capability = "contracts of several coins"
	// InstrumentPages: the catalogue is read in pages.
	InstrumentPages Capability = "catalogue in pages"
	// SyncAck: the answer to an order tells its state.
	SyncAck Capability = "answers that tell the state"
	// MinNotional: the venue refuses orders of little value.
	MinNotional Capability = "least notional"
	// Renewal: a connector renews its connections before the venue cuts them.
	Renewal Capability = "renewal of connections"
	// OrderedEvents: what is told of one order comes on one connection.
	OrderedEvents Capability = "one connection for the events of an order"
	// EntryLogin: a connection for orders is opened by a login.
	EntryLogin Capability = "login of the connection for orders"
	// EntryRefusals: a connection for orders refuses messages for what they are.
	EntryRefusals Capability = "refusals of messages on the connection for orders"
	// MovedPrices: a price too far from the market is moved to the edge of what the
	// venue allows, unless the account's owner has chosen otherwise.
	MovedPrices Capability = "far prices moved"
)

// Route is a method and a path of the venue's REST interface.
type Route struct{ Method, Path string }

// Swap is a piece of a venue's message and what a case puts in its place.
type Swap struct{ Old, New string }

// in puts the swap into a message.
func (w Swap) in(message string) string { return strings.ReplaceAll(message, w.Old, w.New) }

// Event is a kind of message of a stream, for the cases that spoil it.
type Event struct {
	// Mark is a piece that every message of the kind has and no other.
	Mark string
	// Words and Figures are members that decide what the message means.
	Words, Figures []string
	// Descriptions are members that may be empty, Labels words that may be unknown:
	// neither decides anything.
	Descriptions, Labels []string
	// Entry is the entry price of a position.
	Entry string
}

// Answer is the answer to a read of the port, for the cases that spoil it.
type Answer struct {
	// Read is what the suite calls it: instruments, clock, mode, balances, positions,
	// open orders, order, fills.
	Read  string
	Route Route
	// Words and Figures decide, Descriptions may be empty, Labels unknown.
	Words, Figures, Descriptions, Labels []string
}

// Wire is how faults find their way to what they strike: the venue's paths,
// topics and a few words.
type Wire struct {
	Place, Amend, Cancel, Query, OpenOrders, Instruments, SetLeverage Route
	// PlaceStop places a stop; zero is whatever is posted.
	PlaceStop Route
	// PublicStream and PrivateStream are prefixes of paths; BookTopic and
	// OrderTopic prefixes of topics: the book of BTCUSDT, and events of orders.
	PublicStream, PrivateStream string
	BookTopic, OrderTopic       string
	// OrderState makes the state of an open order an unknown word in answers,
	// OrderStateEvent in events. OrderStateType makes it a number in answers.
	OrderState, OrderStateEvent, OrderStateType Swap
	// InstrumentState makes the state of every instrument an unknown word.
	InstrumentState Swap
	// BookKey spoils a key without which a book message means nothing.
	BookKey Swap
	// InstrumentPage makes the pages of the catalogue small in the query, where
	// it names the venue's page size PageMax; PageRows is what comes before the
	// rows of a page.
	InstrumentPage Swap
	PageMax        int
	PageRows       string
	// NoMargin is the venue's code for too little margin, Uncertain one that
	// leaves the outcome of an order open, in JSON; NotListed is one that nobody
	// knows.
	NoMargin, Uncertain, NotListed string
	// Answers are what the reads of the port are answered.
	Answers []Answer
	// OrderEvent, FillEvent, PositionEvent and WalletEvent are what the private
	// stream tells.
	OrderEvent, FillEvent, PositionEvent, WalletEvent Event
	// BookEvent, TradeEvent, CandleEvent and MarkEvent are what the public streams
	// tell.
	BookEvent, TradeEvent, CandleEvent, MarkEvent Event
	// FillsPage is how many fills a page of the venue holds.
	FillsPage int
	// BusyBody is an answer with status 200 that says that the venue failed.
	BusyBody string
}
